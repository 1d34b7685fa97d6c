"""Which of PHYRE's runs can be compared.

Runs of one agent with the same settings on different folds belong together; where they differ in nothing but the seed
or the action set, they are repeats whose mean counts.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tumble import engine
from tumble.phyre.evaluation.result import PhyreResult
from tumble.phyre.tasks.splits import SETTINGS
from tumble.phyre.tasks.task import MAX_ATTEMPTS
from tumble.report import grouping
from tumble.report.variants import Variant

INCIDENTAL = ("seed", "action_set", "device", "checkpoint", "loaded", "minutes", "save_every", "log_every")
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
        return name if self.limit is None else f"{name}, first {self.limit} tasks"

    @property
    def description(self) -> str:
        tasks = f"The {self.split} tasks of each fold" if self.tasks is None else f"The tasks of {self.tasks}"
        limit = "" if self.limit is None else f", only the first {self.limit}"
        return f"{tasks}{limit}; up to {self.attempts} attempts at each; physics {self.physics}."


class Series(grouping.Series[PhyreResult]):
    """The runs of one variant on several folds; the mean of repeats counts."""

    @property
    def is_oracle(self) -> bool:
        return any(run.header.details["is_shown_solutions"] for run in self.runs)

    def repeats(self, setting: str, fold: int) -> list[PhyreResult]:
        """Finished runs on one fold."""
        return [run for run in self.results if (run.setting, run.fold) == (setting, fold)]

    def folds(self, setting: str) -> list[int]:
        """The folds that are finished."""
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
        return np.array([np.mean([run.curve for run in own], axis=0) for own in repeats])


class Group(grouping.Group[Conditions, Series]):
    """All of PHYRE's runs under the same conditions."""

    @property
    def settings(self) -> list[str]:
        """Those of finished runs, in their usual order."""
        return [setting for setting in SETTINGS if any(one.folds(setting) for one in self.series)]

    def of_agent(self, agent: str) -> list[Series]:
        return [one for one in self.series if one.variant.agent == agent]

    def main_series(self, setting: str, most: int) -> list[Series]:
        """All series with finished runs in a setting, or where they are more than `most`, one of each agent.

        The one with most folds, among equals with most runs in all, then the one whose settings most others share; in
        validation, where choosing is allowed, then the best.
        """
        present = [one for one in self.series if one.folds(setting)]
        if len(present) <= most:
            return present

        def rank(one: Series) -> tuple[int, int, int, float]:
            settings = one.variant.values.items()
            shared = sum(other.variant.values.get(name) == value for name, value in settings for other in self.series)
            best = float(np.mean(list(one.auccess(setting).values()))) if self.conditions.split == "validation" else 0.0
            return len(one.folds(setting)), len({(run.setting, run.fold) for run in one.results}), shared, best

        agents = list(dict.fromkeys(one.variant.agent for one in present))
        return [max((one for one in present if one.variant.agent == agent), key=rank) for agent in agents]


def group_results(results: Iterable[PhyreResult]) -> list[Group]:
    """PHYRE's results by conditions, and within by variant."""
    found = grouping.group_results(results, Conditions, Series, COLOURS, engine.physics_id(), INCIDENTAL, _label)
    return [Group(group.conditions, group.series) for group in found]


def _label(variant: Variant, differing: list[str]) -> str:
    """The agent's name in the paper's letters, and the settings in which its variants differ."""
    name = variant.agent.upper() if variant.agent in COLOURS else variant.agent
    if variant.agent == "rand":
        differing = [
            "independent draws" if word == "ranked 0" else word.replace("ranked", "fixed set of") for word in differing
        ]
    return ", ".join([name, *differing])
