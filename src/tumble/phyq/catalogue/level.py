"""A level as plain data: birds in the order they are shot, pigs, blocks, platforms and TNT, and a slingshot.

World units, degrees counter-clockwise, y up; a piece is placed at `x` and `y` and rotated about that point. Invalid
values raise a `LevelError` that names the piece. Outlines of pieces are in world units; bounding boxes and overlaps
are computed from them.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tumble.errors import TumbleError
from tumble.phyq.catalogue.physics import (
    BIRD_COLOURS,
    BLOCK_SHAPES,
    BLOCKS,
    GROUND_Y,
    HALF_WIDTH,
    MATERIAL_NAMES,
    PIG_SIZES,
    PIGS,
    PLATFORM_SIDE,
    REST_OFFSET,
    SLINGSHOT,
    TNT,
)
from tumble.scene import Circle, Shape, Vec, box
from tumble.scene.checks import as_number, as_tuple, as_vector, number_problems, shown, vector_problems

HIGHEST = 50.0
"""The largest y of a piece."""
PLATFORM_REACH = 2.0 * HALF_WIDTH
"""The largest distance of a platform from the origin, in x and downwards, and its largest side."""
SMALLEST_SCALE = 0.01
MOST_PIECES = 500
MOST_BIRDS = 50


class LevelError(TumbleError):
    """An invalid level or level file."""


def _check_placement(piece: Any, low_x: float, high_x: float, low_y: float) -> None:
    """Convert a piece's position and rotation to floats and check their ranges."""
    for field in ("x", "y", "rotation"):
        object.__setattr__(piece, field, as_number(getattr(piece, field)))
    bounds = {"x": (low_x, high_x), "y": (low_y, HIGHEST), "rotation": (-3600.0, 3600.0)}
    for field, (low, high) in bounds.items():
        _check_between(field, getattr(piece, field), low, high)


def _check_between(field: str, value: Any, low: float, high: float) -> None:
    for problem in number_problems(field, value):
        raise LevelError(problem)
    if not low <= value <= high:
        raise LevelError(f"{field} must be from {low:g} to {high:g}, got {value!r}")


def _check_known(what: str, value: object, known: Sequence[str]) -> None:
    if value in known:
        return
    close = get_close_matches(value, known, n=1) if isinstance(value, str) else []
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    raise LevelError(f"no {what} {shown(value)}{hint}; there are {', '.join(known)}")


@dataclass(frozen=True)
class Pig:
    """A pig: small, medium or big."""

    size: str
    x: float
    y: float
    rotation: float = 0.0

    word: ClassVar[str] = "pig"

    def __post_init__(self) -> None:
        _check_known("pig size", self.size, PIG_SIZES)
        _check_placement(self, -HALF_WIDTH, HALF_WIDTH, GROUND_Y)

    @property
    def outline(self) -> Shape:
        """The collider."""
        return PIGS[self.size].shape


@dataclass(frozen=True)
class Block:
    """A block of one of 12 shapes, of wood, ice or stone."""

    shape: str
    material: str
    x: float
    y: float
    rotation: float = 0.0

    word: ClassVar[str] = "block"

    def __post_init__(self) -> None:
        _check_known("block shape", self.shape, BLOCK_SHAPES)
        _check_known("material", self.material, MATERIAL_NAMES)
        _check_placement(self, -HALF_WIDTH, HALF_WIDTH, GROUND_Y)

    @property
    def outline(self) -> Shape:
        """The collider."""
        return BLOCKS[self.shape, self.material].shape


@dataclass(frozen=True)
class Tnt:
    """A box that explodes when it is destroyed."""

    x: float
    y: float
    rotation: float = 0.0

    word: ClassVar[str] = "TNT"

    def __post_init__(self) -> None:
        _check_placement(self, -HALF_WIDTH, HALF_WIDTH, GROUND_Y)

    @property
    def outline(self) -> Shape:
        """The collider."""
        return TNT.shape


@dataclass(frozen=True)
class Platform:
    """A static box; its sides are the scales times PLATFORM_SIDE."""

    x: float
    y: float
    rotation: float = 0.0
    scale_x: float = 1.0
    scale_y: float = 1.0

    word: ClassVar[str] = "platform"

    def __post_init__(self) -> None:
        _check_placement(self, -PLATFORM_REACH, PLATFORM_REACH, -PLATFORM_REACH)
        for field in ("scale_x", "scale_y"):
            object.__setattr__(self, field, as_number(getattr(self, field)))
            _check_between(field, getattr(self, field), SMALLEST_SCALE, PLATFORM_REACH / PLATFORM_SIDE)

    @property
    def size(self) -> Vec:
        """Width and height before the rotation."""
        return PLATFORM_SIDE * self.scale_x, PLATFORM_SIDE * self.scale_y

    @property
    def outline(self) -> Shape:
        """The collider."""
        return _box(self.size)


@lru_cache(maxsize=4096)
def _box(size: Vec) -> Shape:
    return box(*size)


Piece = Pig | Block | Tnt | Platform
PIECE_KINDS: dict[str, type[Piece]] = {
    "pigs": Pig,
    "blocks": Block,
    "platforms": Platform,
    "tnts": Tnt,
}


@dataclass(frozen=True)
class Level:
    """Everything before the first shot.

    >>> level = Level(birds=("red",), pigs=(Pig("small", 2.0, -3.262),))
    >>> level.rest_point
    (-12.15, -1.7)
    """

    birds: tuple[str, ...]
    pigs: tuple[Pig, ...]
    blocks: tuple[Block, ...] = ()
    platforms: tuple[Platform, ...] = ()
    tnts: tuple[Tnt, ...] = ()
    slingshot: Vec = SLINGSHOT

    def __post_init__(self) -> None:
        for field in ("birds", *PIECE_KINDS):
            object.__setattr__(self, field, as_tuple(getattr(self, field)))
        object.__setattr__(self, "slingshot", as_vector(self.slingshot))
        for problem in self._problems():
            raise LevelError(problem)

    def _problems(self) -> Iterator[str]:
        for field, most in {"birds": MOST_BIRDS, **dict.fromkeys(PIECE_KINDS, MOST_PIECES)}.items():
            values: object = getattr(self, field)
            if not isinstance(values, tuple):
                yield f"{field} must be a sequence, got {shown(values)}"
            elif len(values) > most:
                yield f"a level can have {most} {field}, got {len(values)}"
        if not self.birds:
            yield "a level needs a bird"
        for k, bird in enumerate(self.birds):
            if bird not in BIRD_COLOURS:
                yield f"bird {k}: no bird {shown(bird)}; there are {', '.join(BIRD_COLOURS)}"
        for field, kind in PIECE_KINDS.items():
            for k, piece in enumerate(getattr(self, field)):
                if not isinstance(piece, kind):
                    yield f"{kind.word} {k}: must be a {kind.__name__}, got {shown(piece)}"
        if not self.pigs:
            yield "a level needs a pig"
        yield from vector_problems("slingshot", self.slingshot)
        x, y = self.slingshot
        if not (-HALF_WIDTH <= x <= HALF_WIDTH and GROUND_Y <= y <= HIGHEST):
            yield f"the slingshot must stand inside the world, got {shown(self.slingshot)}"

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Pigs, blocks, TNT and platforms, in this order."""
        return (*self.pigs, *self.blocks, *self.tnts, *self.platforms)

    @property
    def rest_point(self) -> Vec:
        """Position of the bird that rests on the slingshot."""
        return self.slingshot[0] + REST_OFFSET[0], self.slingshot[1] + REST_OFFSET[1]

    def shifted(self, dx: float, dy: float) -> "Level":
        """The level with all pieces moved and their positions rounded to five decimals; the slingshot stays."""
        moved = {
            field: tuple(
                replace(piece, x=round(piece.x + dx, 5), y=round(piece.y + dy, 5)) for piece in getattr(self, field)
            )
            for field in PIECE_KINDS
        }
        return replace(self, **moved)


CIRCLE_CORNERS = 24


class Box(NamedTuple):
    """The bounding box of an outline."""

    left: float
    bottom: float
    right: float
    top: float


def outline(piece: Piece) -> np.ndarray:
    """Corners [n, 2] of a placed piece, counter-clockwise."""
    return placed_corners(shape_corners(piece.outline), piece.x, piece.y, piece.rotation)


@lru_cache(maxsize=4096)
def shape_corners(shape: Shape) -> np.ndarray:
    """Corners [n, 2] of a shape in local coordinates, read-only; a circle has CIRCLE_CORNERS of them."""
    if isinstance(shape, Circle):
        turns = np.linspace(0.0, 2.0 * math.pi, CIRCLE_CORNERS, endpoint=False)
        corners = np.asarray(shape.centre) + shape.radius * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    else:
        corners = np.array(shape.vertices)
    corners.flags.writeable = False
    return corners


def placed_corners(corners: np.ndarray, x: float, y: float, degrees: float) -> np.ndarray:
    """Corners [n, 2] rotated about the origin, then moved by (x, y)."""
    turn = math.radians(degrees)
    c, s = math.cos(turn), math.sin(turn)
    return np.asarray(corners @ np.array([[c, s], [-s, c]]) + (x, y))


def bounding_box(corners: np.ndarray) -> Box:
    """The bounding box of corners [n, 2]."""
    (left, bottom), (right, top) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return Box(left, bottom, right, top)


def overlap_depth(a: np.ndarray, b: np.ndarray) -> float:
    """Penetration depth of two convex outlines [n, 2] and [m, 2]; negative where they are apart."""
    return min(_depth_along_normals(a, b), _depth_along_normals(b, a))


def _depth_along_normals(a: np.ndarray, b: np.ndarray) -> float:
    """The smallest depth of `b` behind an edge of `a`."""
    edges = np.roll(a, -1, axis=0) - a
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=-1) / np.hypot(*edges.T)[:, None]
    gaps = (b @ normals.T).min(axis=0) - (a * normals).sum(axis=-1)
    return -float(gaps.max())


def overlaps(level: Level, slop: float) -> list[tuple[Piece, Piece | None, float]]:
    """Pairs of pieces (None: the ground) that overlap by more than `slop`, with the depth.

    Platforms are static, so they may overlap each other and the ground.
    """
    pieces = level.pieces
    outlines = [outline(piece) for piece in pieces]
    boxes = [bounding_box(corners) for corners in outlines]
    found: list[tuple[Piece, Piece | None, float]] = []
    for k, piece in enumerate(pieces):
        if not isinstance(piece, Platform) and GROUND_Y - boxes[k].bottom > slop:
            found.append((piece, None, GROUND_Y - boxes[k].bottom))
    for i, j in combinations(range(len(pieces)), 2):
        if (isinstance(pieces[i], Platform) and isinstance(pieces[j], Platform)) or _apart(boxes[i], boxes[j]):
            continue
        depth = overlap_depth(outlines[i], outlines[j])
        if depth > slop:
            found.append((pieces[i], pieces[j], depth))
    return found


def _apart(a: Box, b: Box) -> bool:
    return a.right < b.left or b.right < a.left or a.top < b.bottom or b.top < a.bottom
