"""Reading answers: the object wherever it stands, never a crash, and quickly, whatever the text is."""

import time

import pytest

from tumble.llm.dialogue import MOST_ANSWER_CHARACTERS, read_json_object
from tumble.llm.puzzle import AnswerError

HOSTILE = {
    "nested objects": '{"a":' * 4000,
    "nested objects and lists": '{"a":[' * 3300,
    "braces": "{" * MOST_ANSWER_CHARACTERS,
    "nested lists of numbers": '{"a":[0,0,0,0,' * 1500,
    "lists": '{"a":' + "[" * 19_000,
    "quotes": '{"' * 10_000,
    "many digits": '{"a":' + "1" * 19_000 + "}",
    "objects before a long list": '{"a":' * 500 + "[" + "0," * 8000,
    "open strings": '{"a":"{' * 3000,
    "ten million characters": "{" * 10_000_000,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"x": 0.5}', {"x": 0.5}),
        ('I think so.\n```json\n{"x": 1}\n```\nDone.', {"x": 1}),
        ('First {"x": 1}, no: {"x": 2}', {"x": 2}),
        ('{"x": {"y": 1}} and {broken', {"x": {"y": 1}}),
        ("a set {1, 2} and {" * 100 + '{"x": 3}', {"x": 3}),
        ("{" * 15_000 + '{"x": 4}', {"x": 4}),
        ("words " * 10_000 + '{"x": 5}', {"x": 5}),
    ],
)
def test_the_last_object_is_read(text: str, value: object) -> None:
    assert read_json_object(text) == value


@pytest.mark.parametrize("text", ["", " \n", "no", "[1]", "{", '{"x": NaN}', '{"x": Infinity}', "null", '{"x": 1'])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(AnswerError, match="JSON object"):
        read_json_object(text)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" * 400, "1e31"])
def test_numbers_that_fit_into_no_float_are_refused(number: str) -> None:
    with pytest.raises(AnswerError, match="a number is too"):
        read_json_object(f'{{"x": [{number}]}}')


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_refused_quickly(name: str) -> None:
    started = time.process_time()
    with pytest.raises(AnswerError):
        read_json_object(HOSTILE[name])
    assert time.process_time() - started < 1
