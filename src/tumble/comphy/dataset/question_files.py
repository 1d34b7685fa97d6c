"""Questions and answers as JSON, in the formats of the published files and of the official test server.

A file of questions is a list of sets, each with its questions. Test files have no answers; these are in a separate
file in the format of a submission:

| in the file | read as |
| --- | --- |
| a text, for an option "correct" or "wrong" | the answer |
| an integer for a factual question, such as 2 | the answer "2" |
| null | no answer |
| "error", for a factual question, an option, or a whole question with options | the answer "error", which is wrong |
| anything else | a `DataError` that names the entry |
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tumble.comphy.catalogue.task import CORRECT, ERROR, WRONG, Choice, Kind, Program, Question, QuestionSet
from tumble.comphy.dataset.json_files import DataError, Fault, Record, abbreviate, read_json, write_json
from tumble.comphy.dataset.layout import video_name
from tumble.comphy.questions.program import Answer, Answers

QUESTION_TYPES: dict[Kind, str] = {
    "counterfactual": "counterfactual_multiple_choice",
    "predictive": "predictive_multiple_choice",
}
"""The files' names for the kinds that have options; factual questions have no type."""
MOST_FAULTS = 20_000
"""Of a file, of which the faulty questions are skipped."""
NO_ANSWER = "NULL"
"""The answer of some questions about real videos, which are skipped."""


class TooManyFaultsError(DataError):
    """A file of questions that is none."""


def without_answers(questions: QuestionSet) -> QuestionSet:
    """The questions without their answers."""
    unanswered = (
        replace(question, answer=None, choices=tuple(replace(choice, answer=None) for choice in question.choices))
        for question in questions.questions
    )
    return QuestionSet(questions.index, tuple(unanswered))


def write_questions(path: Path, sets: Iterable[QuestionSet]) -> None:
    """Writes a file of questions, with the answers that they have."""
    write_json(path, [_set_record(questions) for questions in sets])


def read_questions(path: Path) -> tuple[list[QuestionSet], list[Fault]]:
    """The valid questions of a file, and the faults of those that were skipped."""
    document = read_json(path)
    if not isinstance(document, list):
        raise DataError(f"{path}: must be a list of sets, not {abbreviate(document)}")
    sets: list[QuestionSet] = []
    faults: list[Fault] = []
    for k, item in enumerate(document):
        try:
            sets.append(_read_set(Record(item, f"entry {k}"), path, faults))
        except TooManyFaultsError:
            raise
        except DataError as error:
            _add_fault(faults, path, error)
    return sets, faults


def _add_fault(faults: list[Fault], path: Path, error: DataError) -> None:
    """Adds what is wrong with an entry of a file, which may have some that are."""
    if len(faults) >= MOST_FAULTS:
        raise TooManyFaultsError(f"{path}: more than {MOST_FAULTS:,} of its entries are faulty; the last: {error}")
    faults.append(Fault(str(path), str(error)))


def read_questions_strict(path: Path) -> list[QuestionSet]:
    """The questions of a file; an error if any is faulty."""
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
    is_multiple = question.kind in QUESTION_TYPES
    return {
        "question_id": question.id,
        **({"question_type": QUESTION_TYPES[question.kind]} if is_multiple else {}),
        "question_family": question.family,
        "question": question.text,
        "program": list(question.program),
        **({} if question.answer is None else {"answer": question.answer}),
        **({"choices": [_choice_record(choice) for choice in question.choices]} if is_multiple else {}),
    }


def _choice_record(choice: Choice) -> dict[str, Any]:
    record = {"choice_id": choice.id, "choice": choice.text, "program": list(choice.program)}
    return {**record, **({} if choice.answer is None else {"answer": choice.answer})}


def _read_set(record: Record, path: Path, faults: list[Fault]) -> QuestionSet:
    index = record.integer("scene_index")
    questions: list[Question] = []
    used_ids: set[int] = set()
    for k, item in enumerate(record.items("questions")):
        try:
            question = Record(item, f"set {index:05d}, question {k}")
            questions.append(_question(question, k, used_ids))
            used_ids.add(questions[-1].id)
        except DataError as error:
            _add_fault(faults, path, error)
    return QuestionSet(index, tuple(questions))


def _question(record: Record, position: int, used_ids: set[int]) -> Question:
    number = record.integer("question_id") if "question_id" in record else position
    if number in used_ids:
        raise DataError(f"{record.where}: question_id {number} is used twice")
    kind = _kind(record)
    question = Question(
        id=number,
        kind=kind,
        family=record.text("question_family") if "question_family" in record else "",
        text=record.text("question"),
        program=_program(record.get("program"), record.where),
    )
    if kind == "factual":
        answer = record.answer("answer") if "answer" in record else None
        if answer == ERROR:
            raise DataError(f"{record.where}: {ERROR!r} can't be the correct answer")
        if answer == NO_ANSWER:
            raise DataError(f"{record.where}: it has no answer ({NO_ANSWER})")
        return replace(question, answer=answer)
    choices = _choices(record) if "choices" in record else _grouped_choices(record)
    if not choices:
        raise DataError(f"{record.where}: it has no options")
    return replace(question, choices=choices)


def _kind(record: Record) -> Kind:
    """The kind by question_type; where that is missing, by the options and the program."""
    named = record.text("question_type").lower() if "question_type" in record else ""
    for kind, name in QUESTION_TYPES.items():
        if named in (name, kind):
            return kind
    if named not in ("", "factual"):
        known = ", ".join(("factual", *QUESTION_TYPES.values()))
        raise DataError(f"{record.where}: no question_type {named!r}; there are {known}")
    if "choices" in record or "correct" in record:
        return "predictive" if "unseen_events" in record.items("program") else "counterfactual"
    return "factual"


def _choices(record: Record) -> tuple[Choice, ...]:
    choices: list[Choice] = []
    for k, choice in enumerate(record.records("choices")):
        answer = choice.answer("answer") if "answer" in choice else None
        if answer not in (CORRECT, WRONG, None):
            raise DataError(f"{choice.where}: answer must be {CORRECT!r} or {WRONG!r}, not {answer!r}")
        number = choice.integer("choice_id") if "choice_id" in choice else k
        if number in [other.id for other in choices]:
            raise DataError(f"{choice.where}: choice_id {number} is used twice")
        choices.append(Choice(number, choice.text("choice"), _program(choice.get("program"), choice.where), answer))
    return tuple(choices)


def _grouped_choices(record: Record) -> tuple[Choice, ...]:
    """Options in two lists, correct and wrong ones, as in the published files of diverse questions."""
    choices: list[Choice] = []
    for answer in (CORRECT, WRONG):
        for k, item in enumerate(record.items(answer)):
            where = f"{record.where}: {answer} {k}"
            if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], str):
                raise DataError(f"{where}: must be a text and a program, not {abbreviate(item)}")
            choices.append(Choice(len(choices), item[0], _program(item[1], where), answer))
    return tuple(choices)


def _program(value: Any, where: str) -> Program:
    if not isinstance(value, list) or not all(isinstance(token, str) for token in value):
        raise DataError(f"{where}: program must be a list of strings, not {abbreviate(value)}")
    return tuple(value)


def option_counts(sets: Sequence[QuestionSet]) -> dict[Kind, dict[int, int]]:
    """The number of questions of each kind by their number of options."""
    counts: dict[Kind, Counter[int]] = {kind: Counter() for kind in QUESTION_TYPES}
    for questions in sets:
        for question in questions.questions:
            if question.kind in counts:
                counts[question.kind][len(question.choices)] += 1
    return {kind: dict(sorted(histogram.items())) for kind, histogram in counts.items()}


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
    write_json(path, [_answer_set_record(questions, answers.get(questions.index, {})) for questions in sets])


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
            of_set[number] = _read_choices(answer) if "choices" in answer else answer.answer("answer")
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


def _answer_set_record(questions: QuestionSet, answers: Mapping[int, Answer]) -> dict[str, Any]:
    return {
        "scene_index": questions.index,
        "video_filename": f"{video_name(questions.index)}.mp4",
        "questions": [
            _answer_record(question, answers[question.id]) for question in questions.questions if question.id in answers
        ],
    }


def _answer_record(question: Question, answer: Answer) -> dict[str, Any]:
    record = {"question_id": question.id, "question_type": QUESTION_TYPES.get(question.kind, FACTUAL)}
    if isinstance(answer, str):
        return {**record, "answer": answer}
    return {**record, "choices": [{"choice_id": number, "answer": word} for number, word in sorted(answer.items())]}


def _read_choices(answer: Record) -> dict[int, str]:
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
