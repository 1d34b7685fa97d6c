"""Submissions of other people's models: errors and missing answers are counted, unreadable ones are named."""

import json
from pathlib import Path
from typing import Any

import pytest
from sample_questions import question_set

from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.question_files import read_answer_key, read_questions, read_submission
from tumble.comphy.evaluation.metrics import by_kind, error_answers, mark_all, missing_answers


def _write(path: Path, *answers: dict[str, Any]) -> Path:
    numbered = [{"question_id": number, **answer} for number, answer in enumerate(answers)]
    path.write_text(json.dumps([{"scene_index": 7, "questions": numbered}]))
    return path


def _options(*words: Any) -> dict[str, Any]:
    return {"choices": [{"choice_id": number, "answer": word} for number, word in enumerate(words)]}


def test_error_is_a_wrong_answer_that_is_counted_and_named(tmp_path: Path) -> None:
    """As in the published baseline's file, in which programs that fail are answered with "error"."""
    path = _write(
        tmp_path / "s.json",
        {"answer": "error"},
        {"answer": "red and blue"},
        _options("error", "wrong"),
        _options("correct", "wrong", "error", "error"),
    )
    marks = mark_all([question_set()], read_submission(path))
    kinds = by_kind(marks)
    assert {kind: (own.errors, own.correct_parts, own.unanswered) for kind, own in kinds.items()} == {
        "factual": (1, 1, 0),
        "predictive": (1, 1, 0),
        "counterfactual": (2, 2, 0),
    }
    assert error_answers(marks) == [
        "set 00007, question 0: answered 'error'",
        "set 00007, question 2, option 0: answered 'error'",
        "set 00007, question 3, option 2, 3: answered 'error'",
    ]


def test_error_to_a_whole_question_is_one_to_each_option(tmp_path: Path) -> None:
    path = _write(tmp_path / "s.json", {"answer": "yes"}, {"answer": "error"}, {"answer": "error"})
    kinds = by_kind(mark_all([question_set()], read_submission(path)))
    assert (kinds["predictive"].errors, kinds["predictive"].per_option) == (2, 0.0)


def test_null_is_no_answer(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "s.json",
        {"answer": None},
        {"answer": "red and blue"},
        _options(None, None),
        _options("correct", None),
    )
    answers = read_submission(path)
    assert answers == {7: {1: "red and blue", 3: {0: "correct"}}}
    messages = missing_answers([question_set()], answers)
    assert messages[:2] == ["set 00007, question 0: not answered", "set 00007, question 2: not answered"]
    assert by_kind(mark_all([question_set()], answers))["factual"].unanswered == 1


def test_an_integer_is_a_number_word(tmp_path: Path) -> None:
    assert read_submission(_write(tmp_path / "s.json", {"answer": 2}, {"answer": "2"})) == {7: {0: "2", 1: "2"}}


@pytest.mark.parametrize("answer", [True, 2.0, ["red"], {"answer": "red"}])
def test_other_answers_are_refused_with_their_place(tmp_path: Path, answer: Any) -> None:
    path = _write(tmp_path / "s.json", {"answer": "yes"}, {"answer": answer})
    with pytest.raises(DataError, match="set 00007, answer 1: answer must be a string, an integer or null, not"):
        read_submission(path)
    with pytest.raises(DataError, match="set 00007, answer 0: choices 1: answer must be"):
        read_submission(_write(path, _options("correct", answer)))


@pytest.mark.parametrize("answer", [{"answer": None}, {"choices": []}])
def test_an_unanswered_question_is_not_answered_twice(tmp_path: Path, answer: dict[str, Any]) -> None:
    record = {"scene_index": 7, "questions": [{"question_id": 0, **answer}, {"question_id": 0, "answer": "yes"}]}
    (tmp_path / "s.json").write_text(json.dumps([record]))
    with pytest.raises(DataError, match="question_id 0 is used twice"):
        read_submission(tmp_path / "s.json")


@pytest.mark.parametrize("answer", [{"answer": "error"}, _options("correct", "error")])
def test_error_is_no_correct_answer(tmp_path: Path, answer: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="set 00007, question 0: 'error' can't be the correct answer"):
        read_answer_key(_write(tmp_path / "key.json", answer))
    question = {"question": "Is it?", "program": ["objects", "exist"], **answer}
    (tmp_path / "q.json").write_text(json.dumps([{"scene_index": 7, "questions": [question]}]))
    _, faults = read_questions(tmp_path / "q.json")
    assert len(faults) == 1
