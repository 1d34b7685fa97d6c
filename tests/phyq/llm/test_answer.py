"""Answers are read as shots with the bounds of the simulator; what is none is refused with what would be right."""

import random
from typing import Any

import pytest

from tumble.llm.puzzle import AnswerError
from tumble.phyq.llm.puzzle_set import answer_schema, read_shots
from tumble.phyq.simulation.shots import Shot


def test_all_fields() -> None:
    answer = {"angle": -12, "power": 0.5, "tap": 1.76, "reason": "it is near"}
    assert read_shots(answer, 1, True) == (Shot(-12.0, 0.5, tap_ms=1760.0),)


def test_power_tap_and_delay_may_be_left_out_or_null() -> None:
    assert read_shots({"angle": 30}, 1, True) == (Shot(30.0),)
    assert read_shots({"angle": 30, "power": None, "tap": None, "delay": None, "then": None}, 1, True) == (Shot(30.0),)


def test_further_shots() -> None:
    answer = {"angle": 30, "power": 1, "then": [{"angle": 40, "power": 0.9, "tap": None, "delay": 2.5}]}
    assert read_shots(answer, 2, False) == (Shot(30.0), Shot(40.0, 0.9, delay=2.5))


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, 'there is no "angle"'),
        ({"angle": 180.5}, "from -180 to 180, not 180.5"),
        ({"angle": "30"}, "not '30'"),
        ({"angle": True}, "not true"),
        ({"angle": 30, "power": 0}, '"power" must be a number from 0.001 to 1'),
        ({"angle": 30, "power": 1.01}, "not 1.01"),
        ({"angle": 30, "tap": -1}, '"tap" must be a number from 0 to 60, or null'),
        ({"angle": 30, "tap": float("inf")}, "an infinite number"),
        ({"angle": 10**400}, "a huge number"),
        ({"angle": [30]}, "a list"),
        ({"angle": 30, "then": {"angle": 3}}, '"then" must be a list'),
        ({"angle": 30, "then": [30]}, 'shot 1 of "then" must be an object'),
        ({"angle": 30, "then": [{"angle": 30}, {"power": 1}]}, 'no "angle" of shot 2 of "then"'),
        ({"angle": 30, "then": [{"angle": 30}] * 3}, "4 shots, but 3 birds are left"),
        ({"angle": 30, "delay": 2}, 'the second in "then"'),
    ],
)
def test_what_is_wrong_is_said(answer: dict[str, Any], problem: str) -> None:
    with pytest.raises(AnswerError) as error:
        read_shots(answer, 3, False)
    assert problem in str(error.value)
    assert len(str(error.value)) < 300


def test_any_json_value_is_a_shot_or_an_answer_error() -> None:
    draw = random.Random(0)
    values = [None, True, "", "30", "x" * 10_000, 0, -1, 30, 1e308, float("nan"), 10**300, [], [[]], {}, {"angle": 1}]
    problems: list[str] = []
    shots = 0
    for _ in range(5000):
        answer = {name: draw.choice(values) for name in ("power", "tap", "delay", "then") if draw.random() < 0.3}
        answer["angle"] = draw.choice(values)
        if draw.random() < 0.2:
            answer["then"] = [draw.choice(values) for _ in range(draw.randrange(4))]
        try:
            shots += len(read_shots(answer, draw.randrange(1, 4), draw.random() < 0.5))
        except AnswerError as error:
            problems.append(str(error))
    assert shots > 50
    assert max(map(len, problems)) < 300


def test_only_levels_with_several_birds_have_further_shots() -> None:
    assert "then" not in answer_schema(1)["properties"]
    assert answer_schema(3)["properties"]["then"]["maxItems"] == 2
