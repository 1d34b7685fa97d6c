"""Constants of the world, and physical properties of birds, pigs, blocks and TNT.

World units (the original's metres), seconds and degrees; x to the right, y up, the origin in the middle of the level.
First how the world is: its bounds, time step and gravity, the launch, and how shots and levels end. Then the pieces:
colliders, masses, materials, lives and powers. Colliders are in local coordinates, whose origin is the point that a
level places. A collider is the outer outline: holes are closed all round, so nothing can get into them, and are kept
for drawing only. Round blocks and pigs have a flat base, which keeps them in place until something hits them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tumble.scene import Circle, Polygon, Shape, Vec, box

HALF_WIDTH = 17.5
"""The world extends from -HALF_WIDTH to HALF_WIDTH in x and has no limit in y."""
GROUND_Y = -3.5
SLINGSHOT = (-12.0, -2.5)
"""The slingshot's position, unless a level has another."""
REST_OFFSET = (-0.15, 0.8)
"""From the slingshot to the bird that rests on it."""

STEP = 0.02
GRAVITY = 9.81
GRAVITY_SCALE = 0.48
"""The factor on gravity for birds, pigs and blocks; for the egg and TNT it is 1."""
FALL = GRAVITY * GRAVITY_SCALE
"""Acceleration of falling birds, pigs and blocks: 4.7088 units/s²."""

STRETCH_LIMIT = 1.0
"""The longest pull from the rest point."""
LAUNCH_SPEED = 10.0
"""Launch speed per unit of stretch; the bird starts from where it was pulled to."""
TAP_CLEARANCE = 2.0
"""A tap works once the bird's right edge is this far right of the rest point."""

IMMORTAL_TIME = 2.0
"""After loading, nothing takes damage for this long."""
BIRD_FIRST_CHECK = 3.0
"""A bird is removed no earlier than this after its first contact …"""
BIRD_CHECK_PERIOD = 1.0
"""… then its speed is checked with this period, and it is removed once it is slower than BIRD_REST_SPEED."""
BIRD_REST_SPEED = 0.001
BIRD_LIFE_TIME = 20.0
"""A bird is removed this long after its release at the latest."""
VERDICT_PERIOD = 1.0
"""After the last pig or the last bird, the level is checked with this period until everything rests."""
WAITING_BIRD_GAP = 1.75
"""Distance between waiting birds, left of the slingshot, in multiples of their width."""

DEAD_TIME = 0.04
"""A piece whose life has ended is removed this much later; until then it still pushes what it touches."""
DAMAGE_PER_MOMENTUM = 11.22
"""Damage per unit of relative speed times the attacker's mass when a bird hits a block …"""
OTHER_DAMAGE_SHARE = 0.5
"""… and the share of it in every other contact."""


BIRD_COLOURS = ("red", "yellow", "blue", "white", "black")
PIG_SIZES = ("small", "medium", "big")
MATERIAL_NAMES = ("wood", "ice", "stone")


@dataclass(frozen=True)
class Material:
    """The material of a block; `defence` is subtracted from the damage of every hit."""

    friction: float
    restitution: float
    density: float
    defence: float


MATERIALS: Mapping[str, Material] = {
    "wood": Material(friction=4.0, restitution=0.0, density=1.5, defence=2.5),
    "ice": Material(friction=0.7, restitution=0.2, density=0.75, defence=2.0),
    "stone": Material(friction=4.0, restitution=0.1, density=4.0, defence=15.0),
}


@dataclass(frozen=True)
class Piece:
    """Properties of a dynamic body: collider, mass, surface and life."""

    shape: Shape
    mass: float
    friction: float
    restitution: float
    life: float = math.inf
    defence: float = 0.0
    gravity_scale: float = GRAVITY_SCALE
    angular_damping: float = 2.0
    continuous: bool = False
    """Whether collisions with other dynamic bodies are continuous too (a bullet)."""
    holes: tuple[tuple[Vec, ...], ...] = ()
    """Outlines of holes, for drawing."""
    colliders: int = 1
    """Number of colliders in the original: a hit counts once for each, on both sides."""

    @property
    def density(self) -> float:
        """The collider's density."""
        return self.mass / shape_area(self.shape)

    @property
    def size(self) -> Vec:
        """Width and height of the collider."""
        left, bottom, right, top = shape_box(self.shape)
        return right - left, top - bottom


@dataclass(frozen=True)
class Explosion:
    """Damage and impulse at the centre; both fall linearly to zero at `radius`. Birds are not affected."""

    radius: float
    impulse: float
    damage: float


@dataclass(frozen=True)
class Bird:
    """A bird: its body, its damage factor for each material, and what a tap does."""

    piece: Piece
    circle: Circle
    """The circle that flight planners and pictures take the bird for; the outline of `piece` is close to it."""
    damage_factors: Mapping[str, float]
    boost_impulse: float = 0.0
    """Impulse along the velocity."""
    fan_headings: tuple[float, ...] = ()
    """The bird splits into one bird for each of these, of the same speed, turned by the degrees counter-clockwise."""
    lift_impulse: float = 0.0
    """Impulse upwards; an egg is dropped with EGG_VELOCITY."""
    explosion: Explosion | None = None
    """At the tap, or FUSE_TIME after the first contact."""


def shape_area(shape: Shape) -> float:
    """The area of a circle or polygon."""
    if isinstance(shape, Circle):
        return math.pi * shape.radius**2
    corners = shape.vertices
    following = corners[1:] + corners[:1]
    return sum(ax * by - ay * bx for (ax, ay), (bx, by) in zip(corners, following, strict=True)) / 2.0


def shape_box(shape: Shape) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a shape in local coordinates."""
    if isinstance(shape, Circle):
        (x, y), r = shape.centre, shape.radius
        return x - r, y - r, x + r, y + r
    xs, ys = zip(*shape.vertices, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


FLAT_BASE = 0.47
"""Half the base of pigs and birds, as a share of its depth below the centre; as wide as that of the round blocks."""


def _flat_based(base: float, left: float, right: float, area: float) -> Polygon:
    """A round polygon of 16 vertices that stands on the edge from `left` to `right` at height `base`."""
    low, high = 0.5 * abs(base), abs(base)
    while high - low > 1e-9:
        radius = (low + high) / 2.0
        low, high = (radius, high) if shape_area(_round(base, left, right, radius)) < area else (low, radius)
    return _round(base, left, right, (low + high) / 2.0)


def _round(base: float, left: float, right: float, radius: float) -> Polygon:
    """The base's corners, and 14 points of the circle between the tangents from those corners."""
    first = math.atan2(base, right) + math.acos(min(1.0, radius / math.hypot(right, base)))
    last = math.atan2(base, left) + 2.0 * math.pi - math.acos(min(1.0, radius / math.hypot(left, base)))
    turns = [first + (last - first) * k / 13.0 for k in range(14)]
    rim = tuple((radius * math.cos(turn), radius * math.sin(turn)) for turn in turns)
    return Polygon(((left, base), (right, base), *rim))


@dataclass(frozen=True)
class _BlockKind:
    shape: Shape
    life: Mapping[str, float]
    area: float
    """Area that is multiplied by the material's density."""
    ballast: float = 0.0
    """Mass that does not depend on the material."""
    holes: tuple[tuple[Vec, ...], ...] = ()
    colliders: int = 1

    def piece(self, material: Material, life: float) -> Piece:
        mass = self.area * material.density + self.ballast
        friction, restitution = material.friction, material.restitution
        return Piece(
            self.shape,
            mass,
            friction,
            restitution,
            life,
            material.defence,
            holes=self.holes,
            colliders=self.colliders,
        )


def _life(wood: float, stone: float, ice: float) -> dict[str, float]:
    return {"wood": wood, "ice": ice, "stone": stone}


def _rectangle(width: float, height: float, life: dict[str, float]) -> _BlockKind:
    return _BlockKind(box(width, height), life, width * height)


# The density of round blocks never takes effect in the original's designer project: theirs stays 1.
_CIRCLE = _flat_based(base=-0.375, left=-0.18, right=0.16, area=0.4277)
_CIRCLE_SMALL = _flat_based(base=-0.21, left=-0.11, right=0.10, area=0.1296)
# A filled square and a frame around it; the density acts on the square only, the frame's stays 1.
_SQUARE_HOLE = box(0.776, 0.773)
_SQUARE_HOLE_HOLES = (((-0.22, -0.215), (0.22, -0.215), (0.22, 0.215), (-0.22, 0.215)),)
_TRIANGLE = Polygon(((-0.375, -0.375), (0.375, -0.375), (-0.375, 0.375)))
_TRIANGLE_HOLE = Polygon(((-0.386, -0.382), (0.400, -0.384), (0.0, 0.397)))
_TRIANGLE_HOLE_HOLES = (((-0.132, -0.195), (0.155, -0.197), (0.0, 0.085)),)

_BLOCK_KINDS = {
    "circle": _BlockKind(_CIRCLE, _life(200, 600, 125), 0.0, 0.4277),
    "circle_small": _BlockKind(_CIRCLE_SMALL, _life(150, 300, 100), 0.0, 0.1296),
    "rect_big": _rectangle(1.886, 0.184, _life(100, 140, 65)),
    "rect_medium": _rectangle(1.5456, 0.184, _life(70, 120, 47)),
    "rect_small": _rectangle(0.7636, 0.184, _life(50, 80, 33)),
    "rect_tiny": _rectangle(0.3772, 0.184, _life(40, 60, 26)),
    "rect_fat": _rectangle(0.7636, 0.3772, _life(80, 140, 53)),
    "square_hole": _BlockKind(_SQUARE_HOLE, _life(120, 160, 70), 0.7636**2, 0.4045, _SQUARE_HOLE_HOLES, 2),
    "square_small": _rectangle(0.3772, 0.3772, _life(60, 100, 40)),
    "square_tiny": _rectangle(0.184, 0.184, _life(20, 30, 13)),
    "triangle": _BlockKind(_TRIANGLE, _life(80, 140, 53), 0.28125),
    "triangle_hole": _BlockKind(_TRIANGLE_HOLE, _life(70, 140, 48), 0.2695, 0.0, _TRIANGLE_HOLE_HOLES),
}

BLOCK_SHAPES = tuple(_BLOCK_KINDS)

BLOCKS: Mapping[tuple[str, str], Piece] = {
    (shape, name): kind.piece(material, kind.life[name])
    for shape, kind in _BLOCK_KINDS.items()
    for name, material in MATERIALS.items()
}
"""Every block by its shape and material."""


def _pig(base: float, area: float, life: float) -> Piece:
    half = FLAT_BASE * abs(base)
    shape = _flat_based(base, -half, half, area)
    return Piece(shape, area, friction=0.7, restitution=0.05, life=life, defence=1.0, continuous=True)


PIGS: Mapping[str, Piece] = {
    "small": _pig(base=-0.2227, area=0.1508, life=1.0),
    "medium": _pig(base=-0.38, area=0.4307, life=15.0),
    "big": _pig(base=-0.4786, area=0.7019, life=80.0),
}
"""Every pig by its size; like round blocks they have density 1."""


BIRD_BASE = 1.02
"""Depth of a bird's flat base below its centre, in radii of its circle."""


def _bird(
    radius: float,
    centre: Vec,
    density: float,
    friction: float,
    restitution: float,
    factors: tuple[float, float, float],
    **power: Any,
) -> Bird:
    """A bird of two colliders, a circle and an outline of the same area; the density acts on the circle only."""
    circle = Circle(radius, centre)
    area, base = shape_area(circle), BIRD_BASE * radius
    outline = _flat_based(-base, -FLAT_BASE * base, FLAT_BASE * base, area)
    shape = Polygon(tuple((x + centre[0], y + centre[1]) for x, y in outline.vertices))
    piece = Piece(shape, (density + 1.0) * area, friction, restitution, continuous=True, colliders=2)
    wood, stone, ice = factors
    return Bird(piece, circle, {"wood": wood, "ice": ice, "stone": stone}, **power)


BIRDS: Mapping[str, Bird] = {
    "red": _bird(0.17, (0.05, -0.03), 6.0, 0.3, 0.43, (1.0, 1.0, 1.0)),
    "yellow": _bird(0.16, (0.03, -0.06), 6.0, 0.4, 0.16, (2.4, 1.0, 1.2), boost_impulse=4.0),
    "blue": _bird(0.18, (0.03, -0.015), 4.5, 0.3, 0.25, (1.0, 1.0, 4.0), fan_headings=(15.0, 5.0, -5.0)),
    "white": _bird(0.26, (0.09, -0.16), 4.0, 0.3, 0.23, (0.8, 1.0, 0.8), lift_impulse=10.0),
    "black": _bird(0.20, (0.03, -0.15), 6.0, 0.3, 0.03, (1.0, 2.5, 1.0), explosion=Explosion(3.0, 4.0, 20.0)),
}
"""Every bird by its colour. The last argument in brackets holds the damage factors of wood, stone and ice."""

FUSE_TIME = 0.6
"""Seconds from a black bird's first contact to its explosion."""

_EGG_OUTLINE = Polygon(
    tuple((0.225 * math.cos(0.2 * math.pi * k), 0.29 * math.sin(0.2 * math.pi * k)) for k in range(10))
)
EGG = Piece(_EGG_OUTLINE, 1.0, 0.4, 0.0, gravity_scale=1.0, angular_damping=0.05, continuous=True)
"""It explodes at its first contact; birds pass through it."""
EGG_VELOCITY = (0.0, -6.0)
EGG_EXPLOSION = Explosion(2.0, 2.0, 200.0)

TNT = Piece(box(0.64, 0.64), 0.41, 0.4, 0.0, life=3.0, gravity_scale=1.0, angular_damping=0.05)
TNT_EXPLOSION = Explosion(2.5, 4.0, 100.0)

PLATFORM_SIDE = 0.64
"""A platform of scale 1 is a square of this side."""
FIXED_FRICTION = 0.4
"""Friction of platforms and ground; their restitution is 0."""

PIG_SCORE, BLOCK_SCORE, UNUSED_BIRD_SCORE = 5000, 500, 10000
"""Points of the game, which Phy-Q does not use."""
