"""Which bodies collide, which move, and from which step on they touch."""

from itertools import product
from math import ceil

import numpy as np
import pytest
from mechanics import DT, FLOOR, SKIN, STILL, ball, play

from tumble import engine
from tumble.scene import Body, Circle, Scene, box, regular_polygon


def test_two_bodies_meet_where_the_layer_of_each_is_in_the_mask_of_the_other() -> None:
    cases = list(product((1, 2, 6), (0, 1, 2, 0xFFFF), (1, 2, 6), (0, 1, 4, 0xFFFF)))
    result = play(
        [
            Scene(
                (
                    ball(0.5, (-1.0, 0.0), (6.0, 0.0), layer=layer_a, mask=mask_a),
                    ball(0.5, (1.0, 0.0), (-6.0, 0.0), layer=layer_b, mask=mask_b),
                ),
                gravity=STILL,
            )
            for layer_a, mask_a, layer_b, mask_b in cases
        ],
        40,
    )
    for k, (layer_a, mask_a, layer_b, mask_b) in enumerate(cases):
        if layer_a & mask_b and layer_b & mask_a:
            assert result.velocities[k, -1, :, 0] == pytest.approx(0.0, abs=1e-6)
        else:
            assert (result.velocities[k, -1] == [[6.0, 0.0, 0.0], [-6.0, 0.0, 0.0]]).all()


def test_static_bodies_never_move() -> None:
    """Not by a bit, whatever falls on them, and even if they were given a speed."""
    ledge = Body(
        (box(3.0, 0.3), Circle(0.4, (1.5, 0.0))),
        position=(1.3, 4.7),
        angle=0.7,
        velocity=(3.0, 3.0),
        angular_velocity=2.0,
    )
    peg = Body((regular_polygon(7, 0.6),), position=(-2.1, 3.3), angle=5.0)
    balls = [ball(0.3, (-4.0 + k, 8.0 + 0.3 * k), (0.0, -150.0), density=50.0, restitution=0.4) for k in range(9)]
    result = play([Scene((FLOOR, ledge, peg, *balls))], 300)
    start = np.array([[0.0, -0.5, 0.0], [1.3, 4.7, 0.7], [-2.1, 3.3, 5.0]], np.float32)
    assert (result.poses[0, :, :3] == start).all()
    assert not result.velocities[0, :, :3].any()
    assert (np.abs(np.diff(result.velocities[0, :, 3:, 0], axis=0)) > 0.1).any()


def test_bodies_touch_from_the_step_after_the_one_in_which_they_met() -> None:
    """Contacts are looked up at the start of a step. The ball stays, and sleeps long before the holds are over."""
    way, speed, holds = 1.0, 0.9, (1, 100, 101, 200)
    scene = Scene((FLOOR, ball(0.5, (0.0, 0.5 + SKIN + way), (0.0, -speed), gravity_scale=0.0)))
    first = ceil(way / (speed * DT)) + 1
    last = first + 99
    for stride in (0, 1):
        result = engine.rollout(
            engine.each([scene] * 4),
            engine.touching(0, 1, hold=np.array(holds)),
            engine.Options(max_steps=last, stride=stride),
        )
        assert result.verdicts.tolist() == [1, 1, 0, 0]
        assert result.steps.tolist() == [first, last, last, last]
