"""Answers of language models in JSON: what is read, and what is refused with the reason."""

from typing import Any

import pytest
from sample_questions import factual, multiple

from tumble.comphy.catalogue.task import CORRECT, WRONG
from tumble.comphy.llm.prompts import answer_form, answer_schema, read_answer
from tumble.llm.puzzle import AnswerError

COUNT = factual(0, "How many cubes are there?", "objects cube filter_shape count", "2")
EXIST = factual(1, "Are there any cubes?", "objects cube filter_shape exist", "yes")
COLOR = factual(2, "What color?", "objects unique query_color", "gray")
PAIR = factual(3, "What are the colors?", "objects filter_charged unique query_both_color", "red and blue")
OPTIONS = multiple(4, "counterfactual", "cwcw", ("One falls", "Two falls", "Three falls", "Four falls"))


@pytest.mark.parametrize(
    ("question", "value", "meaning"),
    [
        (COUNT, 2, "2"),
        (COUNT, 2.0, "2"),
        (COUNT, "2", "2"),
        (COUNT, "Two", "2"),
        (COUNT, "none", "0"),
        (EXIST, "Yes.", "yes"),
        (EXIST, "NO", "no"),
        (EXIST, True, "yes"),
        (EXIST, False, "no"),
        (COLOR, " Grey ", "gray"),
        (COLOR, ["red"], "red"),
        (PAIR, "Red and Blue", "red and blue"),
        (PAIR, "red, blue", "red and blue"),
        (PAIR, ["grey", "red"], "gray and red"),
        (PAIR, "red & red", "red and red"),
    ],
)
def test_factual_answers_are_read_tolerantly(question: Any, value: Any, meaning: str) -> None:
    assert read_answer(question, {"answer": value}) == meaning
    assert read_answer(question, {"reason": "because", "Answer": value}) == meaning


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (COUNT, 6),
        (COUNT, -1),
        (COUNT, 1.5),
        (COUNT, 1e300),
        (COUNT, True),
        (COUNT, "yes"),
        (EXIST, 1),
        (EXIST, "maybe"),
        (EXIST, None),
        (COLOR, "pink"),
        (COLOR, "red and blue"),
        (COLOR, {"red": 1}),
        (COLOR, []),
        (COLOR, ""),
        (PAIR, "red"),
        (PAIR, "red and"),
        (PAIR, ["red", "blue", "green"]),
        (PAIR, [["red", "blue"]]),
        (PAIR, "red, " * 10_000),
    ],
)
def test_impossible_factual_answers_are_refused_with_what_is_possible(question: Any, value: Any) -> None:
    with pytest.raises(AnswerError) as refused:
        read_answer(question, {"answer": value})
    assert answer_form(question).removesuffix(".") in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    "answer",
    [
        {"correct": ["A", "C"]},
        {"correct": ["c", "a", "A"]},
        {"Correct": "A, C"},
        {"correct": "a and c"},
        {"correct": ["option A", "(C)"]},
        {"correct": ["A.", "C:"]},
        {"correct": ["One falls", "three falls."]},
        {"answer": ["A", "C"]},
        {"correct": {"A": True, "B": False, "C": True, "D": False}},
        {"correct": {"a": "correct", "b": "wrong", "c": "Correct", "d": "Wrong"}},
        {"A": "yes", "B": "no", "C": "yes", "D": "no", "why": "they collide"},
    ],
)
def test_options_are_read_from_letters_texts_and_verdicts(answer: dict[str, Any]) -> None:
    assert read_answer(OPTIONS, answer) == {0: CORRECT, 1: WRONG, 2: CORRECT, 3: WRONG}


@pytest.mark.parametrize("value", [[], "", "none", "None."])
def test_no_option_needs_to_be_correct(value: Any) -> None:
    assert read_answer(OPTIONS, {"correct": value}) == dict.fromkeys(range(4), WRONG)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, 'there is no field "correct"'),
        ({"right": ["A"]}, 'there is no field "correct"'),
        ({"correct": ["E"]}, 'there is no option "E"'),
        ({"correct": ["AC"]}, 'there is no option "AC"'),
        ({"correct": [0, 2]}, "there is no option 0"),
        ({"correct": [["A"]]}, 'there is no option ["A"]'),
        ({"correct": None}, "null is not a list of letters"),
        ({"correct": True}, "true is not a list of letters"),
        ({"correct": "x" * 10_000}, "is not a list of letters"),
        ({"correct": {"A": True}}, "option B is called neither correct nor wrong"),
        ({"correct": {"A": True, "B": 0, "C": True, "D": True}}, "option B is called neither"),
    ],
)
def test_options_that_do_not_exist_are_refused(answer: dict[str, Any], problem: str) -> None:
    with pytest.raises(AnswerError) as refused:
        read_answer(OPTIONS, answer)
    assert problem in str(refused.value)
    assert '{"correct": [...]}' in str(refused.value)
    assert len(str(refused.value)) < 400


def test_schemas_allow_exactly_what_can_be_answered() -> None:
    assert answer_schema(COUNT)["properties"]["answer"] == {"type": "integer", "enum": [0, 1, 2, 3, 4, 5]}
    assert answer_schema(EXIST)["properties"]["answer"]["enum"] == ["yes", "no"]
    assert answer_schema(OPTIONS)["properties"]["correct"]["items"]["enum"] == ["A", "B", "C", "D"]
    for question in (COUNT, EXIST, COLOR, PAIR):
        for value in answer_schema(question)["properties"]["answer"]["enum"]:
            assert read_answer(question, {"answer": value}) == str(value)
