"""A level as a scene of the engine, and as tables that the rule reads."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tumble.phyq.simulation.game import layout
from tumble.phyq.simulation.materials import MaterialFactors
from tumble.phyq.tasks import pieces
from tumble.phyq.tasks.constants import GRAVITY, GROUND_Y, HALF_WIDTH
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.pieces import BIRDS, BLOCKS, EGG, FIXED_FRICTION, PIGS, TNT, Piece, shape_area
from tumble.scene import Body, Circle, Polygon, Scene, Shape, Vec, box

GROUND = Body((box(34.98, 4.4),), position=(-0.005, GROUND_Y - 2.2), friction=FIXED_FRICTION, role="ground")
"""The ground, which ends within 0.015 of the sides of the world."""
PIECE_LAYER, BIRD_LAYER = 1, 2
"""Collision layers: birds and eggs do not collide with each other."""
CORNER_DECIMALS = 6
"""Corners are rounded to this, because the last bits of a sine differ between machines."""


@dataclass(frozen=True)
class Member:
    """A body of a level's world."""

    role: str
    """ground, platform, block, pig, tnt, bird, split_bird or egg."""
    number: int
    """Index of its piece in the level; of its bird, for split birds and eggs."""
    kind: int
    type: int = 0
    link: int = 0
    colliders: int = 1
    life: float = math.inf
    defence: float = 0.0


@dataclass(frozen=True)
class LevelWorld:
    """The bodies of a level: ground, platforms, blocks, pigs, TNT, birds, then split birds and eggs."""

    level: Level
    members: tuple[Member, ...]
    scene: Scene

    @property
    def first_bird(self) -> int:
        """The index of the first bird's body."""
        return len(self.members) - sum(member.kind >= layout.BIRD for member in self.members)

    @cached_property
    def dynamic(self) -> np.ndarray:
        """int [n]: the dynamic bodies."""
        return np.array([k for k, body in enumerate(self.scene.bodies) if body.dynamic])

    def of_role(self, role: str) -> np.ndarray:
        """int [n]: the bodies of a role, in the order of the level."""
        return np.array([k for k, member in enumerate(self.members) if member.role == role], int)

    def table_ints(self) -> list[int]:
        """The integers of the rule's table."""
        rows = [(member.kind, member.type, member.link, member.colliders) for member in self.members]
        return [len(self.level.birds), self.first_bird, *(number for row in rows for number in row)]

    def table_floats(self) -> list[float]:
        """The floats of the rule's table."""
        return [*self.level.rest_point, *(n for member in self.members for n in (member.life, member.defence))]


def shared_floats() -> list[float]:
    """The floats that all levels share: the damage factor of each bird for each material."""
    return [BIRDS[bird].damage_factors[name] for bird in pieces.BIRD_COLOURS for name in pieces.MATERIAL_NAMES]


@lru_cache(maxsize=4096)
def world_of(level: Level, materials: MaterialFactors | None = None) -> LevelWorld:
    """The world of a level, in the game or with other materials."""
    members, bodies = zip(*_bodies(level), strict=True)
    if materials is not None:
        bodies = tuple(
            materials.changed(body, member.role, member.kind, member.type)
            for member, body in zip(members, bodies, strict=True)
        )
    scene = Scene(bodies, width=2.0 * HALF_WIDTH, height=2.0 * HALF_WIDTH, gravity=(0.0, -GRAVITY))
    return LevelWorld(level, members, scene)


def _bodies(level: Level) -> Iterator[tuple[Member, Body]]:
    yield Member("ground", 0, layout.FIXED), GROUND
    for k, platform in enumerate(level.platforms):
        shape = platform.outline
        angle = math.radians(platform.rotation)
        body = Body((shape,), (platform.x, platform.y), angle, friction=FIXED_FRICTION, role="platform")
        yield Member("platform", k, layout.FIXED), body
    for k, block in enumerate(level.blocks):
        piece = BLOCKS[block.shape, block.material]
        member = _member("block", k, layout.BLOCK, piece, layout.MATERIAL_INDEX[block.material])
        yield member, _placed(piece, "block", (block.x, block.y), block.rotation)
    for k, pig in enumerate(level.pigs):
        piece = PIGS[pig.size]
        yield _member("pig", k, layout.PIG, piece), _placed(piece, "pig", (pig.x, pig.y), pig.rotation)
    for k, tnt in enumerate(level.tnts):
        yield _member("tnt", k, layout.TNT, TNT), _placed(TNT, "tnt", (tnt.x, tnt.y), tnt.rotation)
    yield from _birds(level)


def _birds(level: Level) -> Iterator[tuple[Member, Body]]:
    """Birds in their order, then split birds and eggs; all are dormant until they are released or spawned."""
    first = 1 + len(level.platforms) + len(level.blocks) + len(level.pigs) + len(level.tnts)
    link = first + len(level.birds)
    spawned: list[tuple[Member, Body]] = []
    for k, colour in enumerate(level.birds):
        piece, kind = BIRDS[colour].piece, layout.BIRD_INDEX[colour]
        body = _placed(piece, "bird", level.rest_point, 0.0, dormant=True)
        split_bird = Member("split_bird", k, layout.SPLIT_BIRD, kind, colliders=piece.colliders)
        own = [(split_bird, body) for _ in BIRDS[colour].fan_headings]
        if BIRDS[colour].lift_impulse:
            egg = _placed(EGG, "egg", level.rest_point, 0.0, dormant=True)
            own.append((Member("egg", k, layout.EGG, kind), egg))
        yield Member("bird", k, layout.BIRD, kind, link + len(spawned) if own else 0, piece.colliders), body
        spawned += own
    yield from spawned


def _member(role: str, number: int, kind: int, piece: Piece, type_: int = 0) -> Member:
    return Member(role, number, kind, type_, 0, piece.colliders, piece.life, piece.defence)


def _placed(piece: Piece, role: str, position: Vec, degrees: float, dormant: bool = False) -> Body:
    shape = _rounded(piece.shape)
    flies = role in ("bird", "egg")
    return Body(
        (shape,),
        position,
        math.radians(degrees),
        dynamic=True,
        role=role,
        density=piece.mass / shape_area(shape),
        friction=piece.friction,
        restitution=piece.restitution,
        gravity_scale=piece.gravity_scale,
        angular_damping=piece.angular_damping,
        bullet=piece.continuous,
        layer=BIRD_LAYER if flies else PIECE_LAYER,
        mask=PIECE_LAYER if flies else PIECE_LAYER | BIRD_LAYER,
        dormant=dormant,
    )


@lru_cache(maxsize=256)
def _rounded(shape: Shape) -> Shape:
    if isinstance(shape, Circle):
        return shape
    return Polygon(tuple((round(x, CORNER_DECIMALS), round(y, CORNER_DECIMALS)) for x, y in shape.vertices))
