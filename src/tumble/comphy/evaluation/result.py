"""Results of ComPhy's runs, and the rows of run logs that they are read from: marks, and accuracies.

A task of the log is a set, an attempt is a question:

    {"task": "00042", "attempt": 4, "status": -1, "correct": [true, false], "kind": "predictive",
     "family": "predictive_collision", "answer": "correct,correct", "found": "", "given": "tracks", "trained": "",
     "concepts": "color 3/3, shape 3/3, …"}

`correct` says of each option, or of the answer to a factual question, whether it is right; `found` lists the hidden
properties that were inferred correctly; `given` is the most that the agent asked for (`catalogue.task.GIVEN`),
`trained` the same in its training, empty if it has none; `concepts` is how often it was right about visible and
hidden properties and events of the set.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

from tumble.comphy.catalogue.task import GIVEN, Kind, Question, QuestionSet
from tumble.comphy.evaluation.metrics import (
    ConceptCounts,
    Count,
    Mark,
    ScoringError,
    Tally,
    by_family,
    by_kind,
    tally,
    total_counts,
)
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.questions.program import Answer, Answers
from tumble.output import plural
from tumble.runs.evaluate import Result, spec_of
from tumble.runs.log import Log, LogError, Row

ALL_CORRECT, UNANSWERED, SOME_WRONG = 1, 0, -1
"""Status of a question; it is unanswered if the answer to any option is missing."""
SEPARATOR = ","
MISSING = "-"
"""Stands for what a log lacks."""


def rows_of(
    marks: Iterable[Mark], correct_properties: str, given: str = "", trained: str = "", concepts: str = ""
) -> list[Row]:
    """The rows of a set.

    `correct_properties` are the hidden properties that an agent inferred correctly, `given` and `trained` the most that
    it asked for in answering and in training, `concepts` how often it was right about concepts (`ConceptCounts`).
    """
    return [
        {
            "attempt": one.question + 1,
            "status": UNANSWERED if one.unanswered else ALL_CORRECT if one.all_correct else SOME_WRONG,
            "correct": list(map(bool, one.correct)),
            "kind": one.kind,
            "family": one.family,
            "answer": SEPARATOR.join(answer or "" for answer in one.answers),
            "found": correct_properties,
            "given": given,
            "trained": trained,
            "concepts": concepts,
        }
        for one in marks
    ]


def marks_of(log: Log) -> Iterator[Mark]:
    """All marks of a log."""
    for row in log.rows():
        yield mark_of(row, f"{log.path}: set {row['task']}, question {row['attempt'] - 1}")


def mark_of(row: Mapping[str, Any], where: str) -> Mark:
    """The mark of a row; `where` names it in an error."""
    answers = [row["answer"]] if row["kind"] == "factual" else row["answer"].split(SEPARATOR)
    if row["kind"] not in get_args(Kind) or len(answers) != len(row["correct"]):
        raise LogError(f"{where}: damaged")
    return Mark(
        index=int(row["task"]),
        question=row["attempt"] - 1,
        kind=row["kind"],
        family=row["family"],
        answers=tuple(answer or None for answer in answers),
        correct=tuple(row["correct"]),
    )


def given_of(log: Log) -> str:
    """What the agent was given, in words: "tracks", or "questions, trained with videos"; "-" if there is no attempt."""
    rows = list(log.rows())
    return given_text(*(_most(row[name] for row in rows) for name in ("given", "trained")))


def given_text(given: str, trained: str) -> str:
    """What a model was given, and in training, in words.

    >>> given_text("videos", "truth"), given_text("questions", "questions"), given_text("", "")
    ('videos, trained with truth', 'questions', '-')
    """
    if not given:
        return MISSING
    return given if trained in ("", given) else f"{given}, trained with {trained}"


def concept_counts(log: Log) -> dict[str, Count]:
    """How often the agent was right about each concept, over all sets; empty if it has no notion of bodies."""
    texts = (rows[0]["concepts"] for rows in log.tasks.values() if rows)
    return total_counts(map(ConceptCounts.of_text, texts))


def _most(names: Iterable[str]) -> str:
    """The name that is furthest in GIVEN; empty if there is none."""
    found = set(names)
    return next((name for name in reversed(GIVEN) if name in found), "")


def answers_of(log: Log, sets: Sequence[QuestionSet]) -> Answers:
    """The answers of a log to these questions."""
    by_id = {(of_set.index, question.id): question for of_set in sets for question in of_set.questions}
    answers: dict[int, dict[int, Answer]] = {int(task): {} for task in log.tasks}
    for one in marks_of(log):
        question = by_id.get((one.index, one.question))
        if question is None or len(one.answers) != max(len(question.choices), 1):
            raise ScoringError(f"{log.path}: set {one.index:05d}, question {one.question}: differs from the dataset")
        if any(one.answers):
            answers[one.index][one.question] = _answer_of(question, one)
    return answers


def _answer_of(question: Question, one: Mark) -> Answer:
    if not question.choices:
        return str(one.answers[0])
    answers = zip(question.choices, one.answers, strict=True)
    return {choice.id: answer for choice, answer in answers if answer is not None}


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
