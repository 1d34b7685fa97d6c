"""Groups runs that can be compared: runs of one variant form a series, series under the same conditions a group."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from tumble.report.figures import Style
from tumble.report.variants import Variant, differing_settings, sort_variants, variant_of
from tumble.runs.result import Result

R = TypeVar("R", bound=Result)
C = TypeVar("C", bound="Conditions")
S = TypeVar("S", bound="Series[Any]")

OTHER_COLOURS = ("#8c564b", "#e377c2", "#bcbd22", "#5254a3", "#637939")
"""Colours of user-defined agents."""
DASHES = ("solid", "dashed", "dotted", "dashdot")
"""Line styles of the variants of one agent."""


@dataclass(frozen=True)
class Conditions(ABC):
    """What runs must have in common to be compared; subclasses add fields of the run specification or header."""

    physics: str

    @classmethod
    def of(cls: type[C], result: Result) -> C:
        """The conditions of a run."""
        header = result.header
        available = {**header.details, **header.spec, **header.digests, "task_count": header.task_count}
        available["physics"] = header.physics
        values: dict[str, Any] = {condition.name: available[condition.name] for condition in fields(cls)}
        hashable: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        return cls(**hashable)

    @property
    @abstractmethod
    def as_published(self) -> bool:
        """Whether the paper's results are for the same tasks and attempts."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The heading of their section."""

    @property
    def description(self) -> str:
        """A sentence that describes the conditions."""
        return f"Physics {self.physics}."


@dataclass
class Series(Generic[R]):
    """The runs of one variant under the same conditions; repeats are averaged."""

    variant: Variant
    label: str = ""
    style: Style = field(default_factory=lambda: Style("#000000"))
    results: list[R] = field(default_factory=list)
    """Finished runs."""
    unfinished: list[R] = field(default_factory=list)

    @property
    def runs(self) -> list[R]:
        """All runs, finished ones first."""
        return [*self.results, *self.unfinished]

    @property
    def given(self) -> str:
        """What the participant was given, in words."""
        return ", or ".join(dict.fromkeys(run.agent_was_given for run in self.runs))


def given_note(series: Iterable[Series[Any]]) -> str:
    """What each participant of a table was given, for tables whose columns they are."""
    return f"Given: {'. '.join(f'{one.label}: {one.given}' for one in series)}."


@dataclass
class Group(Generic[C, S]):
    """All runs under the same conditions."""

    conditions: C
    series: list[S]

    @property
    def finished(self) -> list[S]:
        """The series with finished runs."""
        return [series for series in self.series if series.results]


def group_results(
    results: Iterable[R],
    conditions_class: type[C],
    series_class: type[S],
    colours: Mapping[str, str],
    physics: str,
    incidental: Collection[str],
    label: Callable[[Variant, list[str]], str] = lambda variant, settings: ", ".join([variant.agent, *settings]),
) -> list[Group[C, S]]:
    """Groups results by conditions, and within by variant: known agents (those with colours) first, in their order.

    Groups under the paper's conditions come first, then those with the current physics. `incidental` are settings in
    which runs of one variant may differ; `label` returns a label for a variant and the settings in which it differs.
    """
    by_conditions: dict[C, dict[Variant, S]] = {}
    for result in results:
        by_variant = by_conditions.setdefault(conditions_class.of(result), {})
        variant = variant_of(result.agent, result.header, incidental)
        series = by_variant.setdefault(variant, series_class(variant))
        (series.results if result.finished else series.unfinished).append(result)
    groups = [
        Group(conditions, _label_and_style(list(by_variant.values()), colours, label))
        for conditions, by_variant in by_conditions.items()
    ]

    def rank(group: Group[C, S]) -> tuple[bool, bool, str]:
        return not group.conditions.as_published, group.conditions.physics != physics, str(group.conditions)

    return sorted(groups, key=rank)


def _label_and_style(
    all_series: list[S], colours: Mapping[str, str], label: Callable[[Variant, list[str]], str]
) -> list[S]:
    """Sorts series by agent, and sets labels, colours (by agent) and dashes (by variant)."""
    order = sort_variants([series.variant for series in all_series], list(colours))
    ordered = sorted(all_series, key=lambda series: order.index(series.variant))
    agents = dict.fromkeys(series.variant.agent for series in ordered)
    others = [agent for agent in agents if agent not in colours]
    for agent in agents:
        of_agent = [series for series in ordered if series.variant.agent == agent]
        colour = colours.get(agent) or OTHER_COLOURS[others.index(agent) % len(OTHER_COLOURS)]
        for number, series in enumerate(of_agent):
            differing = differing_settings(series.variant, [other.variant for other in of_agent])
            series.label = label(series.variant, differing)
            series.style = Style(colour, DASHES[number % len(DASHES)])
    return ordered
