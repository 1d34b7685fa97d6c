"""Runs that can be compared: those of one variant make a series, series under the same conditions a group."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from tumble.report.variants import Variant, differing_words, in_order


class Run(Protocol):
    """What came of a run."""

    @property
    def finished(self) -> bool:
        """Whether it counts."""


R = TypeVar("R", bound=Run)
C = TypeVar("C", bound=Hashable)
S = TypeVar("S", bound="Series")  # type: ignore[type-arg]


@dataclass
class Series(Generic[R]):
    """The runs of one variant under the same conditions."""

    variant: Variant
    label: str = ""
    results: list[R] = field(default_factory=list)
    unfinished: list[R] = field(default_factory=list)


@dataclass
class Group(Generic[C, S]):
    """All runs under the same conditions."""

    conditions: C
    series: list[S]

    @property
    def finished(self) -> list[S]:
        """The series of which there is something to show."""
        return [one for one in self.series if one.results]


def extent(runs: Sequence[Run]) -> str:
    """From how many runs a report is made."""
    unfinished = sum(not run.finished for run in runs)
    text = f"Made from {len(runs)} run{'s' * (len(runs) != 1)}"
    return text + f", {unfinished} of them unfinished and in no mean" * bool(unfinished) + "."


def grouped(
    results: Iterable[R],
    conditions_of: Callable[[R], C],
    variant_of: Callable[[R], Variant],
    series_of: Callable[[Variant], S],
    known: Sequence[str],
) -> list[Group[C, S]]:
    """Results by conditions, and within by variant: known agents in their order, with labels that tell them apart."""
    found: dict[C, dict[Variant, S]] = {}
    for result in results:
        series, variant = found.setdefault(conditions_of(result), {}), variant_of(result)
        one = series.setdefault(variant, series_of(variant))
        (one.results if result.finished else one.unfinished).append(result)
    return [Group(conditions, _labelled(series, known)) for conditions, series in found.items()]


def _labelled(series: dict[Variant, S], known: Sequence[str]) -> list[S]:
    ordered = [series[variant] for variant in in_order(list(series), known)]
    for one in ordered:
        own = [variant for variant in series if variant.agent == one.variant.agent]
        one.label = ", ".join([one.variant.agent, *differing_words(one.variant, own)])
    return ordered
