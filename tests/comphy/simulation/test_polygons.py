"""Convex polygons: hulls, cuts and what lies within what."""

import numpy as np
import pytest

from tumble.comphy.simulation.footprints import convex_hull, cut_through, fewer_corners, is_within, side_normals

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def test_a_hull_contains_its_points_and_has_them_as_corners() -> None:
    points = np.random.default_rng(1).normal(size=(60, 2))
    corners = convex_hull(points)
    assert {tuple(corner) for corner in corners} <= {tuple(point) for point in points}
    outside = (points[:, None] - corners) * side_normals(corners)
    assert outside.sum(axis=-1).max() < 1e-9


def test_normals_point_outwards() -> None:
    np.testing.assert_allclose(side_normals(SQUARE), [[0, -1], [1, 0], [0, 1], [-1, 0]])


def test_a_cut_through_a_pyramid_shrinks_with_its_height() -> None:
    pyramid = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 2]], float)
    for height, half in ((0.0, 1.0), (0.5, 0.75), (1.5, 0.25)):
        assert np.abs(convex_hull(cut_through(pyramid, height))).max() == pytest.approx(half)


def test_the_flattest_corners_go_first() -> None:
    bent = np.array([[0.0, 0.0], [0.5, -0.01], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    np.testing.assert_array_equal(fewer_corners(bent, 4), SQUARE)
    assert len(fewer_corners(bent, 5)) == 5


@pytest.mark.parametrize(
    ("centre", "radius", "expected"), [((0.5, 0.5), 0.5, True), ((0.5, 0.5), 0.51, False), ((0.9, 0.5), 0.2, False)]
)
def test_a_disc_is_within_a_square(centre: tuple[float, float], radius: float, expected: bool) -> None:
    assert is_within(np.array([centre]), radius, SQUARE, 0.0) is expected


def test_a_square_is_within_its_circumscribed_disc() -> None:
    assert is_within(SQUARE, 0.0, np.array([[0.5, 0.5]]), 0.7072)
    assert not is_within(SQUARE, 0.0, np.array([[0.5, 0.5]]), 0.7)
