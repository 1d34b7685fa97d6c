"""Footprints of everyday objects: their pieces, and which of them can touch."""

import numpy as np
import pytest

from tumble.comphy.catalogue.world import DIV
from tumble.comphy.objects.shape import build_object
from tumble.comphy.simulation.footprints import GRAZING, MOST_CORNERS, footprint_of, side_normals, touching_pieces

TOLERANCE = 0.012
"""Units by which a footprint may differ from the mesh."""


def inside(points: np.ndarray, corners: np.ndarray, radius: float, margin: float) -> np.ndarray:
    """Whether points [k, 2] are within an outline that is wider by a margin."""
    if len(corners) == 1:
        return np.asarray(np.hypot(*(points - corners[0]).T) <= radius + margin)
    return np.asarray((((points[:, None] - corners) * side_normals(corners)).sum(axis=-1) <= margin).all(axis=1))


@pytest.mark.parametrize("shape", DIV.shapes)
def test_the_pieces_of_an_object_cover_what_is_seen_of_it(shape: str) -> None:
    """Every vertex of the mesh is in a piece of its height, or nearly."""
    footprint, mesh = footprint_of(shape, 3), build_object(shape, 3).mesh.vertices.astype(float)
    covered = np.zeros(len(mesh), bool)
    for piece in footprint.pieces:
        there = (mesh[:, 2] >= piece.low - TOLERANCE) & (mesh[:, 2] <= piece.high + TOLERANCE)
        covered |= there & inside(mesh[:, :2], piece.corners, piece.radius, TOLERANCE)
    assert covered.mean() > 0.9  # the lip of a bottle is not in its convex parts
    assert np.hypot(*mesh[:, :2].T).max() == pytest.approx(footprint.reach, abs=2 * TOLERANCE)


@pytest.mark.parametrize("shape", DIV.shapes)
def test_pieces_are_convex_and_objects_stand_on_a_foot_around_their_centre_of_mass(shape: str) -> None:
    footprint = footprint_of(shape, 5)
    for piece in footprint.pieces:
        assert len(piece.corners) <= MOST_CORNERS
        assert (len(piece.corners) == 1) == (piece.radius > 0.0)
        if len(piece.corners) > 1:
            normals = side_normals(piece.corners)
            after = np.roll(normals, -1, axis=0)
            assert (normals[:, 0] * after[:, 1] - normals[:, 1] * after[:, 0] > 0.0).all()
    assert min(footprint.support) > 0.0
    assert max(footprint.support) < footprint.reach
    assert 0.003 < footprint.inertia < footprint.reach**2


def test_round_objects_are_discs() -> None:
    for shape in ("bottle", "bowl", "lamp"):
        assert all(piece.radius > 0.0 for piece in footprint_of(shape, 0).pieces)
    (x, y) = footprint_of("bottle", 0).support
    assert x == y == pytest.approx(footprint_of("bottle", 0).reach / np.sqrt(2.0), abs=0.002)


def test_only_pieces_of_the_same_heights_can_touch() -> None:
    kinds = [(shape, form) for shape in DIV.shapes for form in (0, 1)]
    for one in kinds[::5]:
        for other in kinds[::3]:
            pairs = touching_pieces(one, other)
            assert pairs
            for p, q in pairs:
                a, b = footprint_of(*one).pieces[p], footprint_of(*other).pieces[q]
                assert min(a.high, b.high) - max(a.low, b.low) > GRAZING
            assert {(q, p) for p, q in pairs} == set(touching_pieces(other, one))


def test_pieces_that_others_stand_out_of_are_left_out() -> None:
    """Two bottles touch with their bodies, whatever their necks are."""
    ((p, q),) = touching_pieces(("bottle", 0), ("bottle", 0))
    assert (
        footprint_of("bottle", 0).pieces[p].radius == footprint_of("bottle", 0).reach == pytest.approx(0.12, abs=0.02)
    )
    assert p == q
