"""Intervals of pass rates and Phy-Q scores: bootstrap over the tasks of each template, which are drawn separately.

Templates and scenarios are fixed, as in the benchmark. A template with one task has no interval, nor has any mean that
it is part of.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tumble.phyq.evaluation import metrics
from tumble.report.estimates import Interval, interval_of, resampled_means

Samples = Mapping[Any, np.ndarray | None]
"""By template or scenario: pass rates [SAMPLES] of resampled tasks; None if there is only one task."""


def template_samples(rates: Sequence[Mapping[str, float]]) -> dict[str, np.ndarray | None]:
    """Samples of the mean pass rates of runs, by template; `rates` are those of each run by task."""
    by_template: dict[str, list[float]] = {}
    for task_id in rates[0]:
        mean = float(np.mean([of_run[task_id] for of_run in rates]))
        by_template.setdefault(task_id.partition(":")[0], []).append(mean)
    return {
        template: resampled_means(np.array(own), stream) if len(own) > 1 else None
        for stream, (template, own) in enumerate(by_template.items())
    }


def scenario_samples(templates: Mapping[str, np.ndarray | None]) -> dict[int, np.ndarray | None]:
    """Samples by scenario: the mean over its templates."""
    by_scenario: dict[int, list[np.ndarray | None]] = {}
    for template, samples in templates.items():
        by_scenario.setdefault(int(template.partition(".")[0]), []).append(samples)
    return {scenario: mean_samples(own) for scenario, own in by_scenario.items()}


def mean_samples(samples: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """The mean of samples; None if any is."""
    known = [one for one in samples if one is not None]
    return np.mean(known, axis=0) if known and len(known) == len(samples) else None


def phy_q_samples(scenarios: Samples) -> np.ndarray | None:
    """Samples of the Phy-Q score."""
    rates: Any = {scenario: scenarios.get(scenario) for scenario in metrics.SCORED_SCENARIOS}
    return None if any(rate is None for rate in rates.values()) else np.asarray(metrics.phy_q(rates))


def percent_interval(samples: np.ndarray | None) -> Interval | None:
    """The interval of pass rates, in percent."""
    return None if samples is None else interval_of(100.0 * samples)
