"""Mutations of tasks: other scenes with other goals, the same for the same number."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre.generation import mutation
from tumble.phyre.simulation.status import SOLVED
from tumble.phyre.tasks.errors import TaskError

IDS = ("00003:000", "00009:010", "00013:005", "00100:000")


@pytest.fixture(scope="module")
def tasks() -> list[phyre.Task]:
    return [phyre.task(task_id) for task_id in IDS]


def test_a_mutation_depends_only_on_task_and_number(tasks: list[phyre.Task]) -> None:
    several, fewer = mutation.mutations(tasks, 6), mutation.mutations(tasks[1:2], 3)
    assert [task for task in several if task.id in {one.id for one in fewer}] == fewer
    assert len({task.id for task in several}) == len(several) > 8
    assert all(task.scene != phyre.task(task.id.partition("~")[0]).scene for task in several)


def test_a_mutation_is_a_task_with_one_goal(tasks: list[phyre.Task]) -> None:
    made = mutation.mutations(tasks, 6)
    for task in made:
        roles = [body.role for body in task.scene.bodies]
        assert (roles.index("object"), roles.index("subject")) == (task.body, task.other)
        assert roles.count("object") == roles.count("subject") == 1
        assert task.scene.bodies[task.body].dynamic
    origins = [phyre.task(task.id.partition("~")[0]) for task in made]
    goals = [(task.scene.bodies[task.body].name, task.scene.bodies[task.other].name) for task in made]
    published = [(task.scene.bodies[task.body].name, task.scene.bodies[task.other].name) for task in origins]
    assert 0 < sum(one != other for one, other in zip(goals, published, strict=True)) < len(made)


def test_moving_bodies_do_not_overlap_at_the_start(tasks: list[phyre.Task]) -> None:
    task = tasks[0]
    first, second = [k for k, body in enumerate(task.scene.bodies) if body.dynamic][:2]
    bodies = list(task.scene.bodies)
    bodies[second] = replace(bodies[second], position=bodies[first].position)
    overlapping = replace(task, scene=replace(task.scene, bodies=tuple(bodies)))
    assert len(mutation.mutations([overlapping], 20)) < len(mutation.mutations([task], 20))


def test_swept_mutations_are_neither_too_easy_nor_too_hard_and_can_be_read_again(
    tasks: list[phyre.Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tasks[:2]
    swept = mutation.swept_mutations(tasks, phyre.Simulator(tasks), 5)
    solved = (swept.statuses == SOLVED).sum(axis=1)
    assert len(swept.tasks) == len(solved) > 0
    assert ((solved > 0) & (solved <= 0.3 * mutation.ACTIONS)).all()
    path = tmp_path / "swept.npz"
    swept.save(path)
    again = mutation.load(path, tasks)
    assert again.tasks == swept.tasks
    np.testing.assert_array_equal(again.statuses, swept.statuses)
    assert {task.id.partition("~")[0] for task in again.of(tasks[:1], 5).tasks} <= {tasks[0].id}
    assert all(int(task.id.partition("~")[2]) < 2 for task in again.of(tasks, 2).tasks)
    monkeypatch.setattr(mutation, "physics_id", lambda: "another")
    with pytest.raises(TaskError, match=r"made with physics .*, and this is another; make it again"):
        mutation.load(path, tasks)
