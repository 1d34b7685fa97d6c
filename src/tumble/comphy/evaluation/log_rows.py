"""Marks as rows of a run log, and back: a task of a log is a set, an attempt at it is a question.

    {"task": "00042", "attempt": 4, "action": [1.0, 0.0], "status": -1, "steps": 2, "kind": "predictive",
     "family": "predictive_collision", "answer": "correct,correct", "found": ""}

`action` says of each option, or of the one answer, whether it is right; `steps` is how many options there are.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from tumble.comphy.evaluation.metrics import Mark, ScoringError
from tumble.comphy.questions.answers import Answer, Answers
from tumble.comphy.tasks.question import Kind, Question, QuestionSet
from tumble.runs.log import Log, LogError, Row

RIGHT, UNANSWERED, FALSE = 1, 0, -1
"""Status of a question; one that lacks an answer is unanswered, be some of its options right."""
BETWEEN = ","


def rows_of(marks: Iterable[Mark], found: str) -> list[Row]:
    """The rows of a set; `found` says which hidden properties a model found, where it looked for them."""
    return [
        {
            "attempt": one.question + 1,
            "action": [float(right) for right in one.right],
            "status": UNANSWERED if one.unanswered else RIGHT if one.all_right else FALSE,
            "steps": one.options,
            "kind": one.kind,
            "family": one.family,
            "answer": BETWEEN.join(word or "" for word in one.given),
            "found": found,
        }
        for one in marks
    ]


def marks_of(log: Log) -> Iterator[Mark]:
    """All marks of a log."""
    for row in log.rows():
        given = str(row.get("answer", ""))
        words = [given] if row.get("kind") == "factual" else given.split(BETWEEN)
        if row.get("kind") not in get_args(Kind) or len(words) != len(row["action"]):
            raise LogError(f"{log.path}: set {row['task']}, question {row['attempt'] - 1}: damaged")
        yield Mark(
            index=int(row["task"]),
            question=row["attempt"] - 1,
            kind=row["kind"],
            family=row["family"],
            given=tuple(word or None for word in words),
            right=tuple(bool(right) for right in row["action"]),
        )


def answers_of(log: Log, sets: Sequence[QuestionSet]) -> Answers:
    """The answers of a log to these questions."""
    asked = {(own.index, question.id): question for own in sets for question in own.questions}
    found: dict[int, dict[int, Answer]] = {int(task): {} for task in log.tasks}
    for one in marks_of(log):
        question = asked.get((one.index, one.question))
        if question is None or len(one.given) != max(len(question.choices), 1):
            raise ScoringError(f"{log.path}: set {one.index:05d}, question {one.question}: the data has another")
        if any(one.given):
            found[one.index][one.question] = _given(question, one)
    return found


def _given(question: Question, one: Mark) -> Answer:
    if not question.choices:
        return str(one.given[0])
    return {choice.id: word for choice, word in zip(question.choices, one.given, strict=True) if word is not None}
