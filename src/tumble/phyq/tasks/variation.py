"""How the tasks of a template differ: an anchor is moved to a random place, and the layout with it.

A sampler draws the place. Where a height has to be within reach, samplers go by the line of the published generator,
which lies 0 to 0.2 above what our birds reach (`trajectory.envelope`).
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tumble.draws import Draws
from tumble.phyq.tasks.level import Level, Piece
from tumble.scene import Vec

REACH_LINE = (
    (-6.51, 7.1), (-5.84, 6.91), (-5.274, 6.643), (-4.65, 6.544), (-4.037, 6.292), (-3.43, 5.96),
    (-2.97, 5.82), (-2.48, 5.62), (-1.98, 5.37), (-1.385, 5.034), (-0.86, 4.71), (-0.394, 4.413),
    (0.025, 4.229), (0.617, 3.94), (1.027, 3.66), (1.559, 3.266), (2.025, 2.904), (2.63, 2.411),
    (3.293, 2.005), (3.97, 1.487), (4.648, 1.039), (5.231, 0.489), (5.824, 0.004), (6.24, -0.453),
    (6.91, -1.005), (7.53, -1.574), (7.999, -2.0), (8.496, -2.481), (8.996, -3.0183), (9.459, -3.494),
)  # fmt: skip
"""The highest points that full power reaches, as the published generator has them."""
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

    def place(self, level: Level, shift: Vec = (0.0, 0.0)) -> Vec:
        """Where the anchor is in a level whose layout was shifted."""
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
    """Anywhere in a box that is under the line: some shot reaches it."""

    x: Vec
    y: Vec

    def target(self, draws: Draws) -> Vec:
        """Draw a place."""
        while True:
            x = draws.between(*self.x)
            top = min(self.y[1], line_height(x))
            if self.y[0] <= top:
                return x, draws.between(self.y[0], top)


@dataclass(frozen=True)
class OnLine:
    """On the line: only just within reach."""

    def target(self, draws: Draws) -> Vec:
        """Draw a place."""
        x = draws.between(REACH_LINE[0][0], REACH_LINE[-1][0])
        return x, line_height(x)


@dataclass(frozen=True)
class LeftOfLine:
    """At one height, anywhere in a range that is left of the line."""

    x: Vec
    height: float

    def target(self, draws: Draws) -> Vec:
        """Draw a place."""
        return draws.between(self.x[0], min(self.x[1], line_x(self.height))), self.height


@dataclass(frozen=True)
class AlongX:
    """Anywhere in a range of x, at a height that isn't used."""

    x: Vec

    def target(self, draws: Draws) -> Vec:
        """Draw a place."""
        return draws.between(*self.x), 0.0


@dataclass(frozen=True)
class InBox:
    """Anywhere in a box, or only in its lower half where x is in the half that is `low_on`."""

    x: Vec
    y: Vec
    low_on: Literal["left", "right", ""] = ""

    def target(self, draws: Draws) -> Vec:
        """Draw a place."""
        x = draws.between(*self.x)
        half = "right" if x > sum(self.x) / 2.0 else "left"
        top = sum(self.y) / 2.0 if half == self.low_on else self.y[1]
        return x, draws.between(self.y[0], top)


@dataclass(frozen=True)
class BeyondLine:
    """Out of reach: in the upper half of y up to `back` left of `near`, in the lower half from `near` to `far`."""

    y: Vec
    near: float
    far: float
    back: float

    def target(self, draws: Draws) -> Vec:
        """Draw a place."""
        y = draws.between(*self.y)
        if y > sum(self.y) / 2.0:
            return draws.between(self.near - self.back, self.near), y
        return draws.between(min(self.near, self.far), max(self.near, self.far)), y


Sampler = UnderLine | OnLine | LeftOfLine | AlongX | InBox | BeyondLine


@dataclass(frozen=True)
class Variation:
    """Where an anchor goes, and what goes with it: everything, everything but only in x, or pig 0 alone in x."""

    anchor: Anchor
    sampler: Sampler
    moves: Literal["all", "all in x", "pig in x"] = "all"

    def apply(self, level: Level, draws: Draws) -> tuple[Level, Vec]:
        """A varied level, and by how much the layout (or the pig) was shifted."""
        (x, y), (from_x, from_y) = self.sampler.target(draws), self.anchor.place(level)
        dx = round(x - from_x, 4)
        if self.moves == "pig in x":
            first, *others = level.pigs
            moved = replace(first, x=round(first.x + dx, 5))
            return replace(level, pigs=(moved, *others)), (dx, 0.0)
        dy = round(y - from_y, 4) if self.moves == "all" else 0.0
        return level.shifted(dx, dy), (dx, dy)
