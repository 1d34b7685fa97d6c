"""How tasks of a template vary: an anchor moves to a random position, and the layout with it.

A sampler draws the position. Samplers that keep to heights within reach use the published generator's line, which
lies 0 to 0.2 above what our birds reach (`trajectory.envelope`).
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tumble.draws import Draws
from tumble.phyq.catalogue.level import Level, Piece
from tumble.scene import Vec

REACH_LINE = (
    (-6.51, 7.1), (-5.84, 6.91), (-5.274, 6.643), (-4.65, 6.544), (-4.037, 6.292), (-3.43, 5.96),
    (-2.97, 5.82), (-2.48, 5.62), (-1.98, 5.37), (-1.385, 5.034), (-0.86, 4.71), (-0.394, 4.413),
    (0.025, 4.229), (0.617, 3.94), (1.027, 3.66), (1.559, 3.266), (2.025, 2.904), (2.63, 2.411),
    (3.293, 2.005), (3.97, 1.487), (4.648, 1.039), (5.231, 0.489), (5.824, 0.004), (6.24, -0.453),
    (6.91, -1.005), (7.53, -1.574), (7.999, -2.0), (8.496, -2.481), (8.996, -3.0183), (9.459, -3.494),
)  # fmt: skip
"""The highest points that full stretch reaches, as in the published generator."""
_LINE_X, _LINE_Y = np.array(REACH_LINE).T


def line_height(x: float) -> float:
    """The height of the line's point nearest in x."""
    return float(_LINE_Y[np.abs(_LINE_X - x).argmin()])


def line_x(y: float) -> float:
    """The x of the line's point nearest in height."""
    return float(_LINE_X[np.abs(_LINE_Y - y).argmin()])


@dataclass(frozen=True)
class Anchor:
    """A piece of a level by its index, or a point of the layout."""

    kind: Literal["pig", "block", "platform", "point"]
    index: int = 0
    at: Vec = (0.0, 0.0)

    def position(self, level: Level, shift: Vec = (0.0, 0.0)) -> Vec:
        """Position of the anchor in a level whose layout was shifted."""
        if self.kind == "point":
            return self.at[0] + shift[0], self.at[1] + shift[1]
        pieces: tuple[Piece, ...] = getattr(level, f"{self.kind}s")
        piece = pieces[self.index]
        return piece.x, piece.y


def pig(index: int) -> Anchor:
    """A pig as an anchor."""
    return Anchor("pig", index)


def block(index: int) -> Anchor:
    """A block as an anchor."""
    return Anchor("block", index)


def platform(index: int) -> Anchor:
    """A platform as an anchor."""
    return Anchor("platform", index)


def point(x: float, y: float) -> Anchor:
    """A point of the layout, such as an opening, as an anchor."""
    return Anchor("point", at=(x, y))


@dataclass(frozen=True)
class UnderLine:
    """In the part of a box that is under the reach line."""

    x: Vec
    y: Vec

    def target(self, draws: Draws) -> Vec:
        """Draws a position."""
        while True:
            x = draws.between(*self.x)
            top = min(self.y[1], line_height(x))
            if self.y[0] <= top:
                return x, draws.between(self.y[0], top)


@dataclass(frozen=True)
class OnLine:
    """On the reach line: only just within reach."""

    def target(self, draws: Draws) -> Vec:
        """Draws a position."""
        x = draws.between(REACH_LINE[0][0], REACH_LINE[-1][0])
        return x, line_height(x)


@dataclass(frozen=True)
class LeftOfLine:
    """At one height, in the part of a range of x that is left of the reach line."""

    x: Vec
    height: float

    def target(self, draws: Draws) -> Vec:
        """Draws a position."""
        return draws.between(self.x[0], min(self.x[1], line_x(self.height))), self.height


@dataclass(frozen=True)
class AlongX:
    """In a range of x; the height it returns is not used."""

    x: Vec

    def target(self, draws: Draws) -> Vec:
        """Draws a position."""
        return draws.between(*self.x), 0.0


@dataclass(frozen=True)
class InBox:
    """In a box; in the half of x that `low_on` names, only in the lower half of y."""

    x: Vec
    y: Vec
    low_on: Literal["left", "right", ""] = ""

    def target(self, draws: Draws) -> Vec:
        """Draws a position."""
        x = draws.between(*self.x)
        half = "right" if x > sum(self.x) / 2.0 else "left"
        top = sum(self.y) / 2.0 if half == self.low_on else self.y[1]
        return x, draws.between(self.y[0], top)


@dataclass(frozen=True)
class BeyondLine:
    """Beyond the reach line: in the upper half of y, x from `near - back` to `near`; else from `near` to `far`."""

    y: Vec
    near: float
    far: float
    back: float

    def target(self, draws: Draws) -> Vec:
        """Draws a position."""
        y = draws.between(*self.y)
        if y > sum(self.y) / 2.0:
            return draws.between(self.near - self.back, self.near), y
        return draws.between(min(self.near, self.far), max(self.near, self.far)), y


Sampler = UnderLine | OnLine | LeftOfLine | AlongX | InBox | BeyondLine


@dataclass(frozen=True)
class Offset:
    """Pieces that move together by a random offset within ranges of x and y, besides what moves with the anchor."""

    pieces: tuple[Anchor, ...]
    x: Vec = (0.0, 0.0)
    y: Vec = (0.0, 0.0)

    def apply(self, level: Level, draws: Draws) -> Level:
        """The level with the pieces moved."""
        dx, dy = (round(draws.between(*span), 4) for span in (self.x, self.y))
        lists: dict[str, list[Piece]] = {}
        for piece in self.pieces:
            of_kind = lists.setdefault(f"{piece.kind}s", list(getattr(level, f"{piece.kind}s")))
            old = of_kind[piece.index]
            of_kind[piece.index] = replace(old, x=round(old.x + dx, 5), y=round(old.y + dy, 5))
        return replace(level, **{kind: tuple(pieces) for kind, pieces in lists.items()})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Variation:
    """A sampler for an anchor's position, and what moves with it: all pieces, all in x only, or pig 0 in x only.

    `offsets` move some pieces further, each independently.
    """

    anchor: Anchor
    sampler: Sampler
    moves: Literal["all", "all in x", "pig in x"] = "all"
    offsets: tuple[Offset, ...] = ()

    def apply(self, level: Level, draws: Draws) -> tuple[Level, Vec]:
        """A varied level, and the shift of the layout, or of the pig if only that moves."""
        level, shift = self._moved(level, draws)
        for offset in self.offsets:
            level = offset.apply(level, draws)
        return level, shift

    def _moved(self, level: Level, draws: Draws) -> tuple[Level, Vec]:
        (x, y), (from_x, from_y) = self.sampler.target(draws), self.anchor.position(level)
        dx = round(x - from_x, 4)
        if self.moves == "pig in x":
            first, *others = level.pigs
            moved = replace(first, x=round(first.x + dx, 5))
            return replace(level, pigs=(moved, *others)), (dx, 0.0)
        dy = round(y - from_y, 4) if self.moves == "all" else 0.0
        return level.shifted(dx, dy), (dx, dy)
