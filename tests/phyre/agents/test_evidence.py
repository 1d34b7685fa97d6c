"""Evidence of failed attempts counts ball by ball."""

import numpy as np

from tumble.phyre.agents.explorer.evidence import evidence_of_attempts, flat_balls

REACH, VIEW = 10.0, 30.0


def of(balls: list[list[float]], attempted: list[list[float]], effects: list[list[float]]) -> np.ndarray:
    return evidence_of_attempts(np.array(balls), np.array(attempted), np.array(effects), reach=REACH, view=VIEW)


def test_one_ball_by_the_formula() -> None:
    found = of([[10, 20, 5], [40, 20, 5]], [[10, 20, 5], [10, 50, 5]], [[0.5], [-1.0]])
    near = np.exp(-0.5 * (30 / np.array([REACH, VIEW])) ** 2)
    far = np.exp(-0.5 * (30 * np.sqrt(2) / np.array([REACH, VIEW])) ** 2)
    expected = [
        [1 + near[0], 1 + near[1], 0.5 - near[1]],
        [near[0] + far[0], near[1] + far[1], 0.5 * near[1] - far[1]],
    ]
    np.testing.assert_allclose(found, expected)


def test_a_ball_counts_whatever_its_partner_is_and_in_any_order() -> None:
    useful, useless, other = [100.0, 100.0, 10.0], [200.0, 50.0, 10.0], [30.0, 200.0, 20.0]
    found = of(
        [[*useful, *other], [*other, *useful], [*useless, *other], [*other, *other], [*useful, *useless]],
        [[*useful, *useless]],
        [[0.8, -1.0]],
    )
    same, similar, effects = found[:, 0], found[:, 1:3], found[:, 3:]
    np.testing.assert_allclose(same, [0.0, 0.0, 0.0, 0.0, 1.0], atol=1e-6)
    np.testing.assert_allclose(effects[0], [0.8, 0.0], atol=1e-3)
    np.testing.assert_allclose(effects[1], [0.0, 0.8], atol=1e-3)
    np.testing.assert_allclose(effects[2], [-1.0, 0.0], atol=1e-3)
    np.testing.assert_allclose(similar[3], [0.0, 0.0], atol=1e-2)


def test_both_balls_must_be_the_same_in_any_order() -> None:
    one, two, other = [100.0, 100.0, 10.0], [200.0, 50.0, 10.0], [30.0, 200.0, 20.0]
    found = of([[*two, *one], [*one, *other]], [[*one, *two]], [[0.0, 0.0]])
    np.testing.assert_allclose(found[:, 0], [1.0, 0.0], atol=1e-6)


def test_balls_are_those_that_are_placed() -> None:
    np.testing.assert_array_equal(flat_balls(np.array([[0.5, 0.25, 0.25]])), [[127.0, 63.0, 10.0]])
