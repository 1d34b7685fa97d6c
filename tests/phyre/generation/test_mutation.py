"""Mutations of tasks: other scenes with other goals, the same for the same number."""

from dataclasses import replace

import pytest

from tumble import phyre
from tumble.phyre.catalogue.task import TaskError
from tumble.phyre.generation import variations

IDS = ("00003:000", "00009:010", "00013:005", "00100:000")


@pytest.fixture(scope="module")
def tasks() -> list[phyre.Task]:
    return [phyre.task(task_id) for task_id in IDS]


def test_a_mutation_depends_only_on_task_and_number(tasks: list[phyre.Task]) -> None:
    several, fewer = variations.mutations(tasks, 6), variations.mutations(tasks[1:2], 3)
    assert [task for task in several if task.id in {one.id for one in fewer}] == fewer
    assert len({task.id for task in several}) == len(several) > 8
    origins = [phyre.task(task.id.partition("~")[0]) for task in several]
    assert all(task.scene != origin.scene for task, origin in zip(several, origins, strict=True))
    assert [
        variations.mutation_named(origin, task.id) for task, origin in zip(several, origins, strict=True)
    ] == several
    unchanged = next(number for number in range(10_000) if variations.mutated_task(tasks[0], number) is None)
    with pytest.raises(TaskError, match="has no mutation"):
        variations.mutation_named(tasks[0], f"{IDS[0]}~{unchanged}")


def test_a_mutation_is_a_task_with_one_goal(tasks: list[phyre.Task]) -> None:
    made = variations.mutations(tasks, 6)
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
    assert len(variations.mutations([overlapping], 20)) < len(variations.mutations([task], 20))
