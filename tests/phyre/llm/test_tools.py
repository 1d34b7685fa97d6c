"""Tools at PHYRE's tasks: simulations tell what attempts would, and change none; parts of scenes are enlarged."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from scripted_answers import answer_of

from tumble.llm.dialogue import Dialogue, read_json_object
from tumble.llm.puzzle import AnswerError, Picture
from tumble.llm.tools import ToolSettings
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.llm.puzzle_set import PhyrePuzzles

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")

from tool_models import HOSTILE_ARGUMENTS, evaluated, ignore_warnings, metrics, playing, told

TASK = "00000:000"
FAR = {"x": 30, "y": 240, "radius": 4}
NEAR = {"x": 120, "y": 200, "radius": 20}
INSIDE_A = {"x": 89, "y": 58, "radius": 4}


def solved() -> dict[str, Any]:
    action = solution(TASK)
    assert action is not None
    return read_json_object(answer_of(action))


def dialogue(mode: str = "text", grid: str | None = None, **tools: Any) -> Dialogue:
    selection = {"ids": [TASK], "mode": mode, "attempts": 3, "grid": grid}
    return Dialogue(PhyrePuzzles(selection).puzzle(TASK), ToolSettings(**tools))


def call(made: Dialogue, name: str, arguments: Any) -> tuple[Any, ...]:
    assert made.toolbox is not None
    return made.toolbox.call(name, arguments)


@pytest.mark.parametrize("mode", ["text", "both"])
def test_a_simulation_has_the_feedback_of_an_attempt(mode: str) -> None:
    made = dialogue(mode, simulate=3)
    text, *pictures, left = call(made, "simulate", NEAR)
    made.reply(json.dumps(NEAR))
    real, *shown = made.messages[-1].parts
    assert isinstance(real, str)
    assert text.splitlines()[0] == "Simulation: not solved."
    assert text.splitlines()[1:] == real.splitlines()[1:-1]
    assert pictures == shown
    assert len(pictures) == (mode == "both")
    assert left == "2 simulations left."


def test_simulations_change_no_attempt() -> None:
    answers = [NEAR, INSIDE_A, FAR, solved()]
    plain, with_tools = dialogue("both"), dialogue("both", simulate=9)
    for answer in answers:
        for one in (solved(), FAR):
            call(with_tools, "simulate", one)
        assert not with_tools.over
        for made in (plain, with_tools):
            made.reply(json.dumps(answer))
    assert plain.over
    assert with_tools.over
    assert plain.turns == with_tools.turns
    assert plain.messages[1:] == with_tools.messages[1:]


def test_a_simulation_says_that_an_action_would_solve_or_is_not_allowed() -> None:
    made = dialogue(simulate=3)
    assert call(made, "simulate", solved())[0].startswith("Simulation: solved.\n")
    assert call(made, "simulate", INSIDE_A)[0] == "Not allowed: the placed ball overlaps ball A."
    assert call(made, "simulate", {"x": 300, "y": 9, "radius": 5})[0].startswith("Not allowed: the placed ball leaves")
    assert made.toolbox is not None
    assert made.toolbox.calls["simulate"] == 3


def test_simulations_on_a_grid_take_its_cells() -> None:
    made = dialogue(grid="8x8x8", simulate=2)
    assert call(made, "simulate", {"cell": "d8", "radius": 3})[0].startswith("Simulation: ")
    assert call(made, "simulate", FAR)[0].startswith('Error: "cell" of the ball is missing')


def test_a_part_of_the_scene_is_enlarged() -> None:
    made = dialogue(look=True)
    (part,) = call(made, "look", {"left": 70, "bottom": 40, "right": 110, "top": 80})
    assert isinstance(part, Picture)
    assert part.caption == "the scene, x 70 to 110, y 40 to 80, with x and y in px on its axes"
    image = Image.open(io.BytesIO(part.png)).convert("RGB")
    red, green, _ = image.getpixel((44 + 160, 8 + 448 // 2))  # type: ignore[misc]
    assert green > red  # ball A, of radius 7.5 at (89.6, 58.7), is 168 pixels wide
    assert image.getpixel((44 + 60, 8 + 448 // 2 + 7)) == (255, 255, 255)
    assert part == call(made, "look", {"left": 70, "bottom": 40, "right": 110, "top": 80})[0]


@pytest.mark.parametrize(
    ("box", "problem"),
    [
        ((10, 10, 5, 20), '"left" must be less than "right"'),
        ((10, 10, 12, 12), "at least 8 wide and high, and inside x 0 to 256, y 0 to 256"),
        ((300, 10, 400, 100), "at least 8 wide"),
        ((0, 0, 256, 10), "at most 4 times"),
        ((0, 0, "far", 10), "\"right\" must be a number, not 'far'"),
    ],
)
def test_what_can_not_be_shown_is_said(box: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(AnswerError, match=problem):
        dialogue().puzzle.look(dict(zip(("left", "bottom", "right", "top"), box, strict=True)))


@ignore_warnings
def test_a_model_with_a_simulator(tmp_path: Path) -> None:
    from tumble.inspect_tasks.import_log import import_log
    from tumble.runs.log import read

    steps: list[Any] = [
        ("simulate", FAR),
        [("simulate", INSIDE_A), ("look", {"left": 0, "bottom": 0, "right": 100, "top": 100})],
        json.dumps(FAR),
        ("simulate", NEAR),
        json.dumps(NEAR),
    ]
    log = evaluated("phyre", playing(steps), tmp_path, limit=2, attempts=2, simulate=2, look=True)
    for sample in log.samples:
        assert sample.store["tool_calls"] == {"simulate": 2, "look": 1, "refused": 1}
        assert "the budget of 2 simulations is used up" in told(sample)[-1]
    found = metrics(log)
    assert (found["simulations"], found["looks"], found["refused_calls"], found["valid"]) == (2, 1, 1, 1)
    (path,) = import_log(Path(log.location), tmp_path / "runs")
    run = read(path)
    assert run.header.given_settings["options"] == "simulate 2, look true"
    assert run.header.details["tool_calls"] == {"simulate": 4, "look": 2, "refused": 2}
    turns = {sample.metadata["task"]: sample.store["turns"] for sample in log.samples}
    made = {task: [turn["record"]["action"] for turn in own if turn["counts"]] for task, own in turns.items()}
    for task, rows in run.tasks.items():
        assert [row["action"] for row in rows if row["action"]] == made[task]
    assert PHYRE.replay(run, lambda _: None) == ""


@ignore_warnings
def test_hostile_calls(tmp_path: Path) -> None:
    calls = [[("simulate", arguments), ("look", arguments)] for arguments in HOSTILE_ARGUMENTS]
    (sample,) = evaluated(
        "phyre", playing([*calls, "no", "no"]), tmp_path, ids=[TASK], attempts=1, simulate=20, look=True
    ).samples
    count = len(calls)
    assert sample.store["tool_calls"] == {"simulate": count, "look": count, "refused": 0}
    assert all(text.startswith("Error: ") for text in told(sample))
    assert [turn["kind"] for turn in sample.store["turns"]] == ["malformed"]
