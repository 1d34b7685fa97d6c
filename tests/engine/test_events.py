"""Contact events say when, where, how fast and how hard bodies met."""

import numpy as np

from tumble import engine
from tumble.scene import Body, Circle, Scene, box, samples

FLOOR = Body((box(40.0, 1.0),), position=(0.0, -0.5), name="floor")


def dropped(height: float, restitution: float = 0.0, units: float = 1.0) -> engine.Rollouts:
    """A ball of radius 0.5 m falls on the floor from a height above it."""
    ball = Body((Circle(0.5 * units),), position=(0.0, (height + 0.5) * units), dynamic=True, restitution=restitution)
    floor = Body((box(40.0 * units, units),), position=(0.0, -0.5 * units))
    scene = Scene((floor, ball), units_per_metre=units)
    return engine.rollout(engine.each([scene]), options=engine.Options(events=True, max_steps=400))


def test_a_landing_is_one_begin_event_with_the_speed_and_impulse_of_the_fall() -> None:
    events = dropped(5.0).events
    assert len(events) == 1
    speed = np.sqrt(2 * 9.8 * 5.0)
    event = events[0]
    assert event["begin"]
    assert (event["body_a"], event["body_b"]) == (0, 1)
    np.testing.assert_allclose(event["approach_speed"], speed, rtol=0.03)  # a step of 1/60 s changes it by 0.16 m/s
    mass = np.pi * 0.25
    np.testing.assert_allclose(event["impulse"], mass * speed, rtol=0.05)
    np.testing.assert_allclose(event["normal"], (0.0, 1.0), atol=1e-6)
    np.testing.assert_allclose(event["point"], (0.0, 0.0), atol=0.02)
    np.testing.assert_allclose(event["step"], np.sqrt(2 * 5.0 / 9.8) * 60, atol=2)


def test_a_bounce_begins_and_ends_and_passes_one_and_e_times_the_momentum() -> None:
    events = dropped(5.0, restitution=0.5).events
    begin, end = events[0], events[1]
    assert begin["begin"]
    assert not end["begin"]
    speed = np.sqrt(2 * 9.8 * 5.0)
    np.testing.assert_allclose(begin["impulse"], np.pi * 0.25 * speed * 1.5, rtol=0.05)
    np.testing.assert_allclose(end["impulse"], begin["impulse"], rtol=0.01)
    np.testing.assert_allclose(-end["approach_speed"], 0.5 * speed, rtol=0.05)


def test_points_are_in_scene_units_and_speeds_in_metres() -> None:
    event = dropped(5.0, units=6.0).events[0]
    np.testing.assert_allclose(event["approach_speed"], np.sqrt(2 * 9.8 * 5.0), rtol=0.03)
    np.testing.assert_allclose(event["point"], (0.0, 0.0), atol=0.1)


def test_begins_and_ends_alternate_for_every_pair_of_shapes() -> None:
    result = engine.rollout(
        engine.each([samples.dominoes(), samples.pinball()]), options=engine.Options(events=True, max_steps=400)
    )
    assert len(result.events) > 100
    for world in (0, 1):
        events = result.events[result.events["world"] == world]
        assert (np.diff(events["step"]) >= 0).all(), "in the order of time"
        for pair in {(e["body_a"], e["body_b"]) for e in events}:
            begins = events[(events["body_a"] == pair[0]) & (events["body_b"] == pair[1])]["begin"]
            assert begins[0]
            assert (begins[1:] != begins[:-1]).all()


def test_many_worlds_keep_their_events_apart() -> None:
    scenes = [Scene((FLOOR, Body((Circle(0.5),), position=(0.0, 1.0 + k), dynamic=True))) for k in range(5)]
    together = engine.rollout(engine.each(scenes), options=engine.Options(events=True))
    for k, scene in enumerate(scenes):
        alone = engine.rollout(engine.each([scene]), options=engine.Options(events=True))
        mine = together.events[together.events["world"] == k]
        np.testing.assert_array_equal(mine["step"], alone.events["step"])
        np.testing.assert_array_equal(mine["impulse"], alone.events["impulse"])
