"""What a page of mechanics can say of a motion, the engine must say too.

Lengths are metres. The engine integrates v += g dt, then x += v dt, so that sums over steps replace integrals; where
a formula of continuous time is tested, its tolerance says how far the two are apart.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import atan, ceil, cos, pi, radians, sin, sqrt, tan
from typing import Any

import numpy as np
import pytest

from tumble import engine
from tumble.engine.math.trig import exact_sine_cosine
from tumble.scene import Body, Circle, Scene, Shape, Vec, box, regular_polygon, samples

G = 9.8
DT = 1.0 / 60.0
# Settings that Box2D 2.3 publishes.
SLOP = 0.005
SKIN = 2.0 * SLOP
BOUNCE_THRESHOLD = 1.0
FARTHEST_PER_STEP = 2.0

STILL = (0.0, 0.0)
FLOOR = Body((box(400.0, 1.0),), position=(0.0, -0.5))


def play(scenes: Sequence[Scene], steps: int) -> engine.Rollouts:
    """All frames of all scenes, with velocities."""
    return engine.rollout(engine.each(scenes), options=engine.Options(max_steps=steps, stride=1, velocities=True))


def ball(radius: float = 0.5, position: Vec = STILL, velocity: Vec = STILL, **more: Any) -> Body:
    return Body((Circle(radius),), position=position, velocity=velocity, dynamic=True, **more)


def rounding(steps: int, largest: float) -> float:
    """How far sums of `steps` single-precision terms can be off, the numbers being no larger than `largest`.

    A step adds up three rounded numbers, each wrong by at most half a unit in its 24th binary place.
    """
    return 3.0 * steps * 2.0**-24 * largest


def disc_mass(radius: float, density: float = 1.0) -> float:
    return density * pi * radius**2


# Flight


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


# Bounces


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


# Slopes and floors


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


# Collisions


def test_discs_meet_head_on() -> None:
    """Momentum is kept, and the speed at which they part is e times the one at which they met."""
    cases = list(product((0.0, 0.5, 1.0), (0.2, 0.5, 1.0), (0.3, 1.0, 4.0), ((6.0, 0.0), (5.0, -3.0), (9.0, 4.0))))
    result = play(
        [
            Scene(
                (
                    ball(0.5, (0.0, 0.0), (v1, 0.0), restitution=e),
                    ball(radius, (1.0 + radius, 0.0), (v2, 0.0), density=density),
                ),
                gravity=STILL,
            )
            for e, radius, density, (v1, v2) in cases
        ],
        40,
    )
    for k, (e, radius, density, (v1, v2)) in enumerate(cases):
        m1, m2 = disc_mass(0.5), disc_mass(radius, density)
        common, met = (m1 * v1 + m2 * v2) / (m1 + m2), v1 - v2
        after = result.velocities[k, -1]
        expected = [common - m2 * e * met / (m1 + m2), common + m1 * e * met / (m1 + m2)]
        assert after[:, 0] == pytest.approx(expected, abs=1e-5)
        assert after[:, 1:] == pytest.approx(0.0, abs=1e-6)
        energy = 0.5 * (m1 * after[0, 0] ** 2 + m2 * after[1, 0] ** 2)
        lost = 0.5 * m1 * m2 / (m1 + m2) * (1.0 - e**2) * met**2
        assert energy == pytest.approx(0.5 * (m1 * v1**2 + m2 * v2**2) - lost, rel=1e-5)


def test_equal_discs_in_a_row_hand_the_speed_on_to_the_last() -> None:
    row = [ball(0.5, (1.3 * k, 0.0), (5.0 if k == 0 else 0.0, 0.0), restitution=1.0) for k in range(5)]
    result = play([Scene(tuple(row), gravity=STILL)], 90)
    assert result.velocities[0, -1, :, 0] == pytest.approx([0.0, 0.0, 0.0, 0.0, 5.0], abs=1e-5)


def regular_inertia(sides: int, radius: float) -> tuple[float, float]:
    """Of a regular polygon of density 1: m = n R² sin(2 pi / n) / 2, I = m R² (2 + cos(2 pi / n)) / 6."""
    mass = sides * radius**2 * sin(2.0 * pi / sides) / 2.0
    return mass, mass * radius**2 * (2.0 + cos(2.0 * pi / sides)) / 6.0


def dumbbell_inertia(radius: float, arm: float) -> tuple[float, float]:
    """Two equal discs at +-arm: m = 2 pi r², I = m (r² / 2 + arm²) by the parallel axis theorem."""
    mass = 2.0 * disc_mass(radius)
    return mass, mass * (radius**2 / 2.0 + arm**2)


def test_collisions_keep_momentum_and_angular_momentum() -> None:
    """Oblique, with friction, between discs, polygons and compounds; in every step, as impulses act at its start."""
    kinds: list[tuple[tuple[Shape, ...], tuple[float, float]]] = [
        ((Circle(0.5),), (disc_mass(0.5), disc_mass(0.5) * 0.125)),
        ((regular_polygon(3, 0.7),), regular_inertia(3, 0.7)),
        ((regular_polygon(4, 0.6),), regular_inertia(4, 0.6)),
        ((regular_polygon(16, 0.5),), regular_inertia(16, 0.5)),
        ((Circle(0.3, (0.5, 0.0)), Circle(0.3, (-0.5, 0.0))), dumbbell_inertia(0.3, 0.5)),
    ]
    cases = list(product(range(5), range(5), (0.0, 0.3, 0.6), (0.0, 0.7)))
    scenes = [
        Scene(
            (
                Body(kinds[i][0], position=(-2.0, offset), velocity=(7.0, 1.0), angle=1.0, dynamic=True, restitution=e),
                Body(kinds[j][0], velocity=(-1.0, 0.5), angular_velocity=-4.0, dynamic=True),
                # a third body that the others are likely to meet as well
                Body(kinds[i][0], position=(1.5, offset), velocity=(-2.0, 0.0), dynamic=True, friction=0.9),
            ),
            gravity=STILL,
        )
        for i, j, offset, e in cases
    ]
    result = play(scenes, 60)
    x, v = result.poses.astype(float), result.velocities.astype(float)
    change = np.diff(v, axis=1)
    mass = np.array([[kinds[i][1][0], kinds[j][1][0], kinds[i][1][0]] for i, j, _, _ in cases])[:, None]
    inertia = np.array([[kinds[i][1][1], kinds[j][1][1], kinds[i][1][1]] for i, j, _, _ in cases])[:, None]
    assert (np.abs(change) > 0.1).any(axis=(1, 2, 3)).all(), "all collide"
    for axis in (0, 1):
        momentum = (mass * v[..., axis]).sum(axis=-1)
        assert np.abs(momentum - momentum[:, :1]).max() < rounding(60, 10.0)
    lever = x[:, :-1, :, 0] * change[..., 1] - x[:, :-1, :, 1] * change[..., 0]
    assert np.abs((mass * lever + inertia * change[..., 2]).sum(axis=-1)).max() < rounding(1, 100.0)


# Many bodies


def test_a_stack_of_boxes_stands_and_sleeps() -> None:
    """Twenty seconds; boxes may settle by their skins (two of 0.01 m per contact, less the slop), not more."""
    scene = samples.stack(12)
    result = play([scene], 1200)
    metres = result.poses[0, :, :, :2] / scene.units_per_metre
    assert np.abs(metres - metres[0]).max() < 0.03
    assert np.abs(result.poses[0, :, :, 2]).max() < 0.003
    assert (result.poses[0, 1140:] == result.poses[0, -1]).all()
    assert not result.velocities[0, 1140:].any()


def test_dominoes_fall_one_after_the_other() -> None:
    scene = samples.dominoes(14)
    first = scene.index("domino 0")
    result = play([scene], 900)
    tilt = np.abs(result.poses[0, :, first : first + 14, 2])
    assert (tilt[-1] > 1.0).all()
    begins = (tilt > 0.1).argmax(axis=0)
    # the ball pushes the first against the second, and these two fall as one
    assert begins[0] <= begins[1]
    assert (np.diff(begins[1:]) > 0).all()


# Fast bodies


def test_nothing_passes_a_thin_wall() -> None:
    """A wall of 2 cm, and discs, boxes and triangles that move up to a hundred times that in a step."""
    wall = Body((box(0.02, 40.0),), position=(10.0, 0.0), restitution=0.3)
    sizes = (0.05, 0.2, 1.0)
    kinds = [
        Body((shape,), dynamic=True, restitution=0.5)
        for size in sizes
        for shape in (Circle(size), box(size, 2.0 * size), regular_polygon(3, size))
    ]
    cases = list(product(range(len(kinds)), (30.0, 90.0, 200.0, 1000.0), (0.0, 0.31, 0.77, 1.4), (-0.6, 0.0, 0.4)))
    worlds = engine.variants(
        Scene((wall,), gravity=STILL),
        kinds=kinds,
        kind=[[kind] for kind, *_ in cases],
        poses=[[[5.0 + offset, -2.0, 0.3]] for _, _, offset, _ in cases],
        velocities=[[[speed * cos(a), speed * sin(a), 20.0]] for _, speed, _, a in cases],
    )
    result = engine.rollout(worlds, options=engine.Options(max_steps=60, stride=1, velocities=True))
    before_wall = result.poses[:, :, 1, 0]
    assert before_wall.max() < 10.0 - 0.01
    assert (result.velocities[:, -1, 1, 0] <= 0.0).all()


def test_a_bullet_does_not_pass_a_thin_plate_that_can_move() -> None:
    half = 2.0
    plate = Body((box(0.05, 2.0 * half),), position=(10.0, 0.0), dynamic=True)
    kinds = [
        Body((Circle(radius),), dynamic=True, bullet=True, density=d) for radius in (0.05, 0.2, 0.5) for d in (0.2, 5.0)
    ]
    cases = list(product(range(len(kinds)), (60.0, 110.0, 200.0, 1000.0), (0.0, 0.31, 0.77, 1.4), (-1.0, 0.0, 1.5)))
    worlds = engine.variants(
        Scene((plate,), gravity=STILL),
        kinds=kinds,
        kind=[[kind] for kind, *_ in cases],
        poses=[[[5.0 + offset, height, 0.0]] for _, _, offset, height in cases],
        velocities=[[[speed, 0.0, 0.0]] for _, speed, _, _ in cases],
    )
    result = engine.rollout(worlds, options=engine.Options(max_steps=60, stride=1, velocities=True))
    x, y, angle = np.moveaxis(result.poses[:, :, 0].astype(float), -1, 0)
    dx, dy = result.poses[:, :, 1, 0] - x, result.poses[:, :, 1, 1] - y
    behind, along = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
    assert (result.velocities[:, -1, 0, 0] > 0.0).all()
    # once the plate turns, what was knocked aside may well pass around its end
    in_front = np.logical_and.accumulate(np.abs(along) < half, axis=1)
    assert (behind[in_front] < 0.0).all()


# Who meets whom


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


def test_sine_and_cosine_outside_kernels() -> None:
    """Far closer than single precision tells apart."""
    angles = np.linspace(-10.0, 10.0, 4001)
    sine, cosine = exact_sine_cosine(angles)
    np.testing.assert_allclose(sine, np.sin(angles), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(cosine, np.cos(angles), rtol=0.0, atol=1e-12)
