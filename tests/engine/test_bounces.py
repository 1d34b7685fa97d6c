"""Bounces on a floor: restitution, its threshold, and the events of a bounce."""

from dataclasses import replace
from itertools import product
from math import sqrt

import numpy as np
import pytest
from mechanics import BOUNCE_THRESHOLD, DT, FLOOR, SKIN, STILL, G, ball, play, rounding

from tumble import engine
from tumble.scene import Body, Circle, Scene, Shape, box


def test_a_ball_bounces_with_its_restitution() -> None:
    """In the step of the bounce, v becomes e times the speed of free fall; the height that follows is e² h.

    Fall and bounce take whole steps: the impact comes up to a step late or early, which is worth v dt of height
    each (times e² after the bounce), and the bounce begins up to e v dt above the floor.
    """
    cases = list(product((0.0, 0.2, 0.5, 0.8, 1.0), (1.0, 2.0, 3.7, 5.0)))
    scenes = [Scene((FLOOR, ball(0.5, (0.0, 0.5 + h), restitution=e))) for e, h in cases]
    result = play(scenes, 240)
    for k, (e, h) in enumerate(cases):
        y, v = result.poses[k, :, 1, 1] - 0.5, result.velocities[k, :, 1, 1]
        impact = int(np.flatnonzero(np.diff(v) > 0.0)[0]) + 1
        assert v[impact] == pytest.approx(e * G * DT * impact, abs=rounding(impact, 10.0))
        speed = sqrt(2.0 * G * h)
        assert G * DT * impact == pytest.approx(speed, abs=1.5 * G * DT)
        assert y[impact:].max() == pytest.approx(e**2 * h, abs=(1.5 * e**2 + e) * speed * DT + SKIN)


def test_the_livelier_of_two_bodies_decides_the_bounce() -> None:
    pairs = list(product((0.0, 0.3, 0.9), repeat=2))
    scenes = []
    for a, b in pairs:
        floor, faller = replace(FLOOR, restitution=a), ball(0.5, (0.0, 1.0), (0.0, -4.0), restitution=b)
        scenes.append(Scene((floor, faller), gravity=STILL))
    result = play(scenes, 30)
    assert result.velocities[:, -1, 1, 1] == pytest.approx([4.0 * max(pair) for pair in pairs], abs=1e-5)


def test_what_comes_slower_than_a_metre_per_second_does_not_bounce() -> None:
    speeds = (0.3, 0.9, 0.999, 1.0, 1.001, 1.1, 3.0)
    scenes = [Scene((FLOOR, ball(0.5, (0.0, 0.6), (0.0, -s), restitution=1.0)), gravity=STILL) for s in speeds]
    result = play(scenes, 30)
    expected = [s if s > BOUNCE_THRESHOLD else 0.0 for s in speeds]
    assert result.velocities[:, -1, 1, 1] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("shape", [Circle(0.5), box(1.0, 1.0)], ids=["disc", "box"])
def test_a_bounce_ends_where_it_began(shape: Shape) -> None:
    """It begins with v = g dt n, and ends in the next step with -e v, along the same normal."""
    e, x = 0.75, 3.0
    faller = Body((shape,), position=(x, 2.0), dynamic=True, restitution=e, friction=0.0)
    result = engine.rollout(engine.each([Scene((FLOOR, faller))]), options=engine.Options(max_steps=60, events=True))
    begin, end = result.events
    v = G * DT * begin["step"]
    assert (begin["begin"], end["begin"], end["step"]) == (True, False, begin["step"] + 1)
    assert begin["approach_speed"] == pytest.approx(v, rel=1e-5)
    for event in (begin, end):
        assert event["normal"] == pytest.approx([0.0, 1.0], abs=1e-3)
        assert event["point"] == pytest.approx([x, 0.0], abs=e * v * DT)
    assert end["approach_speed"] == pytest.approx(-e * v, rel=1e-2)
