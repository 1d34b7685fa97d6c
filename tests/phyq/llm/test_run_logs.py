"""A model's attempts at Phy-Q's tasks become a run log whose attempts replay."""

import json
from pathlib import Path

import pytest
from written_runs import records_of, written_run

from tumble.phyq.benchmark import PHYQ
from tumble.phyq.llm.puzzle_set import solution_answers
from tumble.phyq.simulation.attempt import GAVE_UP
from tumble.runs.log import Log

FIRST, SECOND = "6.4:080", "11.2:080"
NONSENSE = ["no idea", "{]"]
LOW = '{"angle": 75, "power": 0.3}'


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """Won at once; and at the third attempt, after a lost one and one that ended after its first bird."""
    puzzles = PHYQ.puzzles({"ids": [FIRST, SECOND], "attempts": 3})
    answers = {FIRST: solution_answers(FIRST), SECOND: [*NONSENSE, LOW, *NONSENSE, *solution_answers(SECOND)]}
    return written_run(puzzles, records_of(puzzles, answers), tmp_path)


def test_attempts_replay(log: Log) -> None:
    assert log.finished
    assert [row["status"] for row in log.tasks[FIRST]] == [1, 1, 1]
    assert [row["status"] for row in log.tasks[SECOND]] == [GAVE_UP, GAVE_UP, 1]
    assert log.tasks[SECOND][0]["action"] == []
    assert log.tasks[SECOND][1]["action"][0] == json.loads(LOW)["angle"]
    assert PHYQ.replay(log, lambda _: None) == ""


def test_a_changed_action_is_refused(log: Log) -> None:
    log.tasks[FIRST][0]["action"] = [75.0, 0.3, *log.tasks[FIRST][0]["action"][2:]]
    assert f"task {FIRST}, attempt 1: " in PHYQ.replay(log, lambda _: None)
