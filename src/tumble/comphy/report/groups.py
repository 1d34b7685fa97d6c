"""Groups ComPhy's runs that can be compared: those on the same questions."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from tumble.comphy.catalogue.task import Kind
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld, world_of_physics
from tumble.comphy.evaluation.metrics import Tally
from tumble.comphy.evaluation.result import ComPhyResult
from tumble.comphy.simulation.simulator import physics_id
from tumble.output import plural
from tumble.report import grouping
from tumble.report.estimates import Estimate, over_clusters

INCIDENTAL = ("seed",)
"""Settings in which runs of one variant may differ."""
COLOURS = {
    "shown": "#9467bd",
    "random": "#7f7f7f",
    "frequent": "#1f77b4",
    "blind-lstm": "#ff7f0e",
    "simulation": "#2ca02c",
    "oracle": "#111111",
}


@dataclass(frozen=True)
class Conditions(grouping.Conditions):
    """What ComPhy's runs must have in common to be compared."""

    split: str
    limit: int | None
    questions_sha256: str
    task_count: int
    question_count: int

    @property
    def as_published(self) -> bool:
        return self.split == "test"

    @property
    def world(self) -> ObjectWorld:
        """The world of the sets."""
        return world_of_physics(self.physics)

    @property
    def title(self) -> str:
        limit = " spread over families" if self.limit is not None else ""
        name = "split" if self.world is PLAIN else f"split of the {self.world.name} world"
        sets, questions = plural(self.task_count, "set"), plural(self.question_count, "question")
        return f"{self.split.capitalize()} {name}, {sets}{limit}, {questions}"


class Series(grouping.Series[ComPhyResult]):
    """The runs of one variant with different seeds, which are averaged."""

    def mean(self, kind: Kind, accuracy: Callable[[Tally], float]) -> float:
        """The mean accuracy over one kind of question; NaN if there are no such questions."""
        values = [accuracy(result.kinds[kind]) for result in self.results if kind in result.kinds]
        return float(np.mean(values)) if values else nan

    def estimate(self, kind: Kind, per_option: bool) -> Estimate:
        """The mean accuracy over one kind of question, with its interval: bootstrap over sets."""
        counts: dict[int, list[float]] = {}
        for result in self.results:
            for mark in result.marks:
                if mark.kind == kind:
                    of_set = counts.setdefault(mark.index, [0.0, 0.0])
                    of_set[0] += sum(mark.correct) if per_option else mark.all_correct
                    of_set[1] += len(mark.correct) if per_option else 1
        value = self.mean(kind, lambda tally: tally.per_option if per_option else tally.per_question)
        if not counts:
            return Estimate(value)
        correct, all_parts = np.array([counts[index] for index in sorted(counts)]).T
        return replace(over_clusters(100.0 * correct, all_parts), value=value)


Group = grouping.Group[Conditions, Series]


def group_results(results: Iterable[ComPhyResult]) -> list[Group]:
    """ComPhy's results by questions, and within by variant."""
    return grouping.group_results(results, Conditions, Series, COLOURS, physics_id(), INCIDENTAL)
