"""Questions are written and read in the published forms; faulty ones are skipped and named."""

import json
from pathlib import Path
from typing import Any

import pytest
from sample_set import question_set

from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.question_files import (
    answers_of,
    option_counts,
    read_questions,
    read_questions_strict,
    read_submission,
    with_answers,
    without_answers,
    write_questions,
    write_submission,
)


def test_questions_are_read_as_they_were_written(tmp_path: Path) -> None:
    sets = [question_set(0), question_set(4)]
    write_questions(tmp_path / "train.json", sets)
    assert read_questions_strict(tmp_path / "train.json") == sets


def test_the_file_has_the_published_form(tmp_path: Path) -> None:
    write_questions(tmp_path / "val.json", [question_set()])
    (record,) = json.loads((tmp_path / "val.json").read_text())
    assert (record["scene_index"], record["video_filename"]) == (7, "sim_00007.mp4")
    factual, predictive, counterfactual = record["questions"]
    assert "question_type" not in factual
    assert factual["answer"] == "1"
    assert predictive["question_type"] == "predictive_multiple_choice"
    assert counterfactual["question_type"] == "counterfactual_multiple_choice"
    assert predictive["choices"][1]["answer"] == "wrong"
    assert "answer" not in predictive


def test_a_test_file_and_its_key_make_the_whole(tmp_path: Path) -> None:
    sets = [question_set(0), question_set(4)]
    write_questions(tmp_path / "test.json", map(without_answers, sets))
    write_submission(tmp_path / "test_answers.json", sets, answers_of(sets))
    assert '"answer"' not in (tmp_path / "test.json").read_text()
    questions = read_questions_strict(tmp_path / "test.json")
    assert questions != sets
    assert with_answers(questions, read_submission(tmp_path / "test_answers.json")) == sets


def test_a_submission_has_the_published_form(tmp_path: Path) -> None:
    write_submission(tmp_path / "s.json", [question_set()], {7: {0: "2", 1: {0: "wrong", 1: "wrong"}}})
    assert json.loads((tmp_path / "s.json").read_text()) == [
        {
            "scene_index": 7,
            "video_filename": "sim_00007.mp4",
            "questions": [
                {"question_id": 0, "question_type": "Factual", "answer": "2"},
                {
                    "question_id": 1,
                    "question_type": "predictive_multiple_choice",
                    "choices": [{"choice_id": 0, "answer": "wrong"}, {"choice_id": 1, "answer": "wrong"}],
                },
            ],
        }
    ]
    assert read_submission(tmp_path / "s.json") == {7: {0: "2", 1: {0: "wrong", 1: "wrong"}}}


def test_a_submission_in_the_form_of_clevrer_is_read(tmp_path: Path) -> None:
    record = {"scene_index": 7, "questions": [{"question_id": 0, "answer": 3}]}
    (tmp_path / "s.json").write_text(json.dumps([record]))
    assert read_submission(tmp_path / "s.json") == {7: {0: "3"}}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"question_id": 0}, "set 00007, answer 0: there is no field 'answer'"),
        ({"question_id": "0", "answer": "1"}, "question_id must be an integer"),
        ({"question_id": 0, "choices": [{"choice_id": 0, "answer": "yes"}]}, "'error' or null, not 'yes'"),
    ],
)
def test_a_wrong_submission_is_refused(tmp_path: Path, answer: Any, message: str) -> None:
    (tmp_path / "s.json").write_text(json.dumps([{"scene_index": 7, "questions": [answer]}]))
    with pytest.raises(DataError, match=message):
        read_submission(tmp_path / "s.json")


def test_diverse_files_list_right_and_wrong_options(tmp_path: Path) -> None:
    question = {
        "question": "What will happen next?",
        "program": ["unseen_events", "belong_to"],
        "correct": [["A and B collide", ["events"]]],
        "wrong": [["A and C collide", ["events"]], ["B and C collide", ["events"]]],
    }
    path = tmp_path / "multiple_choice_questions.json"
    path.write_text(json.dumps([{"scene_index": 3, "questions": [question]}]))
    ((own,),) = [questions.questions for questions in read_questions_strict(path)]
    assert own.kind == "predictive"
    assert [(choice.id, choice.answer) for choice in own.choices] == [(0, "correct"), (1, "wrong"), (2, "wrong")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"choices": []}, "set 00007, question 1: it has no options"),
        ({"program": "events"}, "program must be a list of strings"),
        ({"question_type": "explanatory"}, "no question_type 'explanatory'"),
        ({"question_id": 0}, "question_id 0 is used twice"),
        ({"question": None}, "question must be a string, not null"),
    ],
)
def test_a_faulty_question_is_skipped_and_named(tmp_path: Path, change: Any, message: str) -> None:
    write_questions(tmp_path / "q.json", [question_set(6), question_set(7)])
    document = json.loads((tmp_path / "q.json").read_text())
    document[1]["questions"][1].update(change)
    (tmp_path / "q.json").write_text(json.dumps(document))
    sets, (fault,) = read_questions(tmp_path / "q.json")
    assert sets[0] == question_set(6)
    assert [question.id for question in sets[1].questions] == [0, 2]
    assert message in str(fault)
    with pytest.raises(DataError, match=r"q\.json"):
        read_questions_strict(tmp_path / "q.json")


def test_options_are_counted() -> None:
    assert option_counts([question_set(1), question_set(2)]) == {"counterfactual": {1: 2}, "predictive": {2: 2}}
