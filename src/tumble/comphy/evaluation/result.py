"""Results of ComPhy's runs: which questions were answered correctly, and accuracies."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tumble.comphy.evaluation.concepts import ConceptCounts, Count
from tumble.comphy.evaluation.log_rows import MISSING, concept_counts, given_of, marks_of
from tumble.comphy.evaluation.metrics import Mark, Tally, by_family, by_kind, tally
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.tasks.question import Kind
from tumble.output import plural
from tumble.runs.log import Log
from tumble.runs.result import Result
from tumble.runs.run import spec_of


@dataclass(frozen=True)
class ComPhyResult(Result):
    """Accuracies of a run."""

    spec: ComPhyRunSpec
    marks: tuple[Mark, ...]
    correct_properties: Mapping[str, Mapping[str, int]]
    """By family ("-" in logs of older versions), the number of sets by the hidden properties that were inferred
    correctly: both, masses, charges, neither; empty for an agent that infers none."""
    concepts: Mapping[str, Count]
    """How often the agent was right about concepts; empty for an agent without a notion of bodies."""
    given: str
    """The most that the agent asked for, in words (`log_rows.given_of`)."""

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
        """The number of questions with a missing answer, which count as wrong."""
        return tally(self.marks).unanswered

    @property
    def left_out(self) -> int:
        """The number of sets that could not be read."""
        return int(self.header.details.get("left_out", 0)) + len(self.given_up)

    @property
    def warning(self) -> str:
        if not self.given_up:
            return ""
        (task, why), more = next(iter(self.given_up.items())), len(self.given_up) - 1
        return f"set {task} is left out: {why}" + (f" (and {more} more)" if more else "")

    @property
    def agent_was_given(self) -> str:
        return self.given

    @property
    def errors(self) -> int:
        """The number of options and factual questions answered with "error", which count as wrong."""
        return tally(self.marks).errors

    @property
    def summary(self) -> str:
        parts = []
        for kind, counts in self.kinds.items():
            if kind == "factual":
                parts.append(f"factual {counts.per_question:.1f} %")
            else:
                parts.append(
                    f"{kind} {counts.per_option:.1f} % of options, {counts.per_question:.1f} % of questions"
                    f" (options: {counts.histogram})"
                )
        unanswered = f"; {self.unanswered} questions unanswered" if self.unanswered else ""
        errors = f"; {self.errors} answers are 'error'" if self.errors else ""
        left_out = f"; {left_out_text(self.left_out)}" if self.left_out else ""
        return "; ".join([f"given {self.given}", *parts]) + unanswered + errors + left_out


def left_out_text(sets: int) -> str:
    """How many sets are left out of a score, and why."""
    return f"{plural(sets, 'set')} with damaged or missing annotations left out"


def result_of(log: Log) -> ComPhyResult:
    """The result of a run, from its finished tasks."""
    spec = spec_of(log, ComPhyRunSpec)
    properties: dict[str, Counter[str]] = {}
    for first in (rows[0] for rows in log.tasks.values() if rows and rows[0].get("found")):
        family = ConceptCounts.of_text(str(first.get("concepts") or "")).family
        properties.setdefault(family or MISSING, Counter())[str(first["found"])] += 1
    done = len(log.tasks)
    return ComPhyResult(
        log.path,
        log.header,
        log.finished,
        done,
        spec,
        tuple(marks_of(log)),
        dict(sorted(properties.items())),
        concept_counts(log),
        given_of(log),
        given_up=log.given_up,
    )
