"""Dialogues with scripted models about PHYRE's tasks."""

import json
import random
from typing import Any

import numpy as np
import pytest
from scripted_answers import answer_of, counted, led

from tumble.benchmark import benchmark
from tumble.llm.puzzle import AnswerError, Picture
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue.tasks_by_id import solution, task
from tumble.phyre.llm.puzzle_set import PhyrePuzzle, PhyrePuzzles
from tumble.phyre.simulation.simulator import Simulator

TASKS = {"B": ["00000:000", "00003:000", "00013:011", "00021:002"], "2B": ["00100:000", "00111:000", "00116:000"]}
FAR = '{"x": 30, "y": 240, "radius": 4}'
"""A ball that does not solve 00000:000, and changes nothing there."""


def puzzle_of(
    task_id: str = "00000:000", mode: str = "text", attempts: int = 3, grid: str | None = None
) -> PhyrePuzzle:
    selection = {"ids": [task_id], "mode": mode, "attempts": attempts, "grid": grid}
    return PhyrePuzzles(selection).puzzle(task_id)


@pytest.mark.parametrize("mode", ["text", "picture"])
@pytest.mark.parametrize("tier", TASKS)
def test_stored_solutions_solve_all(tier: str, mode: str) -> None:
    puzzles = PhyrePuzzles({"ids": TASKS[tier], "mode": mode})
    records = {}
    for task_id in puzzles.ids:
        action = solution(task_id)
        assert action is not None
        dialogue = led(puzzles.puzzle(task_id), [answer_of(action)])
        assert dialogue.over
        assert dialogue.turns[0].solved
        records[task_id] = counted(dialogue)
        np.testing.assert_allclose(records[task_id][0]["action"], action, atol=1e-12)
    scores = puzzles.scores(records)
    assert list(scores.values()) == pytest.approx([1.0] * 5)
    assert list(scores) == ["auccess", "success_within_1", "success_within_2", "success_within_5", "success_within_10"]


def test_records_replay_to_the_same_status_and_steps() -> None:
    dialogue = led(puzzle_of(), [FAR, '{"x": 120, "y": 200, "radius": 20}', answer_of(solution("00000:000"))])  # type: ignore[arg-type]
    records = json.loads(json.dumps(counted(dialogue)))
    assert [record["attempt"] for record in records] == [1, 2, 3]
    simulator = Simulator(["00000:000"])
    status, steps = simulator.outcomes(["00000:000"] * 3, [record["action"] for record in records])
    assert [record["status"] for record in records] == status.tolist()
    assert [record["steps"] for record in records] == steps.tolist()
    assert records[-1]["status"] == 1


def test_an_action_that_is_not_allowed_uses_up_no_attempt_and_says_why() -> None:
    answers = {
        '{"x": 89, "y": 58, "radius": 4}': "the placed ball overlaps ball A",
        '{"x": 300, "y": 58, "radius": 4}': "leaves the scene",
        '{"x": 100, "y": 200, "radius": 50}': "radius 50 is not from 2 to 32",
        '{"x": 1, "y": 200, "radius": 5}': "leaves the scene",
    }
    dialogue = led(puzzle_of(attempts=2), list(answers))
    assert [turn.status for turn in dialogue.turns] == ["invalid"] * 4
    assert not counted(dialogue)
    told = [message.text for message in dialogue.messages if message.role == "user"][1:]
    for text, reason in zip(told, answers.values(), strict=True):
        assert reason in text
        assert "used up no attempt; 2 attempts left" in text
    assert not dialogue.over


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        ("I place it at the top.", "no JSON object"),
        ('{"x": 10, "y": 10}', '"radius" of the ball is missing'),
        ('{"x": "left", "y": 10, "radius": 3}', "\"x\" of the ball must be a number, not 'left'"),
        ('{"x": true, "y": 10, "radius": 3}', "must be a number"),
        ('{"x": 1e999, "y": 10, "radius": 3}', "a number is too large"),
        ('{"x": ' + "9" * 400 + ', "y": 10, "radius": 3}', "a number is too large"),
        ('{"x": null, "y": 10, "radius": 3}', "must be a number"),
        ('{"balls": []}', "must place one ball"),
        ('{"balls": [4]}', "must be a JSON object"),
    ],
)
def test_answers_that_are_no_action_are_sent_back_once_and_then_counted(answer: str, reason: str) -> None:
    dialogue = led(puzzle_of(attempts=2), [answer])
    assert reason in dialogue.messages[-1].text
    assert not dialogue.turns
    dialogue.reply(answer)
    assert [turn.counts for turn in dialogue.turns] == [True]
    assert counted(dialogue) == [{"attempt": 1, "action": None, "status": 0, "steps": None}]
    assert "1 attempt left" in dialogue.messages[-1].text


def test_no_answer_breaks_the_reading() -> None:
    draw = random.Random(0)
    odd = [0, -1, 1.5, 1e300, -0.0, "7", "x", "nan", "1e5", "a9", "", None, True, [], {}, [1], 10**400, "9" * 5000]
    puzzles = [puzzle_of(), puzzle_of("00100:000"), puzzle_of(grid="5x5x5"), puzzle_of("00100:000", grid="8x8x8")]
    kinds = set()
    for number in range(2000):
        puzzle = puzzles[number % 4]
        ball = {"x": 30, "y": 240, "radius": 4} if puzzle.grid is None else {"cell": "b4", "radius": 4}
        balls: list[Any] = [{**ball, draw.choice(list(ball)): draw.choice(odd)} for _ in range(puzzle.tier.balls)]
        if draw.random() < 0.2:
            balls[0] = draw.choice(odd)
        wrapped = draw.choice(odd) if draw.random() < 0.1 else balls
        answer = balls[0] if puzzle.tier.balls == 1 and isinstance(balls[0], dict) else {"balls": wrapped}
        try:
            action = puzzle.read(answer)
        except AnswerError as error:
            kinds.add("short" if len(str(error)) < 300 else "long")
        else:
            kinds.add("read" if action.shape == (puzzle.tier.numbers,) and np.isfinite(action).all() else "wrong")
    assert kinds == {"short", "read"}


def test_digits_in_quotes_are_read() -> None:
    assert led(puzzle_of(), ['{"x": "30", "y": "240", "radius": "4"}']).turns[0].status == "not solved"


def test_whole_pixels_are_placed_exactly_where_they_were_asked_for() -> None:
    puzzle = puzzle_of()
    for x in range(256):
        action = puzzle.read({"x": x, "y": x, "radius": 2 + x % 31})
        assert np.trunc(action[0] * 255.0) == x
        assert round(float(action[2] * 30.0 + 2.0)) == 2 + x % 31


def test_two_balls_need_a_list_of_two() -> None:
    ball = {"x": 30, "y": 240, "radius": 4}
    other = {**ball, "x": 60}
    assert led(puzzle_of("00100:000"), [json.dumps({"balls": [ball, other]})]).turns[0].counts
    assert "must place 2 balls" in led(puzzle_of("00100:000"), [json.dumps(ball)]).messages[-1].text
    assert "too close" in led(puzzle_of("00100:000"), [json.dumps({"balls": [ball, ball]})]).messages[-1].text


def test_a_puzzle_is_over_after_its_attempts() -> None:
    dialogue = led(puzzle_of(attempts=2), [FAR, FAR])
    assert dialogue.over
    assert len(dialogue.messages) == 5  # nothing is told after the last attempt


def test_unsolved_tasks_count_as_unsolved_to_the_end() -> None:
    puzzles = PhyrePuzzles({"ids": ["00000:000", "00001:000"], "attempts": 5})
    lost, solved = {"status": -1}, {"status": 1}
    scores = puzzles.scores({"00000:000": [lost, solved], "00001:000": [lost] * 5})
    assert scores["success_within_1"] == 0.0
    assert scores["success_within_2"] == scores["success_within_5"] == 0.5
    assert scores["auccess"] == pytest.approx(0.5 * (1.0 - np.log(2.0) / np.log(101.0)))
    assert "success_within_10" not in scores


def test_picture_modes_show_frames_of_an_attempt() -> None:
    for mode, pictures in {"text": 0, "picture": 1, "both": 1}.items():
        told = led(puzzle_of(mode=mode), [FAR]).messages[-1]
        assert sum(isinstance(part, Picture) for part in told.parts) == pictures


def test_the_benchmark_brings_its_puzzles() -> None:
    assert PHYRE is benchmark("phyre")
    assert list(PHYRE.puzzles({"ids": ["00000:000"]}).ids) == ["00000:000"]


def test_puzzles_do_not_depend_on_what_was_attempted_before() -> None:
    first = led(puzzle_of(), [FAR, '{"x": 120, "y": 200, "radius": 20}'])
    second = led(puzzle_of(), ['{"x": 120, "y": 200, "radius": 20}'])
    assert first.turns[1].record["steps"] == second.turns[0].record["steps"]
    assert first.messages[:2] == second.messages[:2]
    assert task("00000:000").id == first.puzzle.id
