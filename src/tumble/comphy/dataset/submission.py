"""Answers as a submission file, in the form that the official test server took; also the form of our answer keys."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tumble.comphy.dataset.json_files import DataError, Record, read_json, short, write_json
from tumble.comphy.dataset.layout import video_name
from tumble.comphy.dataset.question_files import TYPES
from tumble.comphy.questions.answers import Answers, Given
from tumble.comphy.tasks.question import CORRECT, WRONG, Question, QuestionSet

FACTUAL = "Factual"


def answers_of(sets: Iterable[QuestionSet]) -> Answers:
    """The answers that questions come with."""
    return {
        questions.index: {question.id: _given(questions.index, question) for question in questions.questions}
        for questions in sets
    }


def with_answers(sets: Iterable[QuestionSet], answers: Answers) -> list[QuestionSet]:
    """The questions with their answers from a key; one that the key lacks stays without."""
    found = []
    for questions in sets:
        key = answers.get(questions.index, {})
        answered = (_answered(question, key.get(question.id)) for question in questions.questions)
        found.append(QuestionSet(questions.index, tuple(answered)))
    return found


def write_submission(path: Path, sets: Sequence[QuestionSet], answers: Answers) -> None:
    """Writes answers to questions; what was not answered is left out."""
    write_json(path, [_set_record(questions, answers.get(questions.index, {})) for questions in sets])


def read_submission(path: Path) -> Answers:
    """The answers in a file."""
    document = read_json(path)
    if not isinstance(document, list):
        raise DataError(f"{path}: must be a list of sets, not {short(document)}")
    found: dict[int, dict[int, Given]] = {}
    for k, item in enumerate(document):
        record = Record(item, f"{path}: entry {k}")
        index = record.whole("scene_index")
        if index in found:
            raise DataError(f"{record.place}: there is a scene_index {index} already")
        found[index] = {}
        for j, answered in enumerate(record.items("questions")):
            answer = Record(answered, f"{path}: set {index:05d}, answer {j}")
            number = answer.whole("question_id")
            if number in found[index]:
                raise DataError(f"{answer.place}: there is a question_id {number} already")
            found[index][number] = _choices(answer) if "choices" in answer else str(answer.get("answer"))
    return found


def _set_record(questions: QuestionSet, answers: Mapping[int, Given]) -> dict[str, Any]:
    return {
        "scene_index": questions.index,
        "video_filename": f"{video_name(questions.index)}.mp4",
        "questions": [
            _record(question, answers[question.id]) for question in questions.questions if question.id in answers
        ],
    }


def _record(question: Question, given: Given) -> dict[str, Any]:
    record = {"question_id": question.id, "question_type": TYPES.get(question.kind, FACTUAL)}
    if isinstance(given, str):
        return {**record, "answer": given}
    return {**record, "choices": [{"choice_id": number, "answer": word} for number, word in sorted(given.items())]}


def _choices(answer: Record) -> dict[int, str]:
    found: dict[int, str] = {}
    for choice in answer.records("choices"):
        number, word = choice.whole("choice_id"), choice.text("answer")
        if word not in (CORRECT, WRONG):
            raise DataError(f"{choice.place}: answer must be {CORRECT!r} or {WRONG!r}, not {word!r}")
        if number in found:
            raise DataError(f"{choice.place}: there is a choice_id {number} already")
        found[number] = word
    return found


def _given(index: int, question: Question) -> Given:
    words = [question.answer] if question.kind == "factual" else [choice.answer for choice in question.choices]
    if None in words:
        raise DataError(f"set {index:05d}, question {question.id}: it has no answer")
    if question.kind == "factual":
        return str(question.answer)
    return {choice.id: str(choice.answer) for choice in question.choices}


def _answered(question: Question, given: Given | None) -> Question:
    if given is None:
        return question
    if isinstance(given, str):
        return replace(question, answer=given)
    return replace(question, choices=tuple(replace(choice, answer=given.get(choice.id)) for choice in question.choices))
