"""Collisions between bodies conserve momentum and lose the energy that restitution says."""

from itertools import product
from math import cos, pi, sin

import numpy as np
import pytest
from mechanics import STILL, ball, disc_mass, play, rounding

from tumble.scene import Body, Circle, Scene, Shape, regular_polygon


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
