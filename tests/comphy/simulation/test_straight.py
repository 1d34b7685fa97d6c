"""Straight motion: which bodies would touch if all continued as they were last seen."""

import numpy as np
import pytest

from tumble.comphy.catalogue.body import Body, Motion, yaw_quaternions
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.outcomes import footprints_overlap, straight_collisions, straight_pairs


def plain(*shapes: str) -> tuple[Body, Body]:
    """Two bodies of these shapes."""
    one, other = (Body("red", "metal", shape) for shape in shapes)
    return one, other


def moving(places: list[tuple[float, float]], velocities: list[tuple[float, float]]) -> Motion:
    """Bodies that are at these places in the last shown frame, with constant velocities."""
    seconds = (np.arange(SHOWN_FRAMES) - (SHOWN_FRAMES - 1))[:, None, None] / 25.0
    planar = np.array(places) + seconds * np.array(velocities)
    positions = np.concatenate([planar, np.full((*planar.shape[:2], 1), 0.2)], axis=-1)
    whole = np.concatenate([velocities, np.zeros((len(places), 1))], axis=-1)
    return Motion(
        positions,
        np.tile(yaw_quaternions(np.zeros(len(places))), (SHOWN_FRAMES, 1, 1)),
        np.tile(whole, (SHOWN_FRAMES, 1, 1)),
        np.zeros_like(positions),
        CAMERA.sees(positions),
    )


def test_bodies_that_meet_collide_when_they_touch() -> None:
    """From 1.0 apart, closing with 0.5 per second, they touch at 0.4 apart: after 1.2 seconds, 30 frames."""
    motion = moving([(0.0, 0.0), (1.0, 0.0)], [(0.5, 0.0), (0.0, 0.0)])
    (event,) = straight_collisions(plain("sphere", "cylinder"), motion)
    assert event.kind == "collision"
    assert event.bodies == (0, 1)
    assert abs(event.frame - (SHOWN_FRAMES - 1 + 30)) <= 1
    assert straight_pairs(plain("sphere", "cylinder"), motion, last=SHOWN_FRAMES + 20) == frozenset()


@pytest.mark.parametrize(
    ("places", "velocities"),
    [
        ([(0.0, 0.0), (1.0, 0.0)], [(-0.5, 0.0), (0.0, 0.0)]),  # they part
        ([(0.0, 0.0), (1.0, 0.5)], [(0.5, 0.0), (0.0, 0.0)]),  # they miss each other
        ([(0.0, 0.0), (0.39, 0.0)], [(0.5, 0.0), (0.0, 0.0)]),  # they touch already
        ([(0.0, 0.0), (2.0, 0.0)], [(0.5, 0.0), (0.0, 0.0)]),  # too slow
        ([(6.0, 6.0), (7.0, 6.0)], [(0.5, 0.0), (0.0, 0.0)]),  # never seen
    ],
)
def test_other_bodies_do_not(places: list[tuple[float, float]], velocities: list[tuple[float, float]]) -> None:
    assert straight_pairs(plain("sphere", "sphere"), moving(places, velocities)) == frozenset()


def test_a_collision_out_of_view_does_not_count() -> None:
    edge = next(x for x in np.arange(0.0, 9.0, 0.1) if not CAMERA.sees(np.array([x, 0.0, 0.2])))
    velocities = [(edge / 1.5, 0.0), (0.0, 0.0)]
    inside = moving([(0.0, 0.0), (edge - 0.6, 0.0)], velocities)
    outside = moving([(0.0, 0.0), (edge + 0.6, 0.0)], velocities)
    assert straight_pairs(plain("sphere", "sphere"), inside) == {(0, 1)}
    assert straight_pairs(plain("sphere", "sphere"), outside) == frozenset()


def test_only_what_was_seen_is_used() -> None:
    """A body that left the view continues from there, whatever it did later; NaN or true states make no difference."""
    motion = moving([(0.0, 0.0), (1.0, 0.0)], [(0.5, 0.0), (0.0, 0.0)])
    motion.in_view[100:, 0] = False
    expected = straight_collisions(plain("cube", "sphere"), motion)
    assert len(expected) == 1
    motion.positions[100:, 0], motion.velocities[100:, 0], motion.orientations[100:, 0] = np.nan, np.nan, np.nan
    assert straight_collisions(plain("cube", "sphere"), motion) == expected


def test_states_after_the_shown_frames_are_not_used() -> None:
    shown = moving([(0.0, 0.0), (1.0, 0.0)], [(0.5, 0.0), (0.0, 0.0)])
    whole = Motion(
        *(
            np.concatenate([getattr(shown, name), getattr(shown, name)[: TARGET_FRAMES - SHOWN_FRAMES]])
            for name in ("positions", "orientations", "velocities", "angular_velocities", "in_view")
        )
    )
    assert straight_collisions(plain("cube", "cube"), whole) == straight_collisions(plain("cube", "cube"), shown)


@pytest.mark.parametrize("shapes", [("cube", "cube"), ("cube", "sphere"), ("cylinder", "cube")])
def test_footprints_overlap_where_points_do(shapes: tuple[str, str]) -> None:
    """Against points on a fine grid that are in both."""
    draws = np.random.default_rng(3)
    axis = np.linspace(-1.0, 1.0, 201)
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)

    def inside(shape: str, centre: np.ndarray, heading: float) -> np.ndarray:
        x, y = (points - centre).T
        if shape != "cube":
            return np.asarray(np.hypot(x, y) < 0.2)
        along, across = np.cos(heading) * x + np.sin(heading) * y, np.cos(heading) * y - np.sin(heading) * x
        return np.asarray((np.abs(along) < 0.2) & (np.abs(across) < 0.2))

    wrong = 0
    for _ in range(200):
        offset, headings = draws.uniform(-0.6, 0.6, 2), tuple(draws.uniform(-3.0, 3.0, 2))
        both = inside(shapes[0], np.zeros(2), headings[0]) & inside(shapes[1], offset, headings[1])
        found = bool(footprints_overlap(plain(*shapes), offset, headings))
        assert found or not both.any()
        wrong += found and not both.any()
    assert wrong < 6  # grazing overlaps between the points of the grid
