"""Groups Phy-Q's runs that can be compared: those with the same tasks, number of attempts and physics.

Intervals of pass rates and Phy-Q scores are a bootstrap over the tasks of each template, which are drawn separately.
Templates and scenarios are fixed, as in the benchmark. A template with one task has no interval, nor has any mean
that it is part of.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tumble.output import plural
from tumble.phyq.catalogue.tasks import selection_text
from tumble.phyq.evaluation import metrics, replay
from tumble.phyq.evaluation.metrics import DEFAULT_PROTOCOL
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.simulation.simulator import physics_id
from tumble.report import grouping
from tumble.report.estimates import Estimate, Interval, interval_of, resampled_means

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


INCIDENTAL = ("seed", "device", "checkpoint")
"""Settings in which runs of one variant may differ."""
COLOURS = {
    "random": "#7f7f7f",
    "pig_shooter": "#e377c2",
    "datalab_style": "#1f77b4",
    "eagles_wing_style": "#2ca02c",
    "bambirds_style": "#d62728",
    "dddqn-symbolic": "#9467bd",
    "dddqn-image": "#c5b0d5",
    "relational-symbolic": "#ff7f0e",
    "relational-image": "#ffbb78",
    "shot-ranker": "#17becf",
    "simulation": "#111111",
}
SETTING_TITLES = {
    "broad": "Broad generalisation: test templates of every scenario",
    "local": "Local generalisation: test tasks of every template",
    "tasks": "Selected tasks",
    "levels": "Levels",
}


@dataclass(frozen=True)
class Conditions(grouping.Conditions):
    """What Phy-Q's runs must have in common to be compared."""

    setting: str
    only: tuple[str, ...]
    limit: int | None
    attempts: int
    tasks_sha256: str

    @property
    def as_published(self) -> bool:
        return self.setting in ("broad", "local") and self.limit is None and not self.only

    @property
    def title(self) -> str:
        only = f", only {selection_text(self.only)}" if self.only else ""
        if self.setting == "levels":
            only = f" of {', '.join(Path(place).name for place in self.only)}"
        limit = ""
        if self.limit is not None:
            limit = ", first task of each" if self.limit == 1 else f", first {self.limit} tasks of each"
            limit = f", first {self.limit}" if self.setting == "levels" else limit
        return f"{SETTING_TITLES[self.setting]}{only}{limit}, {plural(self.attempts, 'attempt')}"

    @property
    def description(self) -> str:
        return f"{plural(self.attempts, 'attempt')} at each task; physics {self.physics}."


class Series(grouping.Series[PhyQResult]):
    """The runs of one variant with different seeds, which are averaged."""

    def scenario_rates(self, protocol: str = DEFAULT_PROTOCOL) -> dict[int, float]:
        return _mean_of(self.results, lambda result: result.scenario_rates(protocol))

    def template_rates(self, protocol: str = DEFAULT_PROTOCOL) -> dict[str, float]:
        return _mean_of(self.results, lambda result: result.template_rates(protocol))

    def task_rates(self) -> list[dict[str, float]]:
        """Pass rates by task, of each run."""
        return [result.task_rates() for result in self.results]

    def rule_share(self) -> float | None:
        """The share of passes that follow the rule of their template, the mean over runs; None if that is not known."""
        shares = [share for result in self.results if (share := replay.rule_share(result)) is not None]
        return float(np.mean(shares)) if shares else None

    @property
    def mean(self) -> float:
        return float(np.mean([result.mean for result in self.results]))

    @property
    def phy_q(self) -> float | None:
        """The score of the mean rates; None unless all scored scenarios were attempted."""
        return None if self.results[0].phy_q is None else metrics.phy_q(self.scenario_rates())

    def scenario_estimates(self) -> dict[int, Estimate]:
        """Pass rates by scenario, in percent, with intervals."""
        samples = scenario_samples(template_samples(self.task_rates()))
        return {
            scenario: Estimate(100.0 * rate, interval=percent_interval(samples[scenario]))
            for scenario, rate in self.scenario_rates().items()
        }

    def mean_estimate(self) -> Estimate:
        """The mean over scenarios (broad), or over templates, in percent, with its interval."""
        templates = template_samples(self.task_rates())
        parts = scenario_samples(templates) if self.results[0].setting == "broad" else templates
        return Estimate(100.0 * self.mean, interval=percent_interval(mean_samples([*parts.values()])))

    def level_estimate(self) -> Estimate:
        """The mean pass rate over levels, in percent, with its interval: bootstrap over levels."""
        rates = _mean_of(self.results, lambda result: result.task_rates())
        samples = resampled_means(np.array([*rates.values()])) if len(rates) > 1 else None
        return Estimate(100.0 * self.mean, interval=percent_interval(samples))

    def phy_q_estimate(self) -> Estimate | None:
        """The score with its interval; None unless all scored scenarios were attempted."""
        if self.phy_q is None:
            return None
        samples = phy_q_samples(scenario_samples(template_samples(self.task_rates())))
        return Estimate(self.phy_q, interval=None if samples is None else interval_of(samples))


def _mean_of(results: list[PhyQResult], rates_of: Callable[[PhyQResult], dict]) -> dict:  # type: ignore[type-arg]
    rates = [rates_of(result) for result in results]
    return {key: float(np.mean([of_run[key] for of_run in rates])) for key in rates[0]} if rates else {}


Group = grouping.Group[Conditions, Series]


def group_results(results: Iterable[PhyQResult]) -> list[Group]:
    """Phy-Q's results by conditions, and within by variant."""
    return grouping.group_results(results, Conditions, Series, COLOURS, physics_id(), INCIDENTAL)
