"""How hard tasks are and how similar their solutions are, on statuses whose answer is known."""

from math import comb, sqrt

import numpy as np
import pytest

from tumble.phyre.generation.task_analysis import random_success, solution_diversity, solving_chances, template_chances

IDS = ["00000:000", "00000:001", "00001:000", "00000:002"]
"""The third task is of another template."""
STATUSES = np.array(
    [
        [1, 1, -1, -1, 0, 0],
        [1, -1, -1, 0, 1, 1],
        [0, 0, 0, 0, 0, 0],
        [1, -1, -1, -1, -1, -1],
    ],
    np.int8,
)


def test_the_chance_of_a_task_is_among_valid_actions() -> None:
    """Two of four, three of five, none of none, one of six."""
    np.testing.assert_allclose(solving_chances(STATUSES), [1 / 2, 3 / 5, 0.0, 1 / 6])


def test_the_chance_of_a_template_is_the_mean_over_its_tasks() -> None:
    """Each task weighs the same, however many of its actions were valid."""
    found = template_chances(STATUSES, IDS)
    assert found == {"00000": pytest.approx((1 / 2 + 3 / 5 + 1 / 6) / 3), "00001": 0.0}


def test_diversity_counts_actions_by_the_tasks_that_they_solve() -> None:
    """Of template 00000 the first action solves all three tasks: a master solution."""
    found = solution_diversity(STATUSES, IDS)
    assert set(found) == {"00000", "00001"}
    np.testing.assert_array_equal(found["00000"], [2, 3, 0, 1])  # none; one; two; three tasks
    np.testing.assert_array_equal(found["00001"], [6, 0])
    assert all(histogram.sum() == STATUSES.shape[1] for histogram in found.values())


def test_random_success_at_its_ends() -> None:
    """One attempt solves what every action solves, and all attempts together solve what any action solves."""
    certain, hopeless, invalid = [1] * 8, [-1] * 8, [0] * 8
    mean, spread = random_success(np.array([certain, hopeless, invalid, certain], np.int8), [1, 8], runs=5)
    np.testing.assert_array_equal(mean, [0.5, 0.5])
    np.testing.assert_array_equal(spread, [0.0, 0.0])
    one_of_eight = np.array([[-1] * 7 + [1]], np.int8)
    np.testing.assert_array_equal(random_success(one_of_eight, [0, 8], runs=5)[0], [0.0, 1.0])


def test_random_success_is_that_of_drawing_without_replacement() -> None:
    """k of n valid actions, s of which solve, all fail with a chance of C(n - s, k) / C(n, k)."""
    valid, solving, tasks, runs = 400, 8, 60, 60
    statuses = np.zeros((tasks, 500), np.int8)
    statuses[:, :solving] = 1
    statuses[:, solving:valid] = -1
    attempts = [1, 10, 50, 100]
    mean, spread = random_success(statuses, attempts, runs=runs, seed=1)
    exact = np.array([1.0 - comb(valid - solving, k) / comb(valid, k) for k in attempts])
    deviation = np.sqrt(exact * (1.0 - exact) / tasks)
    assert (np.abs(mean - exact) < 4.0 * deviation / sqrt(runs)).all()
    np.testing.assert_allclose(spread, deviation, rtol=0.4)


def test_runs_differ_and_a_seed_repeats_them() -> None:
    statuses = np.where(np.random.default_rng(0).random((20, 300)) < 0.02, 1, -1).astype(np.int8)
    first, again, other = (random_success(statuses, [10, 30], seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert (first[1] > 0.0).all()


def test_more_attempts_than_actions_are_rejected() -> None:
    random_success(STATUSES, [6])
    with pytest.raises(ValueError, match="7 attempts need as many actions; there are 6"):
        random_success(STATUSES, [1, 7])
