"""Programs are type-checked before they run, and errors name the token."""

import pytest

from tumble.comphy.catalogue.task import Choice, Question
from tumble.comphy.questions.interpreter import OPERATOR_FUNCTIONS
from tumble.comphy.questions.program import LITERALS, OPERATORS, ProgramError, Type, check_program, check_question

CHOICE = "all_events objects red filter_color unique filter_collision objects cube filter_shape filter_collision unique"


def test_every_operator_has_a_meaning() -> None:
    assert set(OPERATOR_FUNCTIONS) == set(OPERATORS)


def test_no_word_is_both_operator_and_literal() -> None:
    assert not set(OPERATORS) & set(LITERALS)


@pytest.mark.parametrize(
    ("program", "gives"),
    [
        ("objects cyan filter_color cube filter_shape filter_charged count", Type.NUMBER),
        ("objects events filter_end query_frame filter_moving exist", Type.YES_NO),
        (
            "objects blue filter_color unique filter_mass objects red filter_color unique filter_mass is_heavier",
            Type.YES_NO,
        ),
        ("objects filter_charged unique query_both_color", Type.COLORS),
        ("events objects filter_in first filter_order query_object query_shape", Type.SHAPE),
        ("objects unique null query_direction", Type.DIRECTION),
        ("objects unique counterfact_heavier counterfact_events count", Type.NUMBER),
        (CHOICE, Type.EVENT),
        (f"{CHOICE} unseen_events belong_to", Type.YES_NO),
        (f"{CHOICE} all_events objects unique counterfact_lighter filter_counterfact belong_to not", Type.YES_NO),
    ],
)
def test_type_of_well_formed_programs(program: str, gives: Type) -> None:
    assert check_program(tuple(program.split())) == gives


@pytest.mark.parametrize(
    ("program", "complaint"),
    [
        ("", "the program is empty"),
        (
            "objects red filter_shape",
            r"token 2 \('filter_shape'\): takes object or objects, shape, but got objects, color",
        ),
        ("count", r"token 0 \('count'\): takes .* but got nothing"),
        ("events filter_in", r"token 1 \('filter_in'\): takes events, object or objects, but got events"),
        (
            "objects filter_colour",
            r"token 1 \('filter_colour'\): there is no such operator .* did you mean filter_color",
        ),
        ("objects objects count", r"ends with 2 values \(objects, number\)"),
        ("objects query_color", r"takes object, but got objects"),
        ("objects unique counterfact_heavier", r"ends with 2 values \(object, change\)"),
        ("events first query_frame", r"takes event, but got order"),
    ],
)
def test_ill_formed_programs_are_named(program: str, complaint: str) -> None:
    with pytest.raises(ProgramError, match=complaint):
        check_program(tuple(program.split()))


def test_a_question_goes_on_from_its_options() -> None:
    choice = Choice(0, "The red object collides with the blue object", tuple(CHOICE.split()), "correct")
    good = Question(
        0, "predictive", "predictive", "What will happen next?", ("unseen_events", "belong_to"), None, (choice,)
    )
    check_question(good)
    bad = Question(0, "predictive", "predictive", "What will happen next?", ("unseen_events", "count"), None, (choice,))
    with pytest.raises(ProgramError, match="ends with 2 values"):
        check_question(bad)
