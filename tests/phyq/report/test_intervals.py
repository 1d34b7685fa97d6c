"""Intervals of pass rates: templates are fixed, their tasks are drawn."""

import numpy as np
import pytest

from tumble.phyq.evaluation.metrics import SCORED_SCENARIOS, phy_q
from tumble.phyq.report.groups import mean_samples, phy_q_samples, scenario_samples
from tumble.report.estimates import interval_of, resampled_means


def test_a_scenario_is_the_mean_of_its_templates() -> None:
    """The variance of a mean of independent templates is the sum of theirs over the square of their number."""
    rng = np.random.default_rng(0)
    tasks = {"1.1": rng.random(50), "1.2": rng.random(80), "2.1": rng.random(30)}
    samples = {key: resampled_means(rates, stream) for stream, (key, rates) in enumerate(tasks.items())}
    scenario = scenario_samples(samples)[1]
    assert scenario is not None
    expected = np.sqrt(sum(rates.var() / len(rates) for rates in (tasks["1.1"], tasks["1.2"]))) / 2
    assert scenario.std() == pytest.approx(expected, rel=0.05)
    low, high = interval_of(scenario)
    assert high - low == pytest.approx(2 * 1.96 * expected, rel=0.08)


def test_a_template_with_one_task_leaves_no_interval() -> None:
    samples = {"1.1": resampled_means(np.array([0.0, 1.0])), "1.2": None, "2.1": resampled_means(np.array([0.0, 1.0]))}
    scenarios = scenario_samples(samples)
    assert scenarios[1] is None
    assert scenarios[2] is not None
    assert mean_samples([*scenarios.values()]) is None
    assert phy_q_samples(scenarios) is None


def test_samples_of_the_score_are_scores_of_samples() -> None:
    samples = {scenario: np.array([0.1, 0.5]) for scenario in SCORED_SCENARIOS}
    assert phy_q_samples(samples) == pytest.approx(
        [phy_q(dict.fromkeys(SCORED_SCENARIOS, rate)) for rate in (0.1, 0.5)]
    )
