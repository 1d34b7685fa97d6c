"""Game objects as they are seen, at the start of a level or at any later moment, and how they are drawn.

An object is drawn as layers of convex shapes in flat colours, from back to front.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from tumble.phyq.catalogue.level import Block, Level, Piece, Pig, Platform, placed_corners, shape_corners
from tumble.phyq.catalogue.physics import BIRDS, BLOCKS, EGG, GROUND_Y, PIGS, TNT, WAITING_BIRD_GAP, shape_box
from tumble.scene import Circle, Shape, Vec, box

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
        return placed_corners(shape_corners(self.shape), self.x, self.y, self.rotation)


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


OUTLINE_WIDTH = 0.045
"""Width of an outline in world units."""

COLOURS: dict[str, tuple[int, int, int]] = {
    "wood": (224, 164, 90),
    "wood dark": (146, 94, 44),
    "wood grain": (194, 134, 70),
    "ice": (126, 212, 244),
    "ice dark": (24, 112, 176),
    "ice grain": (222, 246, 255),
    "stone": (166, 167, 174),
    "stone dark": (92, 95, 105),
    "stone grain": (140, 143, 152),
    "platform": (84, 62, 50),
    "platform dark": (46, 33, 27),
    "pig": (106, 206, 60),
    "pig dark": (30, 96, 26),
    "pig snout": (176, 232, 122),
    "red": (222, 52, 48),
    "red dark": (128, 18, 24),
    "yellow": (252, 210, 40),
    "yellow dark": (168, 118, 0),
    "blue": (80, 158, 242),
    "blue dark": (22, 72, 140),
    "white": (250, 250, 246),
    "white dark": (128, 128, 128),
    "black": (66, 66, 74),
    "black dark": (16, 16, 20),
    "beak": (248, 160, 32),
    "paper": (255, 255, 255),
    "ink": (24, 20, 20),
    "tnt": (236, 196, 92),
    "tnt dark": (150, 30, 24),
    "egg": (252, 244, 222),
    "egg dark": (170, 150, 110),
    "sling": (120, 72, 34),
    "sling light": (166, 108, 58),
    "rubber": (52, 24, 16),
    "grass": (106, 178, 74),
    "grass dark": (78, 144, 56),
    "earth": (164, 128, 94),
    "earth dark": (156, 120, 87),
    "hill": (203, 217, 229),
    "cloud": (250, 253, 255),
}
COLOUR_INDEX = {name: index for index, name in enumerate(COLOURS)}


class Layer(NamedTuple):
    """A convex polygon with corners [n, 2], or a circle about one point [1, 2]."""

    points: np.ndarray
    radius: float
    colour: str


def layers(obj: GameObject) -> list[Layer]:
    """The layers of an object in local coordinates."""
    draw = {"pig": _pig, "block": _block, "tnt": _tnt, "platform": _platform, "bird": _bird, "egg": _egg}[obj.kind]
    return list(draw(obj))


def disc(x: float, y: float, radius: float, colour: str) -> Layer:
    """A circle."""
    return Layer(np.array([[x, y]]), radius, colour)


def rectangle(left: float, bottom: float, right: float, top: float, colour: str) -> Layer:
    """A rectangle."""
    return Layer(np.array([[left, bottom], [right, bottom], [right, top], [left, top]]), 0.0, colour)


def polygon(points: np.ndarray | list[Vec], colour: str) -> Layer:
    """A convex polygon."""
    return Layer(np.asarray(points, float), 0.0, colour)


def _filled(corners: np.ndarray, fill: str) -> Iterator[Layer]:
    """A convex polygon with a dark outline."""
    yield polygon(corners, f"{fill} dark")
    middle = corners.mean(axis=0)
    half = np.abs(corners - middle).max(axis=0)
    yield polygon(middle + (corners - middle) * np.maximum(1.0 - OUTLINE_WIDTH / half, 0.3), fill)


def _platform(obj: GameObject) -> Iterator[Layer]:
    yield from _filled(shape_corners(box(*obj.size)), "platform")


def _block(obj: GameObject) -> Iterator[Layer]:
    piece, grain = BLOCKS[obj.name, obj.material], f"{obj.material} grain"
    corners = shape_corners(piece.shape)
    yield from _filled(corners, obj.material)
    for hole in piece.holes:
        yield polygon(list(hole), f"{obj.material} dark")
    width, height = piece.size
    if piece.holes or obj.name == "triangle":
        return
    if obj.name.startswith("circle"):
        radius = width / 2.0
        if obj.material == "wood":
            yield disc(0.0, 0.0, 0.55 * radius, grain)
            yield disc(0.0, 0.0, 0.35 * radius, "wood")
        elif obj.material == "ice":
            yield disc(-0.25 * radius, 0.3 * radius, 0.3 * radius, grain)
        else:
            yield disc(-0.3 * radius, -0.1 * radius, 0.2 * radius, grain)
            yield disc(0.3 * radius, 0.3 * radius, 0.16 * radius, grain)
        return
    inner = width / 2.0 - 2.0 * OUTLINE_WIDTH
    if obj.material == "wood":
        yield rectangle(-0.9 * inner, -0.015, 0.7 * inner, 0.025, grain)
    elif obj.material == "ice":
        top = height / 2.0 - 1.4 * OUTLINE_WIDTH
        yield polygon([(-0.8 * inner, top - 0.05), (-0.1 * inner, top - 0.05), (0.0, top), (-0.7 * inner, top)], grain)
    else:
        for share in (-0.6, 0.0, 0.6):
            yield rectangle(share * inner - 0.03, -0.03, share * inner + 0.03, 0.03, grain)


def _tnt(obj: GameObject) -> Iterator[Layer]:
    yield from _filled(shape_corners(obj.shape), "tnt")
    yield rectangle(-0.32, -0.12, 0.32, 0.12, "tnt dark")
    for x in (-0.18, 0.0, 0.18):
        yield rectangle(x - 0.05, -0.06, x + 0.05, 0.06, "paper")


def _egg(obj: GameObject) -> Iterator[Layer]:
    yield from _filled(shape_corners(obj.shape), "egg")


def _pig(obj: GameObject) -> Iterator[Layer]:
    piece = PIGS[obj.name]
    r = piece.size[0] / 2.0
    for side in (-1.0, 1.0):
        yield disc(0.6 * side * r, 0.78 * r, 0.27 * r, "pig dark")
        yield disc(0.6 * side * r, 0.76 * r, 0.14 * r, "pig snout")
    yield from _filled(shape_corners(piece.shape), "pig")
    for side in (-1.0, 1.0):
        yield disc(0.48 * side * r, 0.34 * r, 0.24 * r, "paper")
        yield disc(0.52 * side * r, 0.34 * r, 0.11 * r, "ink")
    yield polygon(shape_corners(Circle(1.0)) * (0.42 * r, 0.3 * r) + (0.0, -0.12 * r), "pig dark")
    yield polygon(shape_corners(Circle(1.0)) * (0.36 * r, 0.24 * r) + (0.0, -0.12 * r), "pig snout")
    for side in (-1.0, 1.0):
        yield disc(0.16 * side * r, -0.12 * r, 0.08 * r, "pig dark")


def _bird(obj: GameObject) -> Iterator[Layer]:
    circle = BIRDS[obj.name].circle
    (x, y), r = circle.centre, circle.radius
    dark = f"{obj.name} dark"
    tail = np.array([(-0.85, -0.25), (-0.7, 0.15), (-1.35, 0.4), (-1.4, 0.0)])
    yield polygon(tail * r + (x, y), dark)
    if obj.name == "yellow":
        yield polygon(np.array([(-1.05, -0.85), (1.05, -0.85), (0.1, 1.15)]) * r + (x, y), dark)
        yield polygon(np.array([(-0.8, -0.7), (0.8, -0.7), (0.08, 0.8)]) * r + (x, y), "yellow")
    else:
        yield disc(x, y, r, dark)
        yield disc(x, y, r - OUTLINE_WIDTH, obj.name)
    if obj.name == "red":
        yield disc(x + 0.1 * r, y - 0.5 * r, 0.35 * r, "egg")
    if obj.name == "black":
        yield disc(x, y + 0.95 * r, 0.2 * r, "beak")
    yield polygon(np.array([(0.35, -0.4), (1.25, -0.1), (0.35, 0.15)]) * r + (x, y), "beak")
    yield disc(x + 0.35 * r, y + 0.3 * r, 0.32 * r, "paper")
    yield disc(x + 0.45 * r, y + 0.3 * r, 0.15 * r, "ink")
    if obj.name in ("red", "black"):
        yield polygon(np.array([(-0.15, 0.75), (0.85, 0.42), (0.9, 0.58), (-0.1, 0.95)]) * r + (x, y), "ink")
