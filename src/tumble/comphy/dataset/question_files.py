"""Questions as JSON, in the form of the published files: a list of sets, each with its questions.

Test files hold no answers; these are in a file of their own, in the form of a submission.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tumble.comphy.dataset.json_files import DataError, Fault, Record, read_json, short, write_json
from tumble.comphy.dataset.layout import video_name
from tumble.comphy.tasks.question import CORRECT, WRONG, Choice, Kind, Program, Question, QuestionSet

TYPES: dict[Kind, str] = {
    "counterfactual": "counterfactual_multiple_choice",
    "predictive": "predictive_multiple_choice",
}
"""How the files call the kinds that have options; factual questions have no type."""


def without_answers(questions: QuestionSet) -> QuestionSet:
    """The questions as they are asked in a test."""
    asked = (
        replace(question, answer=None, choices=tuple(replace(choice, answer=None) for choice in question.choices))
        for question in questions.questions
    )
    return QuestionSet(questions.index, tuple(asked))


def write_questions(path: Path, sets: Iterable[QuestionSet]) -> None:
    """Writes a file of questions; what has no answer is written without."""
    write_json(path, [_set_record(questions) for questions in sets])


def read_questions(path: Path) -> tuple[list[QuestionSet], list[Fault]]:
    """The questions of a file; those that are faulty are left out and named."""
    document = read_json(path)
    if not isinstance(document, list):
        raise DataError(f"{path}: must be a list of sets, not {short(document)}")
    sets: list[QuestionSet] = []
    faults: list[Fault] = []
    for k, item in enumerate(document):
        try:
            sets.append(_read_set(Record(item, f"entry {k}"), path, faults))
        except DataError as error:
            faults.append(Fault(str(path), str(error)))
    return sets, faults


def checked_questions(path: Path) -> list[QuestionSet]:
    """The questions of a file in which nothing is wrong."""
    sets, faults = read_questions(path)
    if faults:
        raise DataError(f"{faults[0]}" + (f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""))
    return sets


def _set_record(questions: QuestionSet) -> dict[str, Any]:
    return {
        "scene_index": questions.index,
        "video_filename": f"{video_name(questions.index)}.mp4",
        "questions": [_record(question) for question in questions.questions],
    }


def _record(question: Question) -> dict[str, Any]:
    return {
        "question_id": question.id,
        **({"question_type": TYPES[question.kind]} if question.kind in TYPES else {}),
        "question_family": question.family,
        "question": question.text,
        "program": list(question.program),
        **({} if question.answer is None else {"answer": question.answer}),
        **({"choices": [_choice_record(choice) for choice in question.choices]} if question.kind in TYPES else {}),
    }


def _choice_record(choice: Choice) -> dict[str, Any]:
    record = {"choice_id": choice.id, "choice": choice.text, "program": list(choice.program)}
    return {**record, **({} if choice.answer is None else {"answer": choice.answer})}


def _read_set(record: Record, path: Path, faults: list[Fault]) -> QuestionSet:
    index = record.whole("scene_index")
    found: list[Question] = []
    for k, item in enumerate(record.items("questions")):
        try:
            own = Record(item, f"set {index:05d}, question {k}")
            found.append(_question(own, k, {question.id for question in found}))
        except DataError as error:
            faults.append(Fault(str(path), str(error)))
    return QuestionSet(index, tuple(found))


def _question(record: Record, place: int, taken: set[int]) -> Question:
    number = record.whole("question_id") if "question_id" in record else place
    if number in taken:
        raise DataError(f"{record.place}: there is a question_id {number} already")
    kind = _kind(record)
    question = Question(
        id=number,
        kind=kind,
        family=record.text("question_family") if "question_family" in record else "",
        text=record.text("question"),
        program=_program(record.get("program"), record.place),
    )
    if kind == "factual":
        return replace(question, answer=str(record.get("answer")) if "answer" in record else None)
    choices = _choices(record) if "choices" in record else _sorted_choices(record)
    if not choices:
        raise DataError(f"{record.place}: it has no options")
    return replace(question, choices=choices)


def _kind(record: Record) -> Kind:
    """By the type; where there is none, a question with options is told by what its program asks for."""
    named = record.text("question_type").lower() if "question_type" in record else ""
    for kind, name in TYPES.items():
        if named in (name, kind):
            return kind
    if named not in ("", "factual"):
        raise DataError(f"{record.place}: no question_type {named!r}; there are factual, {', '.join(TYPES.values())}")
    if "choices" in record or "correct" in record:
        return "predictive" if "unseen_events" in record.items("program") else "counterfactual"
    return "factual"


def _choices(record: Record) -> tuple[Choice, ...]:
    found: list[Choice] = []
    for k, choice in enumerate(record.records("choices")):
        answer = choice.text("answer") if "answer" in choice else None
        if answer not in (CORRECT, WRONG, None):
            raise DataError(f"{choice.place}: answer must be {CORRECT!r} or {WRONG!r}, not {answer!r}")
        number = choice.whole("choice_id") if "choice_id" in choice else k
        if number in [other.id for other in found]:
            raise DataError(f"{choice.place}: there is a choice_id {number} already")
        found.append(Choice(number, choice.text("choice"), _program(choice.get("program"), choice.place), answer))
    return tuple(found)


def _sorted_choices(record: Record) -> tuple[Choice, ...]:
    """Options in two lists, of the right and of the wrong ones, as in the files of diverse questions."""
    found: list[Choice] = []
    for answer in (CORRECT, WRONG):
        for k, item in enumerate(record.items(answer)):
            place = f"{record.place}: {answer} {k}"
            if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], str):
                raise DataError(f"{place}: must be a text and a program, not {short(item)}")
            found.append(Choice(len(found), item[0], _program(item[1], place), answer))
    return tuple(found)


def _program(value: Any, place: str) -> Program:
    if not isinstance(value, list) or not all(isinstance(token, str) for token in value):
        raise DataError(f"{place}: program must be a list of words, not {short(value)}")
    return tuple(value)


def option_counts(sets: Sequence[QuestionSet]) -> dict[Kind, dict[int, int]]:
    """How many questions of each kind have how many options."""
    found: dict[Kind, dict[int, int]] = {kind: {} for kind in TYPES}
    for questions in sets:
        for question in questions.questions:
            if question.kind in found:
                own = found[question.kind]
                own[len(question.choices)] = own.get(len(question.choices), 0) + 1
    return {kind: dict(sorted(own.items())) for kind, own in found.items()}
