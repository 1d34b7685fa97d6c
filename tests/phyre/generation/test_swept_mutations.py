"""Mutations to learn from: which are kept, and that they can be read again."""

from pathlib import Path

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre.generation import swept_mutations
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.tasks.errors import TaskError

IDS = ("00003:000", "00009:010")


def test_mutations_are_neither_too_easy_nor_too_hard_and_can_be_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [phyre.task(task_id) for task_id in IDS]
    swept = swept_mutations.swept_mutations(tasks, phyre.Simulator(tasks), 5)
    solved = (swept.statuses == SOLVED).sum(axis=1)
    assert len(swept.tasks) == len(solved) > 0
    assert ((solved > 0) & (solved <= 0.3 * swept_mutations.ACTIONS)).all()
    path = tmp_path / "swept.npz"
    swept.save(path, tasks, 5)
    again = swept_mutations.load(path, tasks, 5)
    assert again.tasks == swept.tasks
    np.testing.assert_array_equal(again.statuses, swept.statuses)
    np.testing.assert_array_equal(again.varied, swept.varied)
    fewer = swept_mutations.load(path, tasks[1:], 2).tasks
    assert fewer == [task for task in swept.tasks if task.id.startswith(IDS[1]) and int(task.id[-1]) < 2]

    def rejected(why: str, path: Path = path, tasks: list[phyre.Task] = tasks, count: int = 5) -> None:
        with pytest.raises(TaskError, match=why):
            swept_mutations.load(path, tasks, count)

    rejected("no file of mutations", tmp_path / "missing.npz")
    rejected("has up to 5 mutations of each task, not 6", count=6)
    rejected("was not made for task 00013:005", tasks=[*tasks, phyre.task("00013:005")])
    monkeypatch.setattr(swept_mutations, "physics_id", lambda: "another")
    rejected(r"made with physics .*, and this is another; make it again")
    path.write_bytes(path.read_bytes()[:300])
    rejected("no file of mutations, or a damaged one")


def test_variations_solve_more_often_than_random_actions() -> None:
    tasks = [phyre.task(task_id) for task_id in IDS]
    swept = swept_mutations.swept_mutations(tasks, phyre.Simulator(tasks), 5)
    variations = swept.variations()
    assert len(variations.actions) == (swept.varied != INVALID).sum()
    assert variations.solved.mean() > 3 * (swept.statuses == SOLVED).mean()
    row = next(k for k, task in enumerate(swept.tasks) if task.id == variations.task_ids[0])
    simulator = phyre.Simulator(swept.tasks[row : row + 1])
    own = variations.task_ids == variations.task_ids[0]
    statuses = simulator.pairs(variations.task_ids[own].tolist(), variations.actions[own])
    np.testing.assert_array_equal(statuses == SOLVED, variations.solved[own])
