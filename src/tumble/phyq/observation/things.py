"""What there is to see in a level, at its start or at any later moment."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tumble.phyq.tasks.constants import GROUND_Y, WAITING_BIRD_GAP
from tumble.phyq.tasks.level import Block, Level, Piece, Pig, Platform
from tumble.phyq.tasks.outlines import placed, shape_corners
from tumble.phyq.tasks.pieces import BIRDS, BLOCKS, EGG, PIGS, TNT, shape_box
from tumble.scene import Shape, Vec, box

Kind = Literal["pig", "block", "tnt", "platform", "bird", "egg"]


@dataclass(frozen=True)
class Thing:
    """One thing: what it is, where, how it is turned (degrees), and the share of its life that is left.

    `name` is the size of a pig, the shape of a block or the colour of a bird; `size` that of a platform.
    """

    kind: Kind
    name: str = ""
    material: str = ""
    x: float = 0.0
    y: float = 0.0
    rotation: float = 0.0
    life: float = 1.0
    size: Vec = (0.0, 0.0)
    number: int = 0
    """Among all that there ever is in a level; it stays with the thing."""

    @property
    def shape(self) -> Shape:
        """Its collider."""
        if self.kind == "platform":
            return box(*self.size)
        if self.kind == "block":
            return BLOCKS[self.name, self.material].shape
        if self.kind == "pig":
            return PIGS[self.name].shape
        if self.kind == "bird":
            return BIRDS[self.name].piece.shape
        return EGG.shape if self.kind == "egg" else TNT.shape

    @property
    def corners(self) -> np.ndarray:
        """Its outline [n, 2] in the world."""
        return placed(shape_corners(self.shape), self.x, self.y, self.rotation)


def things(level: Level) -> tuple[Thing, ...]:
    """Everything at the start of a level: its pieces in their order, then the birds."""
    found = [replace(_unplaced(piece), x=piece.x, y=piece.y, rotation=piece.rotation) for piece in level.pieces]
    return tuple(replace(thing, number=k) for k, thing in enumerate((*found, *_birds(level))))


def moved(start: Sequence[Thing], poses: np.ndarray, lives: np.ndarray | None = None) -> tuple[Thing, ...]:
    """Things where poses [things, 3] (x, y, radians) put them, without those that have none (NaN)."""
    shares = np.ones(len(start)) if lives is None else lives
    return tuple(
        replace(thing, x=float(x), y=float(y), rotation=math.degrees(turn), life=float(life))
        for thing, (x, y, turn), life in zip(start, poses, shares, strict=True)
        if math.isfinite(x + y + turn)
    )


def poses_of(start: Sequence[Thing]) -> np.ndarray:
    """Where things are: [things, 3], x, y and radians."""
    return np.array([(thing.x, thing.y, math.radians(thing.rotation)) for thing in start]).reshape(-1, 3)


def _unplaced(piece: Piece) -> Thing:
    if isinstance(piece, Pig):
        return Thing("pig", piece.size)
    if isinstance(piece, Block):
        return Thing("block", piece.shape, piece.material)
    return Thing("platform", size=piece.size) if isinstance(piece, Platform) else Thing("tnt")


def _birds(level: Level) -> list[Thing]:
    """The first bird on the sling; the others wait on the ground on its left."""
    found = []
    for k, colour in enumerate(level.birds):
        x, y = level.rest_point
        left, bottom, right, _ = shape_box(BIRDS[colour].piece.shape)
        if k:
            x, y = level.slingshot[0] - k * WAITING_BIRD_GAP * (right - left), GROUND_Y - bottom
        found.append(Thing("bird", colour, x=x, y=y))
    return found
