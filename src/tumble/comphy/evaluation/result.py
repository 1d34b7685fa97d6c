"""Results of runs: which questions were answered rightly, and the accuracies that follow."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tumble.comphy import agents
from tumble.comphy.evaluation.log_rows import marks_of
from tumble.comphy.evaluation.metrics import Mark, Tally, by_family, by_kind, tally
from tumble.comphy.evaluation.run_spec import from_header
from tumble.comphy.tasks.question import Kind
from tumble.runs.log import Log, Row
from tumble.runs.run_spec import check_header

NEEDED = ("settings", "questions_sha256", "task_count", "question_count")
"""What a header has beside what says which experiment it was."""


@dataclass(frozen=True)
class Result:
    """A run, as far as it is finished."""

    path: Path
    header: Row
    marks: tuple[Mark, ...]
    found: Mapping[str, int]
    """How many sets' hidden properties a model has right: both, masses, charges, neither; empty if it infers none."""
    finished: bool
    sets: int
    """That are answered so far."""

    @property
    def model(self) -> str:
        """A name of ours, or the class of somebody's file."""
        return agents.REGISTRY.label(self.header["model"])

    @property
    def set_count(self) -> int:
        """Sets that the run has when it is finished."""
        return int(self.header["task_count"])

    @cached_property
    def kinds(self) -> dict[Kind, Tally]:
        """Tallies by kind of question."""
        return by_kind(self.marks)

    @cached_property
    def families(self) -> dict[tuple[Kind, str], Tally]:
        """Tallies by template."""
        return by_family(self.marks)

    @property
    def unanswered(self) -> int:
        """Questions that lack an answer, and count as wrong."""
        return tally(self.marks).unanswered

    @property
    def words(self) -> str:
        """What the model reached."""
        parts = []
        for kind, own in self.kinds.items():
            if kind == "factual":
                parts.append(f"factual {own.per_question:.1f} %")
            else:
                parts.append(
                    f"{kind} {own.per_option:.1f} % of options, {own.per_question:.1f} % of questions"
                    f" (options: {own.histogram})"
                )
        lacking = f"; {self.unanswered} questions unanswered" if self.unanswered else ""
        return "; ".join(parts) + lacking


def result_of(log: Log) -> Result:
    """What came of a run, as far as it is finished."""
    check(log)
    found = Counter(str(rows[0].get("found") or "") for rows in log.tasks.values() if rows)
    found.pop("", None)
    return Result(log.path, log.header, tuple(marks_of(log)), found, log.finished, len(log.tasks))


def check(log: Log) -> None:
    """Refuses a log whose header does not say what has to be known."""
    check_header(log, from_header, NEEDED)
