"""Tools at Phy-Q's levels: simulations of a shot or of several change no attempt; parts of levels are enlarged."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tumble.llm.dialogue import Dialogue
from tumble.llm.puzzle import AnswerError, Picture
from tumble.llm.tools import ToolSettings
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.llm.puzzle_set import solution_answers

pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install tumble[llm]")

from tool_models import HOSTILE_ARGUMENTS, evaluated, ignore_warnings, metrics, playing, told

TASK = "11.2:080"
"""With two birds."""
LOW = {"angle": 75, "power": 0.3}


def dialogue(mode: str = "text", task_id: str = TASK, **tools: Any) -> Dialogue:
    puzzles = PHYQ.puzzles({"ids": [task_id], "mode": mode, "attempts": 2, "picture_width": 480})
    return Dialogue(puzzles.puzzle(task_id), ToolSettings(**tools))


def call(made: Dialogue, name: str, arguments: Any) -> tuple[Any, ...]:
    assert made.toolbox is not None
    return made.toolbox.call(name, arguments)


@pytest.mark.parametrize("mode", ["text", "both"])
def test_a_simulation_has_the_feedback_of_a_shot(mode: str) -> None:
    made = dialogue(mode, simulate=1)
    told = call(made, "simulate", LOW)
    made.reply(json.dumps(LOW))
    *real, ask = made.messages[-1].parts
    assert "Your next shot?" in str(ask)
    assert "Simulation: when everything is at rest, 3 pigs and 1 bird would be left:" in told
    assert [part for part in told[:-1] if not str(part).startswith("Simulation")] == real
    assert told[-1] == "0 simulations left."


def test_simulations_change_no_attempt() -> None:
    plain, with_tools = dialogue(), dialogue(simulate=20)
    solution = solution_answers(TASK)
    for answer in [json.dumps(LOW), json.dumps(LOW), *solution]:
        call(with_tools, "simulate", {"angle": 20, "power": 1})
        call(with_tools, "simulate", {"angle": 20, "power": 1, "then": [{"angle": 40, "power": 1}]})
        for made in (plain, with_tools):
            made.reply(answer)
    assert plain.over
    assert with_tools.turns[-1].solved
    assert plain.turns == with_tools.turns
    assert plain.messages[1:] == with_tools.messages[1:]


def test_a_whole_attempt_can_be_simulated() -> None:
    first, *following = map(json.loads, solution_answers(TASK))
    made = dialogue(simulate=3)
    assert "Simulation: the level would be won." in call(made, "simulate", {**first, "then": following})
    assert "Simulation: the attempt would be lost with 3 pigs left." in call(made, "simulate", {**LOW, "then": [LOW]})
    assert "3 shots, but 2 birds are left" in call(made, "simulate", {**LOW, "then": [LOW, LOW]})[0]
    assert not made.turns


def test_a_part_of_the_level_is_enlarged_as_it_is_now() -> None:
    made = dialogue(look=True)
    box = {"left": -13, "bottom": -4, "right": -11, "top": -1}
    (before,) = call(made, "look", box)
    assert isinstance(before, Picture)
    assert before.caption == "The level now, x -13 to -11, y -4 to -1, in units"
    assert Image.open(io.BytesIO(before.png)).size == (44 + 512 + 16, 8 + 768 + 22)
    made.reply(json.dumps(LOW))
    (after,) = call(made, "look", box)
    assert after.png != before.png  # the second bird is at the slingshot
    with pytest.raises(AnswerError, match=r"inside x -17\.5 to 17\.5, y -4 to 12"):
        made.puzzle.look({"left": 20, "bottom": 0, "right": 30, "top": 10})


@ignore_warnings
def test_a_model_with_a_simulator(tmp_path: Path) -> None:
    from tumble.inspect_tasks.import_log import import_log
    from tumble.runs.log import read

    first, second = solution_answers(TASK)
    steps: list[Any] = [("simulate", LOW), json.dumps(LOW), [("simulate", LOW), ("simulate", LOW)], json.dumps(LOW)]
    log = evaluated("phyq", playing([*steps, first, second]), tmp_path, ids=[TASK], attempts=2, simulate=2)
    (sample,) = log.samples
    assert sample.store["tool_calls"] == {"simulate": 2, "refused": 1}
    assert [turn["status"] for turn in sample.store["turns"]] == ["open", "not solved", "open", "solved"]
    assert (metrics(log)["simulations"], metrics(log)["refused_calls"]) == (2, 1)
    (path,) = import_log(Path(log.location), tmp_path / "runs")
    run = read(path)
    assert run.header.given_settings["options"] == "simulate 2"
    assert [len(row["action"]) for row in run.tasks[TASK]] == [2 * 5, 2 * 5]  # two shots of five numbers
    assert PHYQ.replay(run, lambda _: None) == ""


@ignore_warnings
def test_hostile_calls(tmp_path: Path) -> None:
    calls = [[("simulate", arguments), ("look", arguments)] for arguments in HOSTILE_ARGUMENTS]
    (sample,) = evaluated(
        "phyq", playing([*calls, "no", "no"]), tmp_path, ids=[TASK], attempts=1, simulate=20, look=True
    ).samples
    count = len(calls)
    assert sample.store["tool_calls"] == {"simulate": count, "look": count, "refused": 0}
    assert all(text.startswith("Error: ") for text in told(sample))
