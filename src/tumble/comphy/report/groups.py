"""Which runs can be compared: those of the same questions; and which are of the same model."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import nan

import numpy as np

from tumble.comphy.evaluation.metrics import Tally
from tumble.comphy.evaluation.result import Result
from tumble.comphy.tasks.question import Kind
from tumble.report import grouping
from tumble.report.variants import Variant, variant_of

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


class Series(grouping.Series[Result]):
    """The runs of one variant on the same questions; where there are several seeds, the mean counts."""

    def mean(self, kind: Kind, value: Callable[[Tally], float]) -> float:
        """Of a figure of one kind of question; no number where there are no such questions."""
        found = [value(result.kinds[kind]) for result in self.results if kind in result.kinds]
        return float(np.mean(found)) if found else nan


Group = grouping.Group[Conditions, Series]


def grouped(results: Iterable[Result]) -> list[Group]:
    """Results by questions, and within by variant; the test split first."""
    groups = grouping.grouped(results, conditions_of, _variant_of, Series, ORDER)
    return sorted(groups, key=lambda group: (group.conditions.split != "test", str(group.conditions)))


def _variant_of(result: Result) -> Variant:
    return variant_of(result.model, result.header, INCIDENTAL)
