"""A level as a scene of the engine, and as tables that the rule reads; also with wrong materials.

With `MaterialFactors` bodies have other friction, restitution and density: what a wrong model predicts.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from tumble.draws import Draws
from tumble.errors import TumbleError
from tumble.phyq.catalogue import physics
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.physics import (
    BIRD_COLOURS,
    BIRDS,
    BLOCKS,
    EGG,
    FIXED_FRICTION,
    GRAVITY,
    GROUND_Y,
    HALF_WIDTH,
    MATERIAL_NAMES,
    PIGS,
    TNT,
    Piece,
    shape_area,
)
from tumble.phyq.simulation import game_layout
from tumble.phyq.simulation.game_layout import FIXED
from tumble.scene import Body, Circle, Polygon, Scene, Shape, Vec, box

MATERIAL_KINDS = ("fixed", *MATERIAL_NAMES, "pig", "tnt", *BIRD_COLOURS, "egg")
"""Bodies that have their own constants: ground and platforms, blocks by material, pigs, TNT, birds by colour, eggs."""
MATERIAL_PROPERTIES = ("friction", "restitution", "density")
HIGHEST_RESTITUTION = 1.0


class MaterialsError(TumbleError):
    """Factors that make no possible world."""


@dataclass(frozen=True)
class MaterialFactors:
    """Factors on the friction, restitution and density of each of MATERIAL_KINDS; all are 1 in the game.

    A restitution of 0 stays 0. Flights do not depend on any of them, but for the boost and lift of taps.
    """

    factors: tuple[tuple[float, float, float], ...] = ((1.0, 1.0, 1.0),) * len(MATERIAL_KINDS)

    def __post_init__(self) -> None:
        if len(self.factors) != len(MATERIAL_KINDS) or any(
            len(own) != len(MATERIAL_PROPERTIES) for own in self.factors
        ):
            raise MaterialsError(
                f"give {len(MATERIAL_PROPERTIES)} factors for each of {len(MATERIAL_KINDS)} kinds of body"
            )
        if not all(0.0 < factor < 100.0 for own in self.factors for factor in own):
            raise MaterialsError("factors must be numbers above 0 and below 100")

    def changed(self, body: Body, role: str, kind: int, type_: int) -> Body:
        """The body of a level with its friction, restitution and density multiplied; arguments as of `Member`."""
        friction, restitution, density = self.factors[MATERIAL_KINDS.index(_material_kind(role, kind, type_))]
        return replace(
            body,
            friction=body.friction * friction,
            restitution=min(HIGHEST_RESTITUTION, body.restitution * restitution),
            density=body.density * density,
        )


def _material_kind(role: str, kind: int, type_: int) -> str:
    """The one of MATERIAL_KINDS that a body of a level is."""
    if kind == FIXED:
        return "fixed"
    names: dict[str, Sequence[str]] = {"block": MATERIAL_NAMES, "bird": BIRD_COLOURS, "split_bird": BIRD_COLOURS}
    return names[role][type_] if role in names else role


def wrong_materials(noise: float, seed: str) -> MaterialFactors:
    """Factors of 1 + noise or 1 - noise, at random for each kind of body and each property.

    >>> wrong_materials(0.2, "a").factors[0]
    (0.8, 1.2, 1.2)
    """
    if not 0.0 <= noise < 1.0:
        raise MaterialsError(f"noise must be a number from 0 to below 1, not {noise!r}")
    draws = Draws(f"materials/{seed}")
    drawn = [tuple(draws.one_of((1.0 - noise, 1.0 + noise)) for _ in MATERIAL_PROPERTIES) for _ in MATERIAL_KINDS]
    return MaterialFactors(tuple((friction, restitution, density) for friction, restitution, density in drawn))


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
        return len(self.members) - sum(member.kind >= game_layout.BIRD for member in self.members)

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
    return [BIRDS[bird].damage_factors[name] for bird in physics.BIRD_COLOURS for name in physics.MATERIAL_NAMES]


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
    yield Member("ground", 0, game_layout.FIXED), GROUND
    for k, platform in enumerate(level.platforms):
        shape = platform.outline
        angle = math.radians(platform.rotation)
        body = Body((shape,), (platform.x, platform.y), angle, friction=FIXED_FRICTION, role="platform")
        yield Member("platform", k, game_layout.FIXED), body
    for k, block in enumerate(level.blocks):
        piece = BLOCKS[block.shape, block.material]
        member = _member("block", k, game_layout.BLOCK, piece, game_layout.MATERIAL_INDEX[block.material])
        yield member, _placed(piece, "block", (block.x, block.y), block.rotation)
    for k, pig in enumerate(level.pigs):
        piece = PIGS[pig.size]
        yield _member("pig", k, game_layout.PIG, piece), _placed(piece, "pig", (pig.x, pig.y), pig.rotation)
    for k, tnt in enumerate(level.tnts):
        yield _member("tnt", k, game_layout.TNT, TNT), _placed(TNT, "tnt", (tnt.x, tnt.y), tnt.rotation)
    yield from _birds(level)


def _birds(level: Level) -> Iterator[tuple[Member, Body]]:
    """Birds in their order, then split birds and eggs; all are dormant until they are released or spawned."""
    first = 1 + len(level.platforms) + len(level.blocks) + len(level.pigs) + len(level.tnts)
    link = first + len(level.birds)
    spawned: list[tuple[Member, Body]] = []
    for k, colour in enumerate(level.birds):
        piece, kind = BIRDS[colour].piece, game_layout.BIRD_INDEX[colour]
        body = _placed(piece, "bird", level.rest_point, 0.0, dormant=True)
        split_bird = Member("split_bird", k, game_layout.SPLIT_BIRD, kind, colliders=piece.colliders)
        own = [(split_bird, body) for _ in BIRDS[colour].fan_headings]
        if BIRDS[colour].lift_impulse:
            egg = _placed(EGG, "egg", level.rest_point, 0.0, dormant=True)
            own.append((Member("egg", k, game_layout.EGG, kind), egg))
        yield Member("bird", k, game_layout.BIRD, kind, link + len(spawned) if own else 0, piece.colliders), body
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
