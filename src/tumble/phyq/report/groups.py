"""Which runs can be compared: those of the same tasks with the same physics; and which are of the same agent."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from tumble.phyq import metrics, simulate
from tumble.phyq.results import USUAL, Result
from tumble.report.figures import Look
from tumble.report.variants import OTHER_LOOKS, Variant, differing_words, in_order, variant_of

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
        return not self.as_published, self.physics != simulate.physics_id(), str(self)

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
class Series:
    """The runs of one variant under the same conditions; where there are several seeds, the mean counts."""

    variant: Variant
    label: str = ""
    look: Look = field(default_factory=lambda: Look("#000000"))
    results: list[Result] = field(default_factory=list)
    unfinished: list[Result] = field(default_factory=list)

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


@dataclass
class Group:
    """All runs under the same conditions."""

    conditions: Conditions
    series: list[Series]

    @property
    def finished(self) -> list[Series]:
        return [one for one in self.series if one.results]


def grouped(results: Iterable[Result]) -> list[Group]:
    """Results by conditions, and within by variant."""
    found: dict[Conditions, dict[Variant, Series]] = {}
    for result in results:
        series = found.setdefault(conditions_of(result), {})
        variant = variant_of(result.agent, result.header, INCIDENTAL)
        one = series.setdefault(variant, Series(variant))
        (one.results if result.finished else one.unfinished).append(result)
    groups = [Group(conditions, _dressed(list(series.values()))) for conditions, series in found.items()]
    return sorted(groups, key=lambda group: group.conditions.rank)


def _dressed(series: list[Series]) -> list[Series]:
    """Series with labels and looks, in the order of agents."""
    order = in_order([one.variant for one in series], list(LOOKS))
    known = sorted(series, key=lambda one: order.index(one.variant))
    strangers = list(dict.fromkeys(one.variant.agent for one in known if one.variant.agent not in LOOKS))
    for one in known:
        agent = one.variant.agent
        own = [other.variant for other in known if other.variant.agent == agent]
        colour = LOOKS.get(agent) or OTHER_LOOKS[strangers.index(agent) % len(OTHER_LOOKS)]
        one.label, one.look = ", ".join([agent, *differing_words(one.variant, own)]), Look(colour)
    return known
