"""Polygons are split into convex parts that cover the same area."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tumble.scene import SceneError
from tumble.scene.shapes import MAX_RING, convex_parts, convexity_problems


def area(ring: list) -> float:
    x, y = np.array(ring).T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2.0


@settings(max_examples=150, deadline=None)
@given(st.lists(st.floats(2.0, 60.0), min_size=3, max_size=40), st.booleans(), st.floats(0.0, 6.0))
def test_parts_are_convex_and_have_the_area_of_the_whole(radii: list[float], clockwise: bool, turn: float) -> None:
    """Around a centre any radii make a simple polygon."""
    angles = [turn + 2.0 * math.pi * k / len(radii) for k in range(len(radii))]
    ring = [(radius * math.cos(a), radius * math.sin(a)) for radius, a in zip(radii, angles, strict=True)]
    parts = convex_parts(ring[::-1] if clockwise else ring)
    assert all(len(part) <= 16 for part in parts)
    assert sum(map(area, parts)) == pytest.approx(area(ring), rel=1e-3)
    assert not any(problem for part in parts if area(part) > 1e-2 for problem in convexity_problems(part))


def test_convex_polygons_stay_whole_and_comb_shapes_are_split() -> None:
    square = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (0.0, 2.0)]
    assert convex_parts(square) == [((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))]
    comb = [(0, 0), (7, 0), (7, 5), (6, 5), (6, 1), (4, 1), (4, 5), (3, 5), (3, 1), (1, 1), (1, 5), (0, 5)]
    parts = convex_parts(comb)
    assert 4 <= len(parts) <= 6
    assert sum(map(area, parts)) == area(comb) == 19.0


@pytest.mark.parametrize(
    ("ring", "message"),
    [
        ([(0, 0), (1, 1), (2, 2)], "lie on one line"),
        ([(0, 0), (2, 2), (2, 0), (0, 2)], "crosses itself"),
        ([(math.cos(a), math.sin(a)) for a in (0.0, 2.5, 5.0, 1.25, 3.75)], "crosses itself"),
        ([(math.cos(k), math.sin(k)) for k in np.linspace(0.0, 6.2, MAX_RING + 1)], "at most 128 vertices, got 129"),
    ],
)
def test_rings_that_are_no_polygon_are_refused(ring: list, message: str) -> None:
    with pytest.raises(SceneError, match=message):
        convex_parts(ring)
