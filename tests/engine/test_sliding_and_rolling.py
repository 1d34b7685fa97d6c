"""Sliding, slipping and rolling on slopes and floors follow the formulas of mechanics."""

from dataclasses import replace
from itertools import product
from math import atan, cos, pi, sin, sqrt, tan

import numpy as np
import pytest
from mechanics import DT, FLOOR, SKIN, SLOP, G, ball, play, rounding

from tumble import engine
from tumble.scene import Body, Circle, Scene, Shape, box, regular_polygon


def on_slope(angle: float, friction: float, shape: Shape, lift: float) -> Scene:
    """A shape, `lift` above a slope that rises to the right; the friction of the two mixes to `friction`."""
    away = (-sin(angle), cos(angle))
    return Scene(
        (
            Body((box(400.0, 1.0),), position=(-0.5 * away[0], -0.5 * away[1]), angle=angle, friction=2.0 * friction),
            Body(
                (shape,), position=(lift * away[0], lift * away[1]), angle=angle, friction=friction / 2.0, dynamic=True
            ),
        )
    )


def downhill(result: engine.Rollouts, world: int, angle: float) -> np.ndarray:
    """The speed of body 1 down its slope, frame by frame."""
    v = result.velocities[world, :, 1].astype(float)
    return np.asarray(-v[:, 0] * cos(angle) - v[:, 1] * sin(angle))


def test_a_box_slides_just_where_the_slope_is_steeper_than_its_friction() -> None:
    """Below atan(mu) it stays and sleeps; above, it gains g (sin a - mu cos a) per second."""
    cases = [
        (mu, atan(mu) + more)
        for mu, more in product((0.15, 0.3, 0.5, 0.8, 1.0), (-0.1, -0.03, -0.01, -0.003, 0.003, 0.01, 0.03, 0.1))
    ]
    result = play([on_slope(a, mu, box(1.0, 0.2), 0.1 + SKIN) for mu, a in cases], 180)
    for k, (mu, a) in enumerate(cases):
        if tan(a) < mu:
            moved = result.poses[k, :, 1, :2] - result.poses[k, 0, 1, :2]
            assert np.hypot(*moved.T).max() < SLOP
            assert (result.poses[k, 120:] == result.poses[k, 120]).all()
        else:
            gained = G * (sin(a) - mu * cos(a)) * DT * 120
            speed = downhill(result, k, a)
            assert speed[180] - speed[60] == pytest.approx(gained, abs=rounding(180, 20.0))


def test_a_disc_rolls_or_slips_down_a_slope() -> None:
    """It rolls where mu >= tan(a) / 3, with 2/3 g sin(a) and v = omega r, else slips with g (sin a - mu cos a).

    It sinks in by the slop, and the contact acts in the middle of the overlap, so its lever is r - slop / 2.
    """
    cases = list(product((0.04, 0.1, 0.3, 1.0), (0.1, 0.2, 0.4)))
    result = play([on_slope(a, mu, Circle(1.0), 1.0 + SLOP) for mu, a in cases], 240)
    sunk = SLOP / 2.0
    for k, (mu, a) in enumerate(cases):
        speed, turn = downhill(result, k, a), result.velocities[k, :, 1, 2]
        gained = (speed[240] - speed[60]) / (180 * DT)
        if mu >= tan(a) / 3.0:
            assert gained == pytest.approx(2.0 / 3.0 * G * sin(a), rel=sunk)
            assert speed[240] == pytest.approx(turn[240] * (1.0 - sunk), rel=1e-4)
        else:
            assert gained == pytest.approx(G * (sin(a) - mu * cos(a)), rel=1e-4)
            assert speed[240] > turn[240] * 1.01


def test_a_disc_that_slides_ends_rolling_at_two_thirds_of_its_speed() -> None:
    cases = list(product((2.0, 5.0, 10.0), (0.2, 0.5, 0.9)))
    result = play([Scene((FLOOR, ball(1.0, (-100.0, 1.0 + SLOP), (v, 0.0), friction=mu))) for v, mu in cases], 600)
    for k, (v, _) in enumerate(cases):
        speed, _, turn = result.velocities[k, -1, 1]
        assert speed == pytest.approx(2.0 / 3.0 * v, rel=SLOP / 2.0)
        assert speed == pytest.approx(-turn, rel=SLOP)


def test_a_polygon_of_sixteen_sides_rolls_a_little_slower_than_a_disc() -> None:
    """Each side that lands hands the motion on from one corner to the next, about which angular momentum is kept.

    So omega is multiplied by q = (I + m R² cos(2 pi / 16)) / (I + m R²), and between two landings it comes down by
    side * sin(a): its energy (I + m R²) omega² / 2 goes from E to q² (E + m g side sin(a)) and, in the long run, to
    the fixed point of that, however fast it started. A side takes ten steps, so it lands up to 5 % of it too late.
    """
    a, sides, starts = 0.1, 16, (1.0, 2.0, 3.0)
    wheel = regular_polygon(sides, 1.0, pi / sides - pi / 2.0)
    scenes = []
    for omega in starts:
        slope, body = on_slope(a, 1.0, wheel, cos(pi / sides) + SKIN).bodies
        rolling = replace(body, velocity=(-omega * cos(a), -omega * sin(a)), angular_velocity=omega)
        scenes.append(Scene((slope, rolling)))
    result = play(scenes, 1200)
    inertia = (2.0 + cos(2.0 * pi / sides)) / 6.0
    kept = (inertia + cos(2.0 * pi / sides)) / (inertia + 1.0)
    after_landing = sqrt(2.0 * kept**2 * G * 2.0 * sin(pi / sides) * sin(a) / (1.0 - kept**2) / (inertia + 1.0))
    for k in range(len(starts)):
        turn = result.velocities[k, 600:, 1, 2].mean()
        assert turn == pytest.approx((after_landing + after_landing / kept) / 2.0, rel=0.05)
        assert downhill(result, k, a)[600:].mean() == pytest.approx(turn, rel=0.02)
