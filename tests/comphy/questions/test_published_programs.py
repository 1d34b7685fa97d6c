"""Programs have the form that the published interpreters accept, and the documentation has one of every template."""

import re
from pathlib import Path

import pytest
from sample_scenes import random_scene

from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.parser import QUESTION_FAMILIES, parse_choice, parse_question

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "comphy-questions.md"
ROWS = re.findall(
    r"^\| (`\w+`|an option) \| ([^|]+) \| `([a-z_ ]+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
)

SET_FILTERS = ["light", "heavy", "charged", "uncharged", "opposite", "same"]
SIGNATURES: dict[str, tuple[str, ...]] = {
    "objects": ("bodies",),
    "events": ("events",),
    "unseen_events": ("events",),
    "all_events": ("events",),
    "exist": ("set", "yes/no"),
    "count": ("set", "number"),
    "negate": ("yes/no", "yes/no"),
    "not": ("yes/no", "yes/no"),
    "belong_to": ("event", "events", "yes/no"),
    "filter_start": ("events", "event"),
    "filter_end": ("events", "event"),
    "filter_order": ("events", "word", "event"),
    "filter_before": ("events", "event", "events"),
    "filter_after": ("events", "event", "events"),
    "filter_mass": ("bodies", "masses"),
    "is_heavier": ("mass", "mass", "yes/no"),
    "is_lighter": ("mass", "mass", "yes/no"),
    "equal_charge": ("body", "body", "yes/no"),
    "query_frame": ("event", "time"),
    "query_object": ("event", "body"),
    "query_collision_partner": ("event", "body", "body"),
    "query_direction": ("body", "time", "word"),
    "filter_counterfact": ("events", "body", "word", "events"),
    **{f"filter_{kind}": ("bodies", "bodies") for kind in SET_FILTERS},
    **{f"filter_{kind}": ("bodies", "word", "bodies") for kind in ("color", "material", "shape")},
    **{f"filter_{kind}": ("bodies", "time", "bodies") for kind in ("moving", "stationary")},
    **{f"filter_{kind}": ("events", "any bodies", "events") for kind in ("in", "out", "collision")},
    **{f"query_{kind}": ("body", "word") for kind in ("color", "material", "shape")},
    **{f"query_both_{kind}": ("pair", "words") for kind in ("color", "material", "shape")},
}
"""Arguments and result of each operator of the published interpreters, which tell one body from a set of bodies."""
ONLY = {"bodies": "body", "events": "event", "masses": "mass"}
ACCEPTED = {"set": ("bodies", "events"), "any bodies": ("bodies", "body"), "time": ("time", "null")}


def _result(program: tuple[str, ...]) -> str:
    """The type of a program's result; fails where an operator gets what the published ones do not take."""
    stack: list[str] = []
    for k, token in enumerate(program):
        if token == "unique":
            pair = k + 1 < len(program) and program[k + 1].startswith("query_both_")
            stack.append("pair" if pair else ONLY[stack.pop()])
        elif token in SIGNATURES:
            *expected, result = SIGNATURES[token]
            given = [stack.pop() for _ in expected][::-1]
            for kind, wanted in zip(given, expected, strict=True):
                assert kind in ACCEPTED.get(wanted, (wanted,)), f"{token} in {program}: {kind} instead of {wanted}"
            stack.append(result)
        else:
            stack.append("null" if token == "null" else "word")
    return stack[-1]


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_every_operator_gets_what_the_published_one_takes(family: str) -> None:
    scenes = {number: random_scene(number, family) for number in range(30)}
    for own in ask_block(scenes, 5, SPLIT_OPTIONS["test"]):
        for question in own.questions:
            if question.kind == "factual":
                assert _result(question.program) in ("yes/no", "number", "word", "words")
            for choice in question.choices:
                assert _result(choice.program) == "event"
                assert _result(choice.program + question.program) == "yes/no"


def test_a_mass_of_one_body_is_not_what_the_published_operators_take() -> None:
    """The check can fail."""
    with pytest.raises(AssertionError, match="filter_mass"):
        _result(("objects", "red", "filter_color", "unique", "filter_mass"))


@pytest.mark.parametrize(("family", "text", "program"), ROWS)
def test_documented_examples_are_read_as_documented(family: str, text: str, program: str) -> None:
    if family == "an option":
        assert parse_choice(text).program == tuple(program.split())
    else:
        question = parse_question(text)
        assert (f"`{question.family}`", question.program) == (family, tuple(program.split()))


def test_every_template_is_documented() -> None:
    assert {family.strip("`") for family, _, _ in ROWS} == {*QUESTION_FAMILIES, "an option"}
