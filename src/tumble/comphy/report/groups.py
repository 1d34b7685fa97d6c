"""Which runs can be compared: those of the same questions; and which are of the same model."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import nan

import numpy as np

from tumble.comphy.questions.question import Kind
from tumble.comphy.results import Result
from tumble.comphy.scoring import Tally
from tumble.report.variants import Variant, differing_words, in_order, variant_of

INCIDENTAL = ("seed",)
"""Settings in which runs of the same model may differ."""
ORDER = ("random", "frequent", "blind-lstm", "simulation", "oracle")


@dataclass(frozen=True)
class Conditions:
    """What runs must have in common to be compared."""

    split: str
    limit: int | None
    questions_sha256: str
    sets: int
    questions: int

    @property
    def title(self) -> str:
        sets = f"{self.sets:,} set{'s' * (self.sets != 1)}"
        limit = "the first " if self.limit is not None else ""
        return f"{self.split.capitalize()} split, {limit}{sets}, {self.questions:,} questions"


def conditions_of(result: Result) -> Conditions:
    header = result.header
    counts = int(header["task_count"]), int(header["question_count"])
    return Conditions(header["split"], header["limit"], header["questions_sha256"], *counts)


@dataclass
class Series:
    """The runs of one variant on the same questions; where there are several seeds, the mean counts."""

    variant: Variant
    label: str = ""
    results: list[Result] = field(default_factory=list)
    unfinished: list[Result] = field(default_factory=list)

    def mean(self, kind: Kind, value: Callable[[Tally], float]) -> float:
        """Of a figure of one kind of question; no number where there are no such questions."""
        found = [value(result.kinds[kind]) for result in self.results if kind in result.kinds]
        return float(np.mean(found)) if found else nan


@dataclass
class Group:
    """All runs on the same questions."""

    conditions: Conditions
    series: list[Series]

    @property
    def finished(self) -> list[Series]:
        return [one for one in self.series if one.results]


def grouped(results: Iterable[Result]) -> list[Group]:
    """Results by questions, and within by variant; the test split first."""
    found: dict[Conditions, dict[Variant, Series]] = {}
    for result in results:
        series = found.setdefault(conditions_of(result), {})
        variant = variant_of(result.model, result.header, INCIDENTAL)
        one = series.setdefault(variant, Series(variant))
        (one.results if result.finished else one.unfinished).append(result)
    groups = [Group(conditions, _labelled(list(series.values()))) for conditions, series in found.items()]
    return sorted(groups, key=lambda group: (group.conditions.split != "test", str(group.conditions)))


def _labelled(series: list[Series]) -> list[Series]:
    order = in_order([one.variant for one in series], ORDER)
    known = sorted(series, key=lambda one: order.index(one.variant))
    for one in known:
        own = [other.variant for other in known if other.variant.agent == one.variant.agent]
        one.label = ", ".join([one.variant.agent, *differing_words(one.variant, own)])
    return known
