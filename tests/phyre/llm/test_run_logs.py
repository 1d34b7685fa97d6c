"""A model's attempts at PHYRE's tasks become a run log, in which attempts that were lost keep their numbers."""

from pathlib import Path
from typing import Any

import pytest
from scripted_answers import answer_of
from written_runs import records_of, written_run

from tumble.llm.puzzle import PuzzleError
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.cli.logs import show
from tumble.phyre.evaluation.result import result_of
from tumble.phyre.llm.puzzle_set import PhyrePuzzles
from tumble.runs.log import Log

NONSENSE = ["I don't know.", "{]"]
"""Sent back, then counted."""
OUTSIDE = '{"x": 300, "y": 58, "radius": 4}'
"""No attempt, as the ball leaves the scene."""
FAR = '{"x": 30, "y": 240, "radius": 4}'
ATTEMPTS = 4


def solved_by(task_id: str) -> str:
    action = solution(task_id)
    assert action is not None
    return answer_of(action)


def replayed(log: Log) -> str:
    return PHYRE.replay(log, lambda _: None)


@pytest.fixture
def puzzles() -> PhyrePuzzles:
    return PhyrePuzzles({"limit": 4, "attempts": ATTEMPTS})


@pytest.fixture
def log(puzzles: PhyrePuzzles, tmp_path: Path) -> Log:
    """Solved at once; after a lost and a failed attempt; never, as all are lost; and never, as none can be made."""
    first, second, third, fourth = puzzles.ids
    answers = {
        first: [solved_by(first)],
        second: [*NONSENSE, FAR, OUTSIDE, solved_by(second)],
        third: NONSENSE * ATTEMPTS,
        fourth: [FAR, *[OUTSIDE] * (3 * ATTEMPTS - 1)],
    }
    return written_run(puzzles, records_of(puzzles, answers), tmp_path)


def test_a_lost_attempt_has_no_action_and_keeps_its_number(puzzles: PhyrePuzzles, log: Log) -> None:
    assert log.finished
    assert list(log.tasks) == list(puzzles.ids)
    rows = list(log.tasks.values())
    assert [[row["status"] for row in own] for own in rows] == [[1], [0, -1, 1], [0] * ATTEMPTS, [-1, 0, 0, 0]]
    assert [[len(row["action"]) for row in own] for own in rows] == [[3], [0, 3, 3], [0] * ATTEMPTS, [3, 0, 0, 0]]
    assert all([row["attempt"] for row in own] == list(range(1, len(own) + 1)) for own in rows)
    result = result_of(log)
    assert list(result.solved_at.values()) == [1, 3, None, None]
    assert result.curve.tolist() == [25.0, 25.0, 50.0, 50.0]
    assert replayed(log) == ""


def test_the_scores_of_a_run_log_are_those_of_the_dialogues(puzzles: PhyrePuzzles, log: Log) -> None:
    result = result_of(log)
    scores = puzzles.scores(log.tasks)
    assert scores["auccess"] == pytest.approx(result.auccess / 100.0)
    assert scores["success_within_2"] == pytest.approx(result.success(2) / 100.0)


def test_a_changed_action_is_refused(puzzles: PhyrePuzzles, log: Log) -> None:
    row = log.tasks[puzzles.ids[1]][2]
    row["action"] = log.tasks[puzzles.ids[1]][1]["action"]
    assert f"task {puzzles.ids[1]}, attempt 3: the log says status 1" in replayed(log)


@pytest.mark.parametrize("status", [-1, 1])
def test_a_lost_attempt_with_another_status_is_refused(puzzles: PhyrePuzzles, log: Log, status: int) -> None:
    log.tasks[puzzles.ids[2]][-1]["status"] = status
    assert f"task {puzzles.ids[2]}, attempt 4: the log says status {status}" in replayed(log)


def test_a_lost_attempt_that_is_left_out_is_refused(puzzles: PhyrePuzzles, log: Log) -> None:
    del log.tasks[puzzles.ids[1]][0]
    assert "not numbered 1, 2" in replayed(log)


def test_lost_attempts_are_shown_without_an_action(log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    show(log)
    assert "invalid" in capsys.readouterr().out


@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"limit": 30, "fold": 3, "split": "validation", "mode": "both"},
        {"tier": "2-balls", "limit": 5, "attempts": 2, "grid": "5x5x5"},
        {"setting": "ball_cross_template", "limit": 7},
    ],
)
def test_the_run_specification_has_the_same_tasks_and_attempts(selection: dict[str, Any]) -> None:
    chosen = PhyrePuzzles(selection)
    spec = chosen.spec("mockllm/model", {"temperature": 0.5})
    assert spec.task_ids() == chosen.ids
    assert spec.attempts == chosen.settings.attempts
    expected = {"model": "mockllm/model", "mode": chosen.settings.mode, "prompts": chosen.prompt_version}
    options = {"options": "grid 5x5x5"} if "grid" in selection else {}
    assert spec.settings == {**expected, **options, "temperature": 0.5}
    assert spec.header().given_settings == spec.settings


def test_standard_errors_are_clustered_by_template(puzzles: PhyrePuzzles) -> None:
    for task_id in puzzles.ids:
        assert puzzles.cluster(task_id) == puzzles.template(task_id) == puzzles.puzzle(task_id).template


def test_tasks_by_id_have_no_run_specification() -> None:
    with pytest.raises(PuzzleError, match="select setting, fold and split"):
        PhyrePuzzles({"ids": ["00000:000"]}).spec("mockllm/model", {})
