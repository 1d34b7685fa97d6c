"""What every operator does, on a scene made by hand."""

import pytest
from sample_scenes import BLUE_BALL, RED_BALL, RED_CUBE, busy_scene, make_scene

from tumble.comphy.questions.answers import same_answer
from tumble.comphy.questions.programs.interpreter import Interpreter, execute, trace
from tumble.comphy.questions.programs.program import OPERATORS
from tumble.comphy.simulation.events import Event
from tumble.comphy.tasks.question import Choice, Question

BALL = "objects blue filter_color unique"
CUBE = "objects cube filter_shape unique"
OTHER_BALL = "objects red filter_color sphere filter_shape unique"
TUBE = "objects cylinder filter_shape unique"
CASES = {
    "objects count": "4",
    "events count": "7",
    "unseen_events count": "1",
    "all_events count": "6",
    "objects red filter_color count": "2",
    "objects metal filter_material sphere filter_shape count": "2",
    f"{BALL} query_material": "metal",
    f"{CUBE} query_color": "red",
    f"{TUBE} query_shape": "cylinder",
    "objects purple filter_color exist": "no",
    "objects purple filter_color exist negate": "yes",
    "objects red filter_color exist not": "no",
    "objects null filter_moving count": "3",
    "objects null filter_stationary unique query_shape": "cube",
    "objects null filter_resting unique query_shape": "cube",
    "objects events filter_start query_frame filter_moving unique query_color": "red",
    "objects events filter_start query_frame filter_stationary unique query_shape": "cube",
    "objects events filter_end query_frame filter_moving count": "2",
    "objects events filter_end query_frame filter_stationary count": "1",
    "events objects filter_in count": "2",
    f"events {BALL} filter_in unique query_object query_color": "blue",
    f"events {BALL} filter_collision count": "2",
    "events objects filter_out last filter_order query_object query_material": "metal",
    "events objects filter_in second filter_order query_object query_color": "green",
    f"events {BALL} filter_collision first filter_order {BALL} query_collision_partner query_color": "red",
    f"events {BALL} filter_collision last filter_order {BALL} query_collision_partner query_shape": "cube",
    f"events objects filter_collision events {TUBE} filter_in unique filter_before count": "2",
    f"events objects filter_out events {TUBE} filter_in unique filter_after count": "1",
    f"events events {CUBE} filter_collision unique filter_ancestor count": "2",
    f"{BALL} null query_direction": "right",
    f"{TUBE} events filter_end query_frame query_direction": "up",
    f"{OTHER_BALL} events filter_start query_frame query_direction": "left",
    "objects filter_light count": "3",
    "objects filter_heavy unique query_shape": "cube",
    "objects filter_charged count": "2",
    "objects filter_uncharged count": "2",
    "objects filter_opposite count": "2",
    "objects filter_same count": "0",
    f"{CUBE} filter_mass {BALL} filter_mass is_heavier": "yes",
    f"{BALL} filter_mass {OTHER_BALL} filter_mass is_heavier": "no",
    f"{BALL} filter_mass {CUBE} filter_mass is_lighter": "yes",
    f"{BALL} {OTHER_BALL} equal_charge": "no",
    f"{BALL} {BALL} equal_charge": "yes",
    f"{CUBE} {TUBE} equal_charge": "no",
    "objects filter_charged unique query_both_color": "blue and red",
    "objects filter_charged unique query_both_material": "metal and metal",
    "objects filter_opposite query_both_shape": "sphere and sphere",
    f"{BALL} counterfact_uncharged counterfact_events count": "1",
    f"all_events {CUBE} counterfact_lighter filter_counterfact count": "2",
    f"{TUBE} events belong_to": "yes",
    f"{BALL} unseen_events belong_to": "no",
}
ERRORS = (
    "objects purple filter_color unique query_shape",
    "objects red filter_color unique query_shape",
    "objects unique query_shape",
    "events objects filter_out second filter_order query_object query_shape",
    f"{CUBE} null query_direction",
    f"{OTHER_BALL} events filter_end query_frame query_direction",
    "all_events first filter_order query_frame",
    f"events {BALL} filter_collision first filter_order query_object query_color",
    f"events {TUBE} filter_in unique {TUBE} query_collision_partner query_color",
    f"{CUBE} counterfact_heavier counterfact_events count",
    f"{TUBE} counterfact_uncharged counterfact_events exist not",
    f"objects red filter_color unique filter_mass {CUBE} filter_mass is_heavier",
    "objects filter_heavy unique query_both_color",
)


@pytest.mark.parametrize(("program", "answer"), CASES.items())
def test_answers(program: str, answer: str) -> None:
    assert execute(tuple(program.split()), busy_scene()) == answer


@pytest.mark.parametrize("program", ERRORS)
def test_what_has_no_answer_is_an_error(program: str) -> None:
    assert execute(tuple(program.split()), busy_scene()) == "error"


def test_every_operator_is_tried() -> None:
    tried = {token for program in CASES for token in program.split()}
    assert set(OPERATORS) <= tried


def test_order_is_an_error_where_two_events_are_at_once() -> None:
    scene = make_scene((RED_CUBE, BLUE_BALL, RED_BALL), (Event("in", 10, (0,)), Event("in", 10, (1,))))
    assert execute(("events", "objects", "filter_in", "first", "filter_order", "query_frame"), scene) == "error"


def test_charge_relation_of_a_pair_is_asked_of_the_pair() -> None:
    program = (
        f"all_events {BALL} filter_opposite filter_collision {OTHER_BALL} filter_opposite filter_collision exist",
        f"all_events {BALL} filter_opposite filter_collision {TUBE} filter_opposite filter_collision exist",
    )
    assert [execute(tuple(own.split()), busy_scene()) for own in program] == ["yes", "no"]


def _choice(number: int, one: str, other: str) -> Choice:
    program = f"all_events {one} filter_collision {other} filter_collision unique"
    return Choice(number, "", tuple(program.split()), None)


@pytest.mark.parametrize(
    ("program", "verdicts"),
    [
        ("unseen_events belong_to", ("wrong", "wrong", "correct")),
        (f"all_events {CUBE} counterfact_lighter filter_counterfact belong_to", ("correct", "correct", "wrong")),
        (f"all_events {CUBE} counterfact_lighter filter_counterfact belong_to not", ("wrong", "wrong", "correct")),
        (f"all_events {CUBE} counterfact_heavier filter_counterfact belong_to", ("error", "error", "error")),
    ],
)
def test_options_are_correct_or_wrong(program: str, verdicts: tuple[str, ...]) -> None:
    choices = (_choice(0, BALL, CUBE), _choice(1, CUBE, TUBE), _choice(2, TUBE, OTHER_BALL))
    question = Question(0, "counterfactual", "", "", tuple(program.split()), None, choices)
    assert Interpreter(busy_scene()).answers(question) == verdicts


def test_forces_are_not_among_the_events() -> None:
    values = [step.value for step in trace(("events", "count"), busy_scene())]
    assert "attraction" not in values[0]
    assert "collision of blue metal sphere and red metal sphere at frame 20" in values[0]


def test_trace_says_each_value_in_words() -> None:
    steps = trace(tuple(f"{CUBE} filter_mass {BALL} filter_mass is_heavier".split()), busy_scene())
    assert [step.value for step in steps][-5:] == ["blue", "blue metal sphere", "blue metal sphere", "1", "yes"]
    assert trace(("objects", "filter_same"), busy_scene())[-1].value == "none"


def test_order_of_a_pair_does_not_matter() -> None:
    assert same_answer("red and blue", "blue and red")
    assert not same_answer("red and blue", "red and red")
    assert not same_answer("red and red", "red")
    assert same_answer("yes", "yes")
