"""Which runs can be compared: those under the same conditions; and which are of the same agent.

Runs of one agent with the same settings, on different folds, belong together; where they differ in nothing but the
seed or the action set, they are repeats of which the mean counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tumble import engine
from tumble.phyre.evaluation.result import Result
from tumble.phyre.tasks.splits import SETTINGS
from tumble.phyre.tasks.task import MAX_ATTEMPTS
from tumble.report.figures import Look
from tumble.report.variants import OTHER_LOOKS, Variant, differing_words, in_order, variant_of
from tumble.runs.log import Row

INCIDENTAL = ("seed", "action_set", "device", "checkpoint", "loaded", "minutes", "save_every", "log_every")
"""Settings in which runs of the same agent may differ."""
LOOKS = {
    "rand": "#7f7f7f",
    "mem": "#1f77b4",
    "mem-o": "#17becf",
    "dqn": "#d62728",
    "dqn-o": "#ff7f0e",
    "explorer": "#2ca02c",
    "explorer-o": "#9467bd",
    "optimal": "#111111",
}
DASHES = ("solid", "dashed", "dotted", "dashdot")


@dataclass(frozen=True)
class Conditions:
    """What runs must have in common to be compared."""

    split: str
    attempts: int
    limit: int | None
    tasks: str | None
    tasks_sha256: str | None
    physics: str

    @property
    def as_published(self) -> bool:
        """Whether the paper's results are of the same tasks and attempts."""
        return self.split == "test" and self.attempts == MAX_ATTEMPTS and self.limit is None and self.tasks is None

    @property
    def rank(self) -> tuple[bool, bool, str]:
        """By which conditions are ordered: those like the paper's first, and those of the physics of today."""
        return not self.as_published, self.physics != engine.physics_id(), str(self)

    @property
    def title(self) -> str:
        name = "Test sets" if self.split == "test" else "Validation sets"
        if self.tasks is not None:
            name = f"Own tasks: {Path(self.tasks).name}"
        return name if self.limit is None else f"{name}, first {self.limit} tasks"

    @property
    def words(self) -> str:
        """The conditions in a sentence."""
        tasks = f"The {self.split} tasks of each fold" if self.tasks is None else f"The tasks of {self.tasks}"
        if self.limit is not None:
            tasks += f", only the first {self.limit}"
        return f"{tasks}; up to {self.attempts} attempts at each; physics {self.physics}."


def conditions_of(header: Row) -> Conditions:
    return Conditions(**{name: header[name] for name in Conditions.__dataclass_fields__})


@dataclass
class Series:
    """The runs of one variant under the same conditions."""

    variant: Variant
    label: str = ""
    look: Look = field(default_factory=lambda: Look("#000000"))
    results: dict[tuple[str, int], list[Result]] = field(default_factory=dict)
    """Finished runs by setting and fold."""
    unfinished: dict[tuple[str, int], list[Result]] = field(default_factory=dict)

    @property
    def is_oracle(self) -> bool:
        runs = [*self.results.values(), *self.unfinished.values()]
        return any(result.header.get("is_shown_solutions") for repeats in runs for result in repeats)

    def folds(self, setting: str) -> list[int]:
        """The folds that are finished."""
        return sorted(fold for own, fold in self.results if own == setting)

    def auccess(self, setting: str) -> dict[int, float]:
        """AUCCESS of each fold, the mean of repeats."""
        return {fold: float(np.mean([r.auccess for r in self.results[setting, fold]])) for fold in self.folds(setting)}

    def success(self, setting: str, attempts: int) -> dict[int, float]:
        """Success within so many attempts, of each fold."""
        return {
            fold: float(np.mean([r.success(attempts) for r in self.results[setting, fold]]))
            for fold in self.folds(setting)
        }

    def curves(self, setting: str) -> np.ndarray:
        """Success curves [fold, attempts]."""
        return np.array(
            [np.mean([r.curve for r in self.results[setting, fold]], axis=0) for fold in self.folds(setting)]
        )


@dataclass
class Group:
    """All runs under the same conditions."""

    conditions: Conditions
    series: list[Series]

    @property
    def settings(self) -> list[str]:
        """Those of finished runs, in the order in which they are known."""
        return [setting for setting in SETTINGS if any(one.folds(setting) for one in self.series)]

    def of_agent(self, agent: str) -> list[Series]:
        return [one for one in self.series if one.variant.agent == agent]

    def main_series(self, setting: str, most: int) -> list[Series]:
        """All series with finished runs in a setting, or where they are more than so many, of each agent one.

        That with most folds, among equals with most runs in all, then the one whose settings most others share; in
        validation, where choosing is allowed, then the best.
        """
        present = [one for one in self.series if one.folds(setting)]
        if len(present) <= most:
            return present

        def standing(one: Series) -> tuple[int, int, int, float]:
            own = one.variant.values.items()
            shared = sum(other.variant.values.get(name) == value for name, value in own for other in self.series)
            best = float(np.mean(list(one.auccess(setting).values()))) if self.conditions.split == "validation" else 0.0
            return len(one.folds(setting)), len(one.results), shared, best

        agents = list(dict.fromkeys(one.variant.agent for one in present))
        return [max((one for one in present if one.variant.agent == agent), key=standing) for agent in agents]


def grouped(results: Iterable[Result]) -> list[Group]:
    """Results by conditions, and within by variant."""
    found: dict[Conditions, dict[Variant, Series]] = {}
    for result in results:
        series = found.setdefault(conditions_of(result.header), {})
        variant = variant_of(result.agent, result.header, INCIDENTAL)
        one = series.setdefault(variant, Series(variant))
        runs = one.results if result.finished else one.unfinished
        runs.setdefault((result.setting, result.fold), []).append(result)
    groups = [Group(conditions, _dressed(list(series.values()))) for conditions, series in found.items()]
    return sorted(groups, key=lambda group: group.conditions.rank)


def _dressed(series: list[Series]) -> list[Series]:
    """Series with labels and looks, in the order of agents."""
    order = in_order([one.variant for one in series], list(LOOKS))
    known = sorted(series, key=lambda one: order.index(one.variant))
    agents = list(dict.fromkeys(one.variant.agent for one in known))
    strangers = [agent for agent in agents if agent not in LOOKS]
    for agent in agents:
        own = [one for one in known if one.variant.agent == agent]
        colour = LOOKS.get(agent) or OTHER_LOOKS[strangers.index(agent) % len(OTHER_LOOKS)]
        for number, one in enumerate(own):
            one.label = _label(one.variant, [other.variant for other in own])
            one.look = Look(colour, DASHES[number % len(DASHES)])
    return known


def _label(variant: Variant, all_of_agent: list[Variant]) -> str:
    """The agent's name, and the settings in which its variants differ."""
    name = variant.agent.upper() if variant.agent in LOOKS else variant.agent
    words = differing_words(variant, all_of_agent)
    if variant.agent == "rand":
        words = [
            "independent draws" if word == "ranked 0" else word.replace("ranked", "fixed set of") for word in words
        ]
    return ", ".join([name, *words])
