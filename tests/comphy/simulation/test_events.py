"""Events: each definition on motion that is written by hand."""

import numpy as np
import pytest

from tumble.comphy.catalogue.body import Body, Collision, Motion
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import Event, debounced_collisions, direction, events_of, is_moving

OUTSIDE = (0.0, -9.0)


def motion_of(places: np.ndarray, collisions: tuple[Collision, ...] = ()) -> Motion:
    """Motion through places [frame, body, 2], with the velocities that follow."""
    positions = np.concatenate([places, np.full((*places.shape[:2], 1), 0.2)], axis=2)
    velocities = np.gradient(positions, axis=0) * 25.0
    turns = np.zeros((*places.shape[:2], 4))
    turns[..., 0] = 1.0
    return Motion(positions, turns, velocities, np.zeros_like(positions), CAMERA.sees(positions), collisions)


def standing(*places: tuple[float, float], frames: int = 50) -> np.ndarray:
    return np.tile(np.array(places, float), (frames, 1, 1))


def neutral(count: int, shape: str = "cube") -> tuple[Body, ...]:
    return tuple(Body(color, "metal", shape) for color in ("red", "blue", "green")[:count])


def charged(one: int, other: int, shape: str = "cube", mass: int = 1) -> tuple[Body, ...]:
    return Body("red", "metal", shape, mass, one), Body("blue", "metal", shape, mass, other)


def test_contacts_within_ten_frames_are_one_collision() -> None:
    contacts = [(5, 0, 1), (6, 0, 1), (100, 1, 0), (200, 0, 1), (301, 0, 1), (301, 1, 2)]
    assert debounced_collisions(contacts) == (Collision(5, 0, 1), Collision(301, 0, 1), Collision(301, 1, 2))


def test_bodies_come_in_and_go_out_but_not_in_the_first_frame() -> None:
    places = standing((0.0, 0.0), OUTSIDE)
    places[20:, 0], places[30:, 1] = OUTSIDE, (1.0, 0.0)
    events = events_of(neutral(2), motion_of(places), 0, 50)
    assert events == (Event("out", 20, (0,)), Event("in", 30, (1,)))


def test_only_events_within_the_frames_are_returned() -> None:
    places = standing((0.0, 0.0), OUTSIDE)
    places[20:, 0], places[30:, 1] = OUTSIDE, (1.0, 0.0)
    motion = motion_of(places)
    assert events_of(neutral(2), motion, 0, 20) == ()
    assert [event.kind for event in events_of(neutral(2), motion, 20, 30)] == ["out"]
    assert [event.kind for event in events_of(neutral(2), motion, 30, 31)] == ["in"]


def test_collisions_count_where_the_camera_sees_both() -> None:
    places = standing((0.0, 0.0), (0.4, 0.0))
    places[25:] = OUTSIDE
    motion = motion_of(places, (Collision(104, 0, 1), Collision(400, 0, 1)))
    events = events_of(neutral(2), motion, 0, 50)
    assert [event for event in events if event.kind == "collision"] == [Event("collision", 10, (0, 1))]


@pytest.mark.parametrize(("charges", "kind"), [((1, -1), "attraction"), ((-1, -1), "repulsion"), ((1, 0), None)])
def test_charged_bodies_attract_or_repel_from_where_they_overcome_friction(
    charges: tuple[int, int], kind: str | None
) -> None:
    # Two cubes: 0.138 / r^2 exceeds 0.240 below r = 0.758.
    places = standing((0.0, 0.0), (1.0, 0.0))
    places[:, 1, 0] = np.linspace(1.25, 0.5, 50)
    events = events_of(charged(*charges), motion_of(places), 0, 50)
    first = int(np.argmax(places[:, 1, 0] < 0.758))
    assert events == (() if kind is None else (Event(kind, first, (0, 1)),))  # type: ignore[arg-type]


def test_heavy_bodies_are_harder_to_attract_and_spheres_roll_freely() -> None:
    near = motion_of(standing((0.0, 0.0), (0.6, 0.0)))
    assert events_of(charged(1, -1), near, 0, 50)
    assert not events_of(charged(1, -1, mass=5), near, 0, 50)
    far = motion_of(standing((0.0, 0.0), (1.1, 0.0)))
    assert not events_of(charged(1, -1), far, 0, 50)
    assert events_of(charged(1, -1, "sphere"), far, 0, 50)


def test_attraction_that_pauses_shortly_is_one_event() -> None:
    for pause, count in ((9, 1), (15, 2)):
        places = standing((0.0, 0.0), (0.6, 0.0))
        places[20 : 20 + pause, 1] = (2.0, 0.0)
        assert len(events_of(charged(1, -1), motion_of(places), 0, 50)) == count


def test_events_are_in_order() -> None:
    places = standing((0.0, 0.0), (0.6, 0.0))
    motion = motion_of(places, (Collision(9, 0, 1), Collision(0, 0, 1)))
    kinds = [(event.frame, event.kind) for event in events_of(charged(1, -1), motion, 0, 50)]
    assert kinds == [(0, "collision"), (0, "collision"), (0, "attraction")]


def test_what_is_faster_than_a_tenth_of_a_unit_moves() -> None:
    places = standing((0.0, 0.0), (0.0, 1.0))
    places[:, 0, 0] = np.arange(50) * 0.11 / 25
    places[:, 1, 0] = np.arange(50) * 0.09 / 25
    assert is_moving(motion_of(places)).all(axis=0).tolist() == [True, False]


@pytest.mark.parametrize(("row", "name"), [(0, "right"), (1, "up")])
def test_directions_are_the_pictures(row: int, name: str) -> None:
    axis = CAMERA.axes[row, :2] / np.linalg.norm(CAMERA.axes[row, :2])
    opposite = {"right": "left", "up": "down"}[name]
    for sign, expected in ((1.0, name), (-1.0, opposite)):
        places = standing((0.0, 0.0))
        places[:, 0] += np.linspace(-0.7, 0.7, 50)[:, None] * axis * sign
        assert direction(motion_of(places), 0, 0, 50) == expected


def test_there_is_no_direction_for_what_stands_turns_back_or_goes_out() -> None:
    assert direction(motion_of(standing((0.0, 0.0))), 0, 0, 50) is None
    right = CAMERA.axes[0, :2] / np.linalg.norm(CAMERA.axes[0, :2])
    places = standing((0.0, 0.0))
    places[:, 0] += np.linspace(0.0, 1.0, 50)[:, None] * right
    places[20:] = places[20]
    motion = motion_of(places)
    assert direction(motion, 0, 0, 50) is None
    assert direction(motion, 0, 0, 25) == "right"
