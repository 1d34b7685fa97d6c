"""The pieces have the properties of the published project (`shared/phyq/facts.md`, section 2)."""

import math

import pytest

from tumble.phyq.catalogue.physics import BIRDS, BLOCK_SHAPES, BLOCKS, EGG, PIGS, TNT, Piece, shape_area, shape_box
from tumble.scene import Polygon

MASSES = {
    "circle": (0.428, 0.428, 0.428),
    "circle_small": (0.130, 0.130, 0.130),
    "rect_big": (0.521, 1.388, 0.260),
    "rect_medium": (0.427, 1.138, 0.213),
    "rect_small": (0.211, 0.562, 0.105),
    "rect_tiny": (0.104, 0.278, 0.052),
    "rect_fat": (0.432, 1.152, 0.216),
    "square_hole": (1.279, 2.737, 0.842),
    "square_small": (0.213, 0.569, 0.107),
    "square_tiny": (0.051, 0.135, 0.025),
    "triangle": (0.422, 1.125, 0.211),
    "triangle_hole": (0.404, 1.078, 0.202),
}
"""Masses of wood, stone and ice; in the published project, density has no effect on round blocks."""
ALL_PIECES: list[Piece] = [*BLOCKS.values(), *PIGS.values(), EGG, TNT, *(bird.piece for bird in BIRDS.values())]


@pytest.mark.parametrize("shape", BLOCK_SHAPES)
def test_masses_of_blocks(shape: str) -> None:
    masses = [BLOCKS[shape, material].mass for material in ("wood", "stone", "ice")]
    assert masses == pytest.approx(MASSES[shape], abs=5.1e-4)


def test_masses_of_birds() -> None:
    masses = {colour: round(bird.piece.mass, 3) for colour, bird in BIRDS.items()}
    circles = {"red": 0.545, "yellow": 0.483, "blue": 0.458, "white": 0.849, "black": 0.754}
    outlines = {colour: shape_area(bird.piece.shape) for colour, bird in BIRDS.items()}
    assert masses == {colour: pytest.approx(circles[colour] + outlines[colour], abs=2e-3) for colour in BIRDS}


def test_a_bird_of_two_colliders_stands_on_a_flat_base_near_its_circle() -> None:
    for bird in BIRDS.values():
        (x, y), radius = bird.circle.centre, bird.circle.radius
        distances = [math.dist(corner, (x, y)) for corner in bird.piece.shape.vertices]  # type: ignore[union-attr]
        assert max(abs(distance - radius) for distance in distances) < 0.15 * radius
        assert bird.piece.colliders == 2
        assert shape_area(bird.piece.shape) == pytest.approx(shape_area(bird.circle), abs=1e-6)


@pytest.mark.parametrize("piece", ALL_PIECES)
def test_every_collider_is_a_valid_shape(piece: Piece) -> None:
    assert list(piece.shape.problems()) == []
    assert piece.density * shape_area(piece.shape) == pytest.approx(piece.mass)


@pytest.mark.parametrize(
    ("piece", "base", "left", "right", "area"),
    [
        (BLOCKS["circle", "ice"], -0.375, -0.18, 0.16, 0.4277),
        (BLOCKS["circle_small", "wood"], -0.21, -0.11, 0.10, 0.1296),
        (PIGS["small"], -0.2227, -0.105, 0.105, 0.1508),
        (PIGS["medium"], -0.38, -0.179, 0.179, 0.4307),
        (PIGS["big"], -0.4786, -0.225, 0.225, 0.7019),
    ],
)
def test_round_pieces_have_a_flat_base(piece: Piece, base: float, left: float, right: float, area: float) -> None:
    assert isinstance(piece.shape, Polygon)
    assert shape_area(piece.shape) == pytest.approx(area, abs=1e-6)
    assert shape_box(piece.shape)[1] == base
    bottom = sorted(x for x, y in piece.shape.vertices if y == base)
    assert bottom == pytest.approx([left, right], abs=1e-3)
    # Round elsewhere: all other corners lie on one circle about the origin.
    rim = [math.hypot(x, y) for x, y in piece.shape.vertices if y != base]
    assert max(rim) - min(rim) < 1e-6
