"""Answers that a few frames, or motion close to a threshold, would change are not clear."""

from collections import Counter

import numpy as np
import pytest
from sample_scenes import BLUE_BALL, GREEN_TUBE, RED_BALL, RED_CUBE, make_scene

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.questions.described_scene import DIRECTION_MARGIN, ClearAnswers
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import DIRECTION_WINDOW, MOVING_SPEED, Event

BODIES = (RED_CUBE, BLUE_BALL, RED_BALL, GREEN_TUBE)


def _is_clear(scene: SymbolicScene, program: str) -> bool:
    return ClearAnswers(scene).is_clear(tuple(program.split()))


@pytest.mark.parametrize(("gap", "clear"), [(4, False), (5, True)])
@pytest.mark.parametrize("kind", ["in", "out"])
def test_ordered_events_are_five_frames_apart(kind: str, gap: int, clear: bool) -> None:
    scene = make_scene(BODIES, (Event(kind, 30, (0,)), Event(kind, 30 + gap, (1,))))  # type: ignore[arg-type]
    assert _is_clear(scene, f"events objects filter_{kind} first filter_order query_object query_color") == clear
    one, other = "objects cube filter_shape unique", "objects blue filter_color unique"
    assert (
        _is_clear(scene, f"events {one} filter_{kind} events {other} filter_{kind} unique filter_before exist") == clear
    )
    assert _is_clear(scene, f"events objects filter_{kind} count")


@pytest.mark.parametrize(("factor", "clear"), [(0.5, True), (0.9, False), (1.1, False), (1.5, True)])
def test_speeds_are_away_from_the_threshold(factor: float, clear: bool) -> None:
    scene = make_scene(BODIES, velocities={0: (factor * MOVING_SPEED, 0.0)})
    assert _is_clear(scene, "objects null filter_moving count") == clear
    assert _is_clear(scene, "objects events filter_start query_frame filter_stationary count") == clear
    assert _is_clear(scene, "objects filter_heavy count")


def test_directions_are_away_from_the_edge_of_their_window() -> None:
    """Motion that deviates by 39 to 45 degrees from the nearest direction in the picture is not clear."""
    found = Counter[bool]()
    for angle in np.radians(range(0, 360, 4)):
        velocity = np.array((np.cos(angle), np.sin(angle), 0.0))
        scene = make_scene(BODIES, velocities={0: (velocity[0], velocity[1])})
        place = scene.motion.positions[0, 0]
        ends = CAMERA.project(np.stack((place, place + velocity / FRAMES_PER_SECOND)))[:, :2] * (CAMERA.aspect, 1.0)
        along = np.degrees(np.arctan2(*np.abs(ends[1] - ends[0])))
        deviation = min(along, 90.0 - along)
        clear = _is_clear(scene, "objects cube filter_shape unique null query_direction")
        assert clear == (deviation < DIRECTION_WINDOW - DIRECTION_MARGIN)
        found[clear] += 1
    assert found[False] >= 4
    assert found[True] >= 40


@pytest.mark.parametrize(("until", "clear"), [(30, True), (39, False), (41, False), (43, True)])
def test_motion_at_a_time_is_the_same_shortly_before_and_after(until: int, clear: bool) -> None:
    """The cube stops at a frame; the ball enters at frame 40."""
    scene = make_scene(BODIES, (Event("in", 40, (1,)),), velocities={0: (1.0, 0.0)}, until={0: until})
    when = "events objects blue filter_color unique filter_in unique query_frame"
    assert _is_clear(scene, f"objects {when} filter_moving count") == clear
    assert _is_clear(scene, "objects null filter_moving count")


def test_a_body_is_asked_about_as_it_enters() -> None:
    """Two frames earlier it is not in view, which does not make its motion unclear."""
    scene = make_scene(BODIES, (Event("in", 40, (0,)),), velocities={0: (1.0, 0.0)})
    when = "events objects cube filter_shape unique filter_in unique query_frame"
    assert _is_clear(scene, f"objects {when} filter_moving count")
    assert _is_clear(scene, f"objects cube filter_shape unique {when} query_direction")
