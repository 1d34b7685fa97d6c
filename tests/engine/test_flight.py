"""Bodies in free flight follow the formulas of mechanics."""

from itertools import product
from math import cos, pi, radians, sin

import numpy as np
import pytest
from mechanics import DT, FARTHEST_PER_STEP, STILL, G, ball, play, rounding

from tumble.scene import Body, Circle, Scene, Shape, box, regular_polygon


@pytest.mark.parametrize("shape", [Circle(0.3), box(1.0, 0.2), regular_polygon(16, 0.5)], ids=["disc", "box", "16-gon"])
def test_free_fall(shape: Shape) -> None:
    """y = y0 - g dt² n (n + 1) / 2 and v = -g dt n, times what gravity is scaled by, whatever the mass."""
    cases = list(product((-1.0, 0.0, 0.5, 1.0, 2.0), (0.1, 10.0)))
    result = play(
        [
            Scene((Body((shape,), position=(0.0, 50.0), dynamic=True, gravity_scale=scale, density=density),))
            for scale, density in cases
        ],
        90,
    )
    n = result.frames.astype(float)
    for k, (scale, _) in enumerate(cases):
        assert result.velocities[k, :, 0, 1] == pytest.approx(-scale * G * DT * n, abs=rounding(90, 30.0))
        fallen = scale * G * DT**2 * n * (n + 1.0) / 2.0
        assert result.poses[k, :, 0, 1] == pytest.approx(50.0 - fallen, abs=rounding(90, 80.0))
        assert not result.poses[k, :, 0, [0, 2]].any()


def test_damping_divides_the_speed_in_every_step() -> None:
    """v = v0 q^n with q = 1 / (1 + c dt); the way is the sum of a geometric series, v0 (1 - q^n) / c."""
    dampings, n = (0.1, 0.5, 2.0), np.arange(91.0)
    result = play(
        [
            Scene(
                (ball(velocity=(8.0, 0.0), angular_velocity=9.0, linear_damping=c, angular_damping=3.0 * c),),
                gravity=STILL,
            )
            for c in dampings
        ],
        90,
    )
    for k, c in enumerate(dampings):
        kept = (1.0 + c * DT) ** -n
        assert result.velocities[k, :, 0, 0] == pytest.approx(8.0 * kept, abs=rounding(90, 8.0))
        assert result.poses[k, :, 0, 0] == pytest.approx(8.0 * (1.0 - kept) / c, abs=rounding(90, 12.0))
        turning = (1.0 + 3.0 * c * DT) ** -n
        assert result.velocities[k, :, 0, 2] == pytest.approx(9.0 * turning, abs=rounding(90, 9.0))
        assert result.poses[k, :, 0, 2] == pytest.approx(9.0 * (1.0 - turning) / (3.0 * c), abs=rounding(90, 13.5))


def test_the_range_of_a_projectile() -> None:
    """y is back at 0 after n = 2 vy / (g dt) - 1 steps, so the range is vx (2 vy / g - dt)."""
    speed, angles = 20.0, [radians(10.0 * k) for k in range(1, 9)]
    result = play([Scene((ball(velocity=(speed * cos(a), speed * sin(a))),)) for a in angles], 260)
    for k, a in enumerate(angles):
        vx, vy = speed * cos(a), speed * sin(a)
        x, y = result.poses[k, :, 0, 0].astype(float), result.poses[k, :, 0, 1].astype(float)
        below = int(np.flatnonzero(y < 0.0)[0])
        reached = np.interp(0.0, [y[below], y[below - 1]], [x[below], x[below - 1]])
        # between frames the parabola is at most g dt² / 8 above its chord, which falls at about vy
        assert reached == pytest.approx(vx * (2.0 * vy / G - DT), abs=vx * (G * DT**2 / 8.0) / (vy - G * DT) + 1e-3)


def test_nothing_moves_farther_than_two_metres_or_a_quarter_turn_in_a_step() -> None:
    flight = play([Scene((ball(velocity=(300.0, 400.0), angular_velocity=1000.0),), gravity=STILL)], 10)
    steps = np.diff(flight.poses[0, :, 0].astype(float), axis=0)
    assert steps[:, 0] == pytest.approx(FARTHEST_PER_STEP * 0.6, rel=1e-5)
    assert steps[:, 1] == pytest.approx(FARTHEST_PER_STEP * 0.8, rel=1e-5)
    assert steps[:, 2] == pytest.approx(pi / 2.0, rel=1e-5)


def test_a_compound_turns_about_its_centre_of_mass() -> None:
    """Two discs of radii 0.5 and 1 at x = -1 and 2 weigh 1 : 4, so their common centre is at x = 1.4."""
    dumbbell = Body(
        (Circle(0.5, (-1.0, 0.0)), Circle(1.0, (2.0, 0.0))),
        velocity=(3.0, 4.0),
        angle=0.7,
        angular_velocity=5.0,
        dynamic=True,
    )
    result = play([Scene((dumbbell,))], 90)
    n = result.frames.astype(float)
    x, y, angle = result.poses[0, :, 0].astype(float).T
    assert angle == pytest.approx(0.7 + 5.0 * DT * n, abs=rounding(90, 9.0))
    tolerance = 2.0 * rounding(90, 10.0)
    assert x + 1.4 * np.cos(angle) == pytest.approx(1.4 * cos(0.7) + 3.0 * DT * n, abs=tolerance)
    fallen = G * DT**2 * n * (n + 1.0) / 2.0
    assert y + 1.4 * np.sin(angle) == pytest.approx(1.4 * sin(0.7) + 4.0 * DT * n - fallen, abs=tolerance)
    assert result.velocities[0, :, 0, 1] == pytest.approx(4.0 - G * DT * n, abs=rounding(90, 15.0))
