"""Game objects as they are seen, at the start of a level or at any later moment."""

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
class GameObject:
    """One object: what it is, its position, its rotation in degrees, and the share of its life that is left.

    `name` is the size of a pig, the shape of a block or the colour of a bird; `size` is that of a platform.
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
    """The object's number, which stays the same during an episode."""

    @property
    def shape(self) -> Shape:
        """The collider."""
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
        """The outline [n, 2] in world units."""
        return placed(shape_corners(self.shape), self.x, self.y, self.rotation)


def objects_of(level: Level) -> tuple[GameObject, ...]:
    """All objects at the start of a level: its pieces in their order, then the birds."""
    pieces = [replace(_unplaced(piece), x=piece.x, y=piece.y, rotation=piece.rotation) for piece in level.pieces]
    return tuple(replace(one, number=k) for k, one in enumerate((*pieces, *_birds(level))))


def moved(objects: Sequence[GameObject], poses: np.ndarray, lives: np.ndarray | None = None) -> tuple[GameObject, ...]:
    """Objects moved to poses [objects, (x, y, radians)], without those that are absent (NaN)."""
    shares = np.ones(len(objects)) if lives is None else lives
    return tuple(
        replace(one, x=float(x), y=float(y), rotation=math.degrees(angle), life=float(life))
        for one, (x, y, angle), life in zip(objects, poses, shares, strict=True)
        if math.isfinite(x + y + angle)
    )


def poses_of(objects: Sequence[GameObject]) -> np.ndarray:
    """The poses of objects: float [objects, (x, y, radians)]."""
    return np.array([(one.x, one.y, math.radians(one.rotation)) for one in objects]).reshape(-1, 3)


def _unplaced(piece: Piece) -> GameObject:
    if isinstance(piece, Pig):
        return GameObject("pig", piece.size)
    if isinstance(piece, Block):
        return GameObject("block", piece.shape, piece.material)
    return GameObject("platform", size=piece.size) if isinstance(piece, Platform) else GameObject("tnt")


def _birds(level: Level) -> list[GameObject]:
    """The first bird is on the slingshot; the others wait on the ground left of it."""
    birds = []
    for k, colour in enumerate(level.birds):
        x, y = level.rest_point
        left, bottom, right, _ = shape_box(BIRDS[colour].piece.shape)
        if k:
            x, y = level.slingshot[0] - k * WAITING_BIRD_GAP * (right - left), GROUND_Y - bottom
        birds.append(GameObject("bird", colour, x=x, y=y))
    return birds
