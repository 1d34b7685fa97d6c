"""Groups PHYRE's runs that can be compared.

Runs of one agent with the same settings on different folds form a series; runs on the same fold that differ only in the
seed or the action set are repeats, which are averaged.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tumble import engine
from tumble.output import plural
from tumble.phyre.catalogue.task import MAX_ATTEMPTS
from tumble.phyre.catalogue.tasks_by_id import BALANCED_SETTINGS, SETTINGS
from tumble.phyre.evaluation.metrics import attempt_weights
from tumble.phyre.evaluation.result import PhyreResult, success_limits
from tumble.report import grouping
from tumble.report.estimates import Estimate, band_of, over_folds, over_tasks, resampled_means
from tumble.report.grouping import Variant

INCIDENTAL = ("seed", "action_set", "device", "checkpoint", "loaded", "minutes")
"""Settings in which runs of one variant may differ."""
COLOURS = {
    "rand": "#7f7f7f",
    "mem": "#1f77b4",
    "mem-o": "#17becf",
    "dqn": "#d62728",
    "dqn-o": "#ff7f0e",
    "explorer": "#2ca02c",
    "explorer-o": "#9467bd",
    "optimal": "#111111",
}


@dataclass(frozen=True)
class Conditions(grouping.Conditions):
    """What PHYRE's runs must have in common to be compared."""

    split: str
    attempts: int
    limit: int | None
    tasks: str | None
    tasks_sha256: str | None

    @property
    def as_published(self) -> bool:
        return self.split == "test" and self.attempts == MAX_ATTEMPTS and self.limit is None and self.tasks is None

    @property
    def title(self) -> str:
        name = "Test sets" if self.split == "test" else "Validation sets"
        if self.tasks is not None:
            name = f"User-defined tasks: {Path(self.tasks).name}"
        limit = "" if self.limit is None else f", {self.limit} tasks spread over templates"
        attempts = "" if self.attempts == MAX_ATTEMPTS else f", {plural(self.attempts, 'attempt')}"
        return f"{name}{limit}{attempts}"

    @property
    def description(self) -> str:
        tasks = f"The {self.split} tasks of each fold" if self.tasks is None else f"The tasks of {self.tasks}"
        limit = "" if self.limit is None else f", only {self.limit} spread over the templates"
        return f"{tasks}{limit}; up to {plural(self.attempts, 'attempt')} at each; physics {self.physics}."


class Series(grouping.Series[PhyreResult]):
    """The runs of one variant on several folds; repeats are averaged."""

    @property
    def is_oracle(self) -> bool:
        return any(run.is_oracle for run in self.runs)

    def repeats(self, setting: str, fold: int) -> list[PhyreResult]:
        """The finished runs on one fold."""
        return [run for run in self.results if (run.setting, run.fold) == (setting, fold)]

    def folds(self, setting: str) -> list[int]:
        """The folds with finished runs."""
        return sorted({run.fold for run in self.results if run.setting == setting})

    def _means(self, setting: str, value: Callable[[PhyreResult], float]) -> dict[int, float]:
        return {fold: float(np.mean([value(r) for r in self.repeats(setting, fold)])) for fold in self.folds(setting)}

    def auccess(self, setting: str) -> dict[int, float]:
        """AUCCESS by fold."""
        return self._means(setting, lambda run: run.auccess)

    def success(self, setting: str, attempts: int) -> dict[int, float]:
        """Success within a number of attempts, by fold."""
        return self._means(setting, lambda run: run.success(attempts))

    def curves(self, setting: str) -> np.ndarray:
        """Success curves [fold, attempts]."""
        repeats = [self.repeats(setting, fold) for fold in self.folds(setting)]
        return np.array([np.mean([run.curve for run in runs], axis=0) for runs in repeats])

    def auccess_estimate(self, setting: str) -> Estimate | None:
        """AUCCESS with its standard deviation over folds, or its interval over the tasks of the only fold."""
        credit = 100.0 * np.cumsum(attempt_weights()[::-1])[::-1]  # of a task solved at attempt 1, 2, …
        return self._estimate(self.auccess(setting), setting, lambda at: credit[at - 1] if at <= len(credit) else 0.0)

    def success_estimates(self, setting: str) -> list[Estimate | None]:
        """Success within `success_limits`, as `auccess_estimate`."""
        attempts = max((run.spec.attempts for run in self.results), default=MAX_ATTEMPTS)
        return [self.success_estimate(setting, limit) for limit in success_limits(attempts)]

    def success_estimate(self, setting: str, limit: int) -> Estimate | None:
        """Success within a number of attempts, as `auccess_estimate`."""
        return self._estimate(self.success(setting, limit), setting, lambda at: 100.0 * (at <= limit))

    def _estimate(self, by_fold: dict[int, float], setting: str, credit: Callable[[int], float]) -> Estimate | None:
        if not by_fold:
            return None
        if len(by_fold) > 1:
            return over_folds(list(by_fold.values()))
        (fold,) = by_fold
        return replace(over_tasks(self._solved(setting, fold, credit)), value=by_fold[fold])

    def _solved(self, setting: str, fold: int, credit: Callable[[int], float]) -> np.ndarray:
        """float [tasks]: the credit of each task of a fold by the attempt that solved it, the mean of repeats."""
        credits = [
            [0.0 if at is None else credit(at) for _, at in sorted(run.solved_at.items())]
            for run in self.repeats(setting, fold)
        ]
        return np.asarray(np.mean(credits, axis=0))

    def curve_band(self, setting: str) -> np.ndarray | None:
        """float [2, attempts]: the uncertainty of the mean curve, as `auccess_estimate`; None for a single task."""
        curves = self.curves(setting)
        if len(curves) > 1:
            mean, deviation = curves.mean(axis=0), curves.std(axis=0, ddof=1)
            return np.array([mean - deviation, mean + deviation])
        (fold,) = self.folds(setting)
        runs = self.repeats(setting, fold)
        limits = np.arange(1, runs[0].spec.attempts + 1)
        solved_at = np.array([[at or np.inf for _, at in sorted(run.solved_at.items())] for run in runs])
        if solved_at.shape[1] < 2:
            return None
        return band_of(resampled_means(100.0 * (solved_at[:, :, None] <= limits).mean(axis=0)))


class Group(grouping.Group[Conditions, Series]):
    """All of PHYRE's runs under the same conditions."""

    @property
    def settings(self) -> list[str]:
        """The settings with finished runs, in the order of `SETTINGS`; those with balanced folds come last."""
        known = (*SETTINGS, *BALANCED_SETTINGS)
        return [setting for setting in known if any(series.folds(setting) for series in self.series)]

    def of_agent(self, agent: str) -> list[Series]:
        return [series for series in self.series if series.variant.agent == agent]

    def main_series(self, setting: str, max_count: int) -> list[Series]:
        """All series with finished runs in a setting, or one of each agent if there are more than `max_count`.

        Of each agent the series with most folds, then with most runs in all, then whose settings are most common; on
        validation tasks, where selection is allowed, then the best.
        """
        finished = [series for series in self.series if series.folds(setting)]
        if len(finished) <= max_count:
            return finished
        is_validation = self.conditions.split == "validation"

        def rank(series: Series) -> tuple[int, int, int, float]:
            settings = series.variant.values.items()
            common = sum(other.variant.values.get(name) == value for name, value in settings for other in self.series)
            score = float(np.mean(list(series.auccess(setting).values()))) if is_validation else 0.0
            return len(series.folds(setting)), len({(run.setting, run.fold) for run in series.results}), common, score

        agents = list(dict.fromkeys(series.variant.agent for series in finished))
        return [max((series for series in finished if series.variant.agent == agent), key=rank) for agent in agents]


def group_results(results: Iterable[PhyreResult]) -> list[Group]:
    """PHYRE's results by conditions, and within by variant."""
    groups = grouping.group_results(results, Conditions, Series, COLOURS, engine.physics_id(), INCIDENTAL, _label)
    return [Group(group.conditions, group.series) for group in groups]


def _label(variant: Variant, differing: list[str]) -> str:
    """The agent's name, in capitals if it is built in, and the settings in which its variants differ."""
    name = variant.agent.upper() if variant.agent in COLOURS else variant.agent
    if variant.agent == "rand":
        differing = [
            "independent draws" if text == "ranked 0" else text.replace("ranked", "fixed set of") for text in differing
        ]
    return ", ".join([name, *differing])
