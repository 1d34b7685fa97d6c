"""Bootstrap intervals agree with what is known analytically, and are deterministic."""

import numpy as np
import pytest

from tumble.report import estimates
from tumble.report.estimates import Estimate, over_clusters, over_folds, over_tasks, resampled_means


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    """For many tasks the mean of a sample is normal, with the deviation of the tasks over the root of their number."""
    values = np.random.default_rng(1).exponential(10.0, size=400)
    estimate = over_tasks(values)
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.interval is not None
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert estimate.interval[0] == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert estimate.interval[1] == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_the_distribution_of_two_tasks_is_the_binomial() -> None:
    means = resampled_means(np.array([0.0, 1.0]))
    shares = [np.mean(means == level) for level in (0.0, 0.5, 1.0)]
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.03)
    assert over_tasks([0.0, 1.0]).interval == (0.0, 1.0)


def test_intervals_cover_the_true_mean_as_often_as_they_say() -> None:
    """Of 300 experiments with 60 tasks, solved with a chance of 0.4, about 95 % of intervals contain 0.4."""
    solved = np.random.default_rng(2).random((300, 60)) < 0.4
    intervals = [over_tasks(tasks).interval for tasks in solved.astype(float)]
    covered = np.mean([interval is not None and interval[0] <= 0.4 <= interval[1] for interval in intervals])
    assert 0.90 <= covered <= 0.985


def test_a_clustered_ratio_is_wider_than_independent_questions() -> None:
    """Questions about one set are right or wrong together: the interval is that of the sets, not of the questions."""
    rng = np.random.default_rng(3)
    questions = rng.integers(2, 9, size=200).astype(float)
    correct = questions * (rng.random(200) < 0.5)
    estimate = over_clusters(correct, questions)
    assert estimate.interval is not None
    ratio = correct.sum() / questions.sum()
    assert estimate.value == pytest.approx(ratio)
    delta = np.std(correct - ratio * questions) / questions.mean() / np.sqrt(200)  # of a ratio, by the delta method
    assert estimate.interval[1] - estimate.interval[0] == pytest.approx(2 * 1.96 * delta, rel=0.08)
    independent = np.sqrt(ratio * (1 - ratio) / questions.sum())
    assert delta > 1.8 * independent


def test_intervals_do_not_depend_on_earlier_ones() -> None:
    values = np.linspace(0.0, 5.0, 30)
    first = over_tasks(values)
    over_tasks(np.arange(50.0))
    estimates._draws.cache_clear()
    assert over_tasks(values) == first
    assert not np.array_equal(resampled_means(values, stream=1), resampled_means(values, stream=2))


def test_values_of_several_columns_are_resampled_together() -> None:
    values = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    means = resampled_means(values)
    assert means.shape == (estimates.SAMPLES, 2)
    assert np.allclose(means[:, 1], 10.0 * means[:, 0])


def test_what_can_t_be_estimated_has_no_interval() -> None:
    assert over_tasks([3.0]) == Estimate(3.0)
    assert over_clusters(np.array([1.0]), np.array([2.0])) == Estimate(0.5)
    assert np.isnan(over_clusters(np.zeros(3), np.zeros(3)).value)
    assert over_folds([3.0]) == Estimate(3.0)
    assert over_folds([1.0, 3.0]) == Estimate(2.0, pytest.approx(np.sqrt(2.0)))
    assert np.isnan(Estimate(3.0).band).all()
    assert Estimate(3.0, 1.0).band == (2.0, 4.0)
