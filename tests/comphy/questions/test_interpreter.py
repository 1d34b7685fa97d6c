"""What every operator does, on a scene made by hand."""

import pytest
from sample_scenes import BLUE_BALL, GREEN_TUBE, RED_BALL, RED_CUBE, busy_scene, make_scene

from tumble.comphy.catalogue.task import Choice, Question
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.questions.interpreter import Interpreter, execute, trace
from tumble.comphy.questions.program import OPERATORS, same_answer
from tumble.comphy.simulation.events import Event

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
    "objects cube filter_shape filter_mass unique objects blue filter_color filter_mass unique is_heavier": "yes",
    "objects cube filter_shape filter_mass unique objects blue filter_color filter_mass unique is_lighter": "no",
    f"{BALL} filter_mass {CUBE} filter_mass is_lighter": "yes",
    f"{BALL} {OTHER_BALL} equal_charge": "no",
    f"{BALL} {BALL} equal_charge": "yes",
    f"{CUBE} {TUBE} equal_charge": "no",
    f"{BALL} {OTHER_BALL} equal_charge not": "yes",
    f"{BALL} {BALL} equal_charge not": "no",
    f"{BALL} {TUBE} equal_charge not": "no",
    f"{CUBE} {TUBE} equal_charge negate": "no",
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
    f"objects red filter_color filter_mass unique {CUBE} filter_mass is_heavier",
    f"objects purple filter_color filter_mass unique {CUBE} filter_mass is_heavier",
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


@pytest.mark.parametrize(
    ("program", "gap"),
    [
        ("objects filter_heavy count", None),
        ("events objects filter_collision count", None),
        (f"events {BALL} filter_collision first filter_order {BALL} query_collision_partner query_color", 20),
        ("events objects filter_in last filter_order query_object query_color", 40),
        ("events objects filter_out first filter_order query_object query_color", None),
        (f"events objects filter_collision events {TUBE} filter_in unique filter_before count", 10),
        (f"events objects filter_collision events {BALL} filter_in unique filter_after count", 10),
        (f"events objects filter_in events {TUBE} filter_in unique filter_before count", 40),
        ("events objects filter_collision events filter_start filter_after count", None),
        ("events events filter_end filter_before count", None),
        (f"events {TUBE} filter_in events objects purple filter_color filter_out unique filter_before count", None),
        (f"events events {CUBE} filter_collision unique filter_ancestor count", 10),
    ],
)
def test_order_gap(program: str, gap: int | None) -> None:
    """Events are at the frames 10, 20, 40, 50 and 90."""
    assert Interpreter(busy_scene()).order_gap(tuple(program.split())) == gap


def test_order_gap_is_that_to_both_neighbours() -> None:
    bodies = (RED_CUBE, BLUE_BALL, RED_BALL, GREEN_TUBE)
    events = [Event("in", frame, (k,)) for k, frame in enumerate((10, 13, 20, 22))]
    interpreter = Interpreter(make_scene(bodies, events))
    gaps = {
        order: interpreter.order_gap(("events", "objects", "filter_in", order, "filter_order", "query_frame"))
        for order in ("first", "second", "last")
    }
    assert gaps == {"first": 3, "second": 3, "last": 2}


def test_events_at_once_have_no_gap() -> None:
    scene = make_scene((RED_CUBE, BLUE_BALL), (Event("in", 10, (0,)), Event("in", 10, (1,))))
    assert Interpreter(scene).order_gap(("events", "objects", "filter_in", "first", "filter_order", "query_frame")) == 0


def test_motion_without_a_time_is_about_the_frames_in_view() -> None:
    """A body that moves only while out of view is stationary; one that is never in view is neither."""
    bodies = (RED_CUBE, BLUE_BALL, RED_BALL, GREEN_TUBE)
    shown = (Event("in", 40, (0,)), Event("in", 60, (1,)), Event("in", SHOWN_FRAMES, (2,)))
    scene = make_scene(bodies, shown, velocities={0: (1.0, 0.0), 1: (1.0, 0.0), 2: (1.0, 0.0)}, until={0: 50, 1: 50})
    counts = [execute(("objects", "null", f"filter_{word}", "count"), scene) for word in ("moving", "stationary")]
    assert counts == ["1", "2"]
    assert execute(("objects", "null", "filter_moving", "unique", "query_shape"), scene) == "cube"


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
