"""Answers as a submission file, in the format of the official test server; test answers of datasets have it too.

| in the file | read as |
| --- | --- |
| a text, for an option "correct" or "wrong" | the answer |
| an integer for a factual question, such as 2 | the answer "2" |
| null | no answer |
| "error", for a factual question, an option, or a whole question with options | the answer "error", which is wrong |
| anything else | a `DataError` that names the entry |
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tumble.comphy.dataset.json_files import DataError, Record, abbreviate, read_json, write_json
from tumble.comphy.dataset.layout import video_name
from tumble.comphy.dataset.question_files import QUESTION_TYPES
from tumble.comphy.questions.answers import Answer, Answers
from tumble.comphy.tasks.question import CORRECT, ERROR, WRONG, Question, QuestionSet

FACTUAL = "Factual"


def answers_of(sets: Iterable[QuestionSet]) -> Answers:
    """The correct answers of questions."""
    return {
        questions.index: {question.id: _correct_answer(questions.index, question) for question in questions.questions}
        for questions in sets
    }


def with_answers(sets: Iterable[QuestionSet], answers: Answers) -> list[QuestionSet]:
    """The questions with the given answers as correct ones; a question without one keeps what it has."""
    result = []
    for questions in sets:
        of_set = answers.get(questions.index, {})
        answered = (_with_answer(question, of_set.get(question.id)) for question in questions.questions)
        result.append(QuestionSet(questions.index, tuple(answered)))
    return result


def write_submission(path: Path, sets: Sequence[QuestionSet], answers: Answers) -> None:
    """Writes the answers to questions; unanswered questions are left out."""
    write_json(path, [_set_record(questions, answers.get(questions.index, {})) for questions in sets])


def read_submission(path: Path) -> Answers:
    """The answers in a file."""
    document = read_json(path)
    if not isinstance(document, list):
        raise DataError(f"{path}: must be a list of sets, not {abbreviate(document)}")
    answers: dict[int, dict[int, Answer]] = {}
    for k, item in enumerate(document):
        record = Record(item, f"{path}: entry {k}")
        index = record.integer("scene_index")
        if index in answers:
            raise DataError(f"{record.where}: scene_index {index} is used twice")
        of_set: dict[int, Answer | None] = {}
        for j, answered in enumerate(record.items("questions")):
            answer = Record(answered, f"{path}: set {index:05d}, answer {j}")
            number = answer.integer("question_id")
            if number in of_set:
                raise DataError(f"{answer.where}: question_id {number} is used twice")
            of_set[number] = _choices(answer) if "choices" in answer else answer.answer("answer")
        answers[index] = {number: word for number, word in of_set.items() if word}
    return answers


def read_answer_key(path: Path) -> Answers:
    """The correct answers in a file; "error" can't be one."""
    answers = read_submission(path)
    for index, of_set in answers.items():
        for number, answer in of_set.items():
            if ERROR in ([answer] if isinstance(answer, str) else answer.values()):
                raise DataError(f"{path}: set {index:05d}, question {number}: {ERROR!r} can't be the correct answer")
    return answers


def _set_record(questions: QuestionSet, answers: Mapping[int, Answer]) -> dict[str, Any]:
    return {
        "scene_index": questions.index,
        "video_filename": f"{video_name(questions.index)}.mp4",
        "questions": [
            _record(question, answers[question.id]) for question in questions.questions if question.id in answers
        ],
    }


def _record(question: Question, answer: Answer) -> dict[str, Any]:
    record = {"question_id": question.id, "question_type": QUESTION_TYPES.get(question.kind, FACTUAL)}
    if isinstance(answer, str):
        return {**record, "answer": answer}
    return {**record, "choices": [{"choice_id": number, "answer": word} for number, word in sorted(answer.items())]}


def _choices(answer: Record) -> dict[int, str]:
    """The words of the options that are answered."""
    words: dict[int, str | None] = {}
    for choice in answer.records("choices"):
        number, word = choice.integer("choice_id"), choice.answer("answer")
        if word not in (CORRECT, WRONG, ERROR, None):
            raise DataError(f"{choice.where}: answer must be {CORRECT!r}, {WRONG!r}, {ERROR!r} or null, not {word!r}")
        if number in words:
            raise DataError(f"{choice.where}: choice_id {number} is used twice")
        words[number] = word
    return {number: word for number, word in words.items() if word is not None}


def _correct_answer(index: int, question: Question) -> Answer:
    words = [question.answer] if question.kind == "factual" else [choice.answer for choice in question.choices]
    if None in words:
        raise DataError(f"set {index:05d}, question {question.id}: it has no answer")
    if question.kind == "factual":
        return str(question.answer)
    return {choice.id: str(choice.answer) for choice in question.choices}


def _with_answer(question: Question, answer: Answer | None) -> Question:
    if answer is None:
        return question
    if isinstance(answer, str):
        return replace(question, answer=answer)
    choices = (replace(choice, answer=answer.get(choice.id)) for choice in question.choices)
    return replace(question, choices=tuple(choices))
