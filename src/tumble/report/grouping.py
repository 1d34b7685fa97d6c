"""Runs that can be compared: those of one variant make a series, series under the same conditions a group."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from tumble.report.figures import Look
from tumble.report.variants import Variant, differing_settings, in_order, variant_of
from tumble.runs.result import Result

R = TypeVar("R", bound=Result)
C = TypeVar("C", bound="Conditions")
S = TypeVar("S", bound="Series[Any]")

OTHER_COLOURS = ("#8c564b", "#e377c2", "#bcbd22", "#5254a3", "#637939")
"""Of user-defined agents."""
DASHES = ("solid", "dashed", "dotted", "dashdot")
"""Of the variants of one agent."""


@dataclass(frozen=True)
class Conditions(ABC):
    """What runs must have in common to be compared; subclasses add fields of the run specification or header."""

    physics: str

    @classmethod
    def of(cls: type[C], result: Result) -> C:
        """The conditions of a run."""
        header = result.header
        known = {**header.details, **header.spec, **header.digests, "task_count": header.task_count}
        known["physics"] = header.physics
        values: dict[str, Any] = {one.name: known[one.name] for one in fields(cls)}
        hashable: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        return cls(**hashable)

    @property
    @abstractmethod
    def as_published(self) -> bool:
        """Whether the paper's results are of the same tasks and attempts."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The heading of their section."""

    @property
    def description(self) -> str:
        """The conditions in a sentence."""
        return f"Physics {self.physics}."


@dataclass
class Series(Generic[R]):
    """The runs of one variant under the same conditions; where they are repeats, their mean counts."""

    variant: Variant
    label: str = ""
    look: Look = field(default_factory=lambda: Look("#000000"))
    results: list[R] = field(default_factory=list)
    """Finished runs."""
    unfinished: list[R] = field(default_factory=list)

    @property
    def runs(self) -> list[R]:
        """All runs, finished ones first."""
        return [*self.results, *self.unfinished]


@dataclass
class Group(Generic[C, S]):
    """All runs under the same conditions."""

    conditions: C
    series: list[S]

    @property
    def finished(self) -> list[S]:
        """The series with finished runs."""
        return [one for one in self.series if one.results]


def group_results(
    results: Iterable[R],
    conditions: type[C],
    series: type[S],
    colours: Mapping[str, str],
    physics: str,
    incidental: Collection[str],
    label: Callable[[Variant, list[str]], str] = lambda variant, words: ", ".join([variant.agent, *words]),
) -> list[Group[C, S]]:
    """Results by conditions, and within by variant: known agents (those with colours) in their order.

    Conditions like the paper's come first, then those of the current physics. `incidental` are settings in which runs
    of one variant may differ; `label` makes a series' label from its variant and the settings in which it differs.
    """
    found: dict[C, dict[Variant, S]] = {}
    for result in results:
        variants = found.setdefault(conditions.of(result), {})
        variant = variant_of(result.agent, result.header, incidental)
        one = variants.setdefault(variant, series(variant))
        (one.results if result.finished else one.unfinished).append(result)
    groups = [Group(own, _styled(list(variants.values()), colours, label)) for own, variants in found.items()]

    def rank(group: Group[C, S]) -> tuple[bool, bool, str]:
        return not group.conditions.as_published, group.conditions.physics != physics, str(group.conditions)

    return sorted(groups, key=rank)


def _styled(series: list[S], colours: Mapping[str, str], label: Callable[[Variant, list[str]], str]) -> list[S]:
    """Series in the order of agents, with labels, colours by agent and dashes by variant."""
    order = in_order([one.variant for one in series], list(colours))
    ordered = sorted(series, key=lambda one: order.index(one.variant))
    agents = dict.fromkeys(one.variant.agent for one in ordered)
    others = [agent for agent in agents if agent not in colours]
    for agent in agents:
        own = [one for one in ordered if one.variant.agent == agent]
        colour = colours.get(agent) or OTHER_COLOURS[others.index(agent) % len(OTHER_COLOURS)]
        for number, one in enumerate(own):
            one.label = label(one.variant, differing_settings(one.variant, [other.variant for other in own]))
            one.look = Look(colour, DASHES[number % len(DASHES)])
    return ordered
