"""Runs that were killed are resumed to the log of an uninterrupted run."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from attempted_tasks import LEFT, RIGHT, attempted, columns, never
from known_outcomes import KnownSimulator, at
from run_headers import header_of

from tumble.phyre.agents.agent import Agent, AttemptedAction
from tumble.phyre.catalogue.task import Task
from tumble.phyre.evaluation.evaluate import attempt_all
from tumble.runs.log import TaskUpdate, open_log


class Drawn(Agent):
    """Proposes three actions at a time, which depend on the task and on what it has attempted."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        self.calls.append((task.id, len(past)))
        return at(*np.random.default_rng([int(task.id[-3:]), len(past)]).integers(0, 110, 3))


class Stateful(Drawn):
    """Draws from one generator, so that it proposes something else if it is called again."""

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        super().propose(task, past)
        return at(*np.random.default_rng(len(self.calls)).integers(140, 250, 3))


def rarely(task_id: str, column: int) -> bool:
    return column % 13 == int(task_id[-3:]) % 5


@pytest.mark.parametrize("online", [False, True])
def test_a_run_killed_at_any_line_is_resumed_to_the_same_content(tmp_path: Path, online: bool) -> None:
    class Own(Drawn):
        learns_online = online

    whole = attempted(Own(), [*LEFT, *RIGHT], rarely, tmp_path / "whole", attempts=17)
    lines = whole.path.read_bytes().splitlines(keepends=True)
    assert [len(rows) for rows in whole.tasks.values()] != [17] * 12  # some are solved
    for kept in range(1, len(lines) + 1, 5):
        folder = tmp_path / str(kept)
        folder.mkdir()
        (folder / "a.jsonl").write_bytes(b"".join(lines[:kept]) + lines[kept % len(lines)][:20])
        simulator = KnownSimulator([*LEFT, *RIGHT], rarely)
        with open_log(folder / "a.jsonl", header_of()) as log:
            logged = {task: len(rows) for task, rows in log.open_tasks.items()}
            attempt_all(Own(), simulator.tasks, simulator, log, 17)
            log.finish()
        assert log.tasks == whole.tasks
        assert list(log.tasks) == [task.id for task in simulator.tasks]
        for task_id, rows in logged.items():  # what is in the log is not rolled out again
            new = sum(rolled_out == task_id for rolled_out, _ in simulator.rolled_out)
            assert new <= len(whole.tasks[task_id]) - rows + 2  # and two proposals after the one that solved it


def test_an_agent_that_proposes_something_else_continues_from_its_attempts(tmp_path: Path) -> None:
    with open_log(tmp_path / "a.jsonl", header_of()) as log:
        row = {"attempt": 1, "action": at(100)[0].tolist(), "status": -1, "steps": 9}
        log.append([TaskUpdate("left:000", [row])])
    agent = Stateful()
    log = attempted(agent, LEFT[:1], never, tmp_path, attempts=6)
    assert columns(log.tasks["left:000"])[0] == 100
    assert [row["attempt"] for row in log.tasks["left:000"]] == [1, 2, 3, 4, 5, 6]
    assert agent.calls == [("left:000", 0), ("left:000", 1), ("left:000", 4)]
