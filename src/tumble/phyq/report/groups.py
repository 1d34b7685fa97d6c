"""Which runs can be compared: those of the same tasks with the same physics; and which are of the same agent."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from tumble.phyq.evaluation import metrics
from tumble.phyq.evaluation.result import USUAL, Result
from tumble.phyq.simulation import simulator
from tumble.report import grouping
from tumble.report.figures import Look
from tumble.report.variants import OTHER_LOOKS, Variant, variant_of

INCIDENTAL = ("seed", "device", "checkpoint")
"""Settings in which runs of the same agent may differ."""
LOOKS = {
    "random": "#7f7f7f",
    "pig_shooter": "#e377c2",
    "datalab_style": "#1f77b4",
    "eagles_wing_style": "#2ca02c",
    "bambirds_style": "#d62728",
}
PUBLISHED = {
    "random": "Random",
    "pig_shooter": "Pig Shooter",
    "datalab_style": "Datalab",
    "eagles_wing_style": "Eagle's Wing",
    "bambirds_style": "Bambirds",
}
"""What stands beside ours in the paper."""
SETTING_TITLES = {
    "broad": "Broad generalisation: test templates of every scenario",
    "local": "Local generalisation: test tasks of every template",
    "tasks": "Chosen tasks",
}


@dataclass(frozen=True)
class Conditions:
    """What runs must have in common to be compared."""

    setting: str
    only: tuple[str, ...]
    limit: int | None
    tasks_sha256: str
    physics: str

    @property
    def as_published(self) -> bool:
        """Whether the paper's results are of such tasks, all of them."""
        return self.setting != "tasks" and self.limit is None and not self.only

    @property
    def rank(self) -> tuple[bool, bool, str]:
        """By which conditions are ordered: those like the paper's first, and those of the physics of today."""
        return not self.as_published, self.physics != simulator.physics_id(), str(self)

    @property
    def title(self) -> str:
        only = f", only {', '.join(self.only)}" if self.only else ""
        limit = f", first {self.limit} tasks of each" if self.limit is not None else ""
        return f"{SETTING_TITLES[self.setting]}{only}{limit}"


def conditions_of(result: Result) -> Conditions:
    header = result.header
    only = tuple(header["only"])
    return Conditions(result.setting, only, header["limit"], header["tasks_sha256"], header["physics"])


@dataclass
class Series(grouping.Series[Result]):
    """The runs of one variant under the same conditions; where there are several seeds, the mean counts."""

    look: Look = field(default_factory=lambda: Look("#000000"))

    def scenario_rates(self, protocol: str = USUAL) -> dict[int, float]:
        return _mean_of(self.results, lambda result: result.scenario_rates(protocol))

    def template_rates(self, protocol: str = USUAL) -> dict[str, float]:
        return _mean_of(self.results, lambda result: result.template_rates(protocol))

    @property
    def mean(self) -> float:
        return float(np.mean([result.mean for result in self.results]))

    @property
    def phy_q(self) -> float | None:
        """The score of the mean rates, where there are all."""
        rates = self.scenario_rates()
        if self.results[0].phy_q is None:
            return None
        return metrics.phy_q(rates)


def _mean_of(results: list[Result], rates_of: Callable[[Result], dict]) -> dict:  # type: ignore[type-arg]
    found = [rates_of(result) for result in results]
    return {key: float(np.mean([rates[key] for rates in found])) for key in found[0]} if found else {}


Group = grouping.Group[Conditions, Series]


def grouped(results: Iterable[Result]) -> list[Group]:
    """Results by conditions, and within by variant."""
    groups = grouping.grouped(results, conditions_of, _variant_of, Series, list(LOOKS))
    for group in groups:
        _dress(group.series)
    return sorted(groups, key=lambda group: group.conditions.rank)


def _variant_of(result: Result) -> Variant:
    return variant_of(result.agent, result.header, INCIDENTAL)


def _dress(series: list[Series]) -> None:
    """Gives every agent its colour."""
    strangers = list(dict.fromkeys(one.variant.agent for one in series if one.variant.agent not in LOOKS))
    for one in series:
        agent = one.variant.agent
        one.look = Look(LOOKS.get(agent) or OTHER_LOOKS[strangers.index(agent) % len(OTHER_LOOKS)])
