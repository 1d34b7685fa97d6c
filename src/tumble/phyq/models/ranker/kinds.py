"""What the ranker knows of each kind of object and each bird, as tensors: outlines and physical properties."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.phyq.models.ranker.scenes import KINDS
from tumble.phyq.tasks.pieces import (
    BIRD_COLOURS,
    BIRDS,
    BLOCKS,
    FIXED_FRICTION,
    MATERIAL_NAMES,
    PIGS,
    TNT,
    Piece,
    shape_area,
    shape_box,
)
from tumble.scene import Polygon

FIXED_MASS = 1e6
PROPERTIES = 14
"""Numbers that describe a kind."""
_UNIT_BOX = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


@dataclass(frozen=True)
class KindTables:
    """A row for each of KINDS, or for each colour of birds."""

    corners: Tensor
    """float [kinds, 4, 2]."""
    margins: Tensor
    """float [kinds]: radii of round objects."""
    masses: Tensor
    friction: Tensor
    restitution: Tensor
    is_platform: Tensor
    """bool [kinds]."""
    is_pig: Tensor
    is_triangle: Tensor
    cuts: Tensor
    """float [kinds, 2, (x, y, offset)]: the lines that cut triangles from boxes, relative to the boxes' centres."""
    is_mortal: Tensor
    properties: Tensor
    """float [kinds, properties]: what the network gets."""
    unit_box: Tensor
    bird_radius: Tensor
    bird_centre: Tensor
    bird_mass: Tensor
    bird_friction: Tensor
    bird_restitution: Tensor
    boost: float
    """Speed that a yellow bird gains."""
    fan_turn: Tensor
    """float [2, 2]: turns velocities to the middle heading of a blue bird's fan."""


def kind_tables(device: torch.device) -> KindTables:
    """The tables on a device."""
    rows = [_row(*kind) for kind in KINDS]
    birds = [BIRDS[colour] for colour in BIRD_COLOURS]
    turn = math.radians(sorted(BIRDS["blue"].fan_headings)[1])

    def tensor(values: object) -> Tensor:
        return torch.tensor(values, dtype=torch.float32, device=device)

    return KindTables(
        corners=tensor([row[0] for row in rows]),
        margins=tensor([row[1] for row in rows]),
        masses=tensor([row[2] for row in rows]),
        friction=tensor([row[3] for row in rows]),
        restitution=tensor([row[4] for row in rows]),
        is_platform=tensor([kind[0] == "platform" for kind in KINDS]) > 0,
        is_pig=tensor([kind[0] == "pig" for kind in KINDS]) > 0,
        is_triangle=tensor([kind[1].startswith("triangle") for kind in KINDS]) > 0,
        cuts=tensor([_cuts(row[0], kind[1]) for row, kind in zip(rows, KINDS, strict=True)]),
        is_mortal=tensor([kind[0] != "platform" for kind in KINDS]) > 0,
        properties=tensor([row[5] for row in rows]),
        unit_box=tensor(_UNIT_BOX),
        bird_radius=tensor([bird.circle.radius for bird in birds]),
        bird_centre=tensor([bird.circle.centre for bird in birds]),
        bird_mass=tensor([bird.piece.mass for bird in birds]),
        bird_friction=tensor([bird.piece.friction for bird in birds]),
        bird_restitution=tensor([bird.piece.restitution for bird in birds]),
        boost=BIRDS["yellow"].boost_impulse / BIRDS["yellow"].piece.mass,
        fan_turn=tensor([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]),
    )


def _row(
    kind: str, name: str, material: str
) -> tuple[list[tuple[float, float]], float, float, float, float, list[float]]:
    """Corners, margin, mass, friction, restitution and properties of a kind."""
    if kind == "platform":
        return list(_UNIT_BOX), 0.0, FIXED_MASS, FIXED_FRICTION, 0.0, _properties(kind, name, material, None)
    piece = TNT if kind == "tnt" else PIGS[name] if kind == "pig" else BLOCKS[name, material]
    corners, margin = _corners(kind, name, piece)
    return corners, margin, piece.mass, piece.friction, piece.restitution, _properties(kind, name, material, piece)


def _corners(kind: str, name: str, piece: Piece) -> tuple[list[tuple[float, float]], float]:
    if kind == "pig" or name.startswith("circle"):
        return [(0.0, 0.0)] * 4, math.sqrt(shape_area(piece.shape) / math.pi)
    if name.startswith("triangle"):
        assert isinstance(piece.shape, Polygon)
        first, second, third = piece.shape.vertices
        return [first, second, third, third], 0.0
    left, bottom, right, top = shape_box(piece.shape)
    return [(left, bottom), (right, bottom), (right, top), (left, top)], 0.0


def _cuts(corners: list[tuple[float, float]], name: str) -> list[tuple[float, float, float]]:
    """The sides of a triangle that are not sides of the box around it, as outward normals and offsets."""
    if not name.startswith("triangle"):
        return [(0.0, 0.0, 1.0)] * 2
    middle = [(min(values) + max(values)) / 2.0 for values in zip(*corners, strict=True)]
    found = []
    for (ax, ay), (bx, by) in zip(corners[:3], [*corners[1:3], corners[0]], strict=True):
        if abs(ax - bx) > 0.05 and abs(ay - by) > 0.05:
            length = math.hypot(bx - ax, by - ay)
            x, y = (by - ay) / length, (ax - bx) / length
            found.append((x, y, x * (ax - middle[0]) + y * (ay - middle[1])))
    return (found * 2)[:2]


def _properties(kind: str, name: str, material: str, piece: Piece | None) -> list[float]:
    is_round = kind == "pig" or name.startswith("circle")
    flags = [kind == "platform", kind == "tnt", kind == "pig", kind == "block"]
    flags += [is_round, name.startswith("triangle"), *(material == one for one in MATERIAL_NAMES)]
    if piece is None:
        return [*map(float, flags), 2.0, 0.0, 0.0, 0.0, 2.0]
    numbers = [math.log(piece.mass), piece.friction / 4.0, 5.0 * piece.restitution, piece.defence / 15.0]
    return [*map(float, flags), *numbers, math.log1p(piece.life) / 3.0]
