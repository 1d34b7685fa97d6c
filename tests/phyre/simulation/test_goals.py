"""Attempts at tasks of all relations: mixed batches, and the meaning of each relation over time."""

from dataclasses import replace

import numpy as np
import pytest

from tumble import engine, phyre
from tumble.phyre.catalogue.task import HOLD_STEPS, MAX_STEPS, RELATION_CODES, Task
from tumble.phyre.catalogue.template import World, ball, bar, jar
from tumble.phyre.simulation.attempt import ENGINE_RELATIONS, goal_rule
from tumble.phyre.simulation.simulator import Simulator


def drop(relation: str | tuple[str, ...], x: float = 0.3, other: str = "jar") -> Task:
    """A ball above the floor at x; a jar stands at 0.6."""
    world = World()
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    falling = world.dynamic(ball(0.08), "ball", cx=x, bottom=0.6)
    standing = world.static(jar(0.3), "jar", cx=0.6, bottom=floor.top)
    world.goal(falling, {"jar": standing, "floor": floor}[other], relation)
    return world.task(f"mine:{abs(hash((relation, x, other))) % 10**9}", "B")


def outcome(task: Task) -> tuple[int, int]:
    attempt = Simulator([task], "B").rollout(task)
    return attempt.status, attempt.steps


def test_the_names_of_tasks_are_those_of_the_engine() -> None:
    assert list(ENGINE_RELATIONS) == list(RELATION_CODES)
    assert engine.Options().max_steps == MAX_STEPS


def test_relations_over_time() -> None:
    assert outcome(drop("left of")) == (1, HOLD_STEPS), "it is left of the jar from the start"
    assert outcome(drop("right of")) == (-1, MAX_STEPS)
    solved, steps = outcome(drop("touching briefly", other="floor"))
    touched = Simulator([task := drop("touching", other="floor")], "B").rollout(task, want=["events"])
    assert solved == 1
    assert steps == touched.events["step"][0] < HOLD_STEPS, "the first touch decides"
    assert outcome(drop("not touching")) == (1, MAX_STEPS), "they never touch, which is known at the end only"
    assert outcome(drop("not touching", other="floor")) == (-1, MAX_STEPS), "it lies on the floor for good"
    assert outcome(drop(("left of", "not touching"))) == (1, HOLD_STEPS), "with others it need only hold"
    solved, steps = outcome(drop("inside", x=0.6))
    assert solved == 1
    assert HOLD_STEPS < steps < MAX_STEPS, "it falls into the jar first"
    assert outcome(drop("not inside", x=0.6))[0] == -1
    assert outcome(drop("not inside")) == (1, HOLD_STEPS)
    assert outcome(drop(("inside", "touching"), x=0.6))[0] == 1


def test_bodies_that_part_are_not_touching_for_three_seconds() -> None:
    """A ball that rolls off a shelf leaves it for good."""
    world = World()
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    shelf = world.static(bar(0.3), "shelf", angle=-20, left=0.2, bottom=0.5)
    rolling = world.dynamic(ball(0.08), "ball", cx=0.35, bottom=0.65)
    world.goal(rolling, shelf, "not touching")
    solved, steps = outcome(world.task("mine:000", "B"))
    assert floor.top < shelf.bottom
    assert solved == 1
    assert HOLD_STEPS + 10 < steps < MAX_STEPS


@pytest.fixture(scope="module")
def mixed() -> list[Task]:
    """Published tasks, each with one of the relations."""
    ids = phyre.task_ids("B")[::140]
    goals = [(name,) for name in RELATION_CODES]
    tasks = []
    for k, task_id in enumerate(ids):
        task = phyre.task(task_id)
        names = goals[k % len(goals)]
        area = ((-60.0, -60.0), (60.0, -60.0), (60.0, 60.0), (-60.0, 60.0)) if "inside" in names[0] else ()
        tasks.append(replace(task, relations=names, area=area))
    return tasks


def test_a_mixed_batch_gives_what_each_task_gives_alone(mixed: list[Task]) -> None:
    simulator = Simulator(mixed, "B")
    actions = phyre.actions.fixed_set(phyre.TIERS["B"], 40, seed=3)
    together = simulator.sweep(actions)
    assert {-1, 0, 1} == set(np.unique(together).tolist())
    ids, few = [task.id for task in mixed for _ in range(4)], np.tile(actions[:4], (len(mixed), 1))
    statuses, steps = simulator.outcomes(ids, few)
    np.testing.assert_array_equal(statuses, together[:, :4].reshape(-1))
    stepped = simulator.attempts(ids, few, want=["states"])  # without the shortcut for worlds that sleep
    assert [(attempt.status, attempt.steps) for attempt in stepped] == list(zip(statuses, steps, strict=True))
    for k in range(0, len(mixed), 5):
        np.testing.assert_array_equal(Simulator([mixed[k]], "B").sweep(actions)[0], together[k])


def test_stability_of_other_goals(mixed: list[Task]) -> None:
    simulator = Simulator(mixed, "B")
    actions = phyre.actions.fixed_set(phyre.TIERS["B"], 5, seed=4)
    pairs = simulator.pairs([mixed[2].id] * 5 + [mixed[3].id] * 5, np.tile(actions, (2, 1)), stable=True)
    assert set(pairs.tolist()) <= {-1, 0, 2, 3}


def test_batches_of_touching_use_the_rule_that_they_always_had(mixed: list[Task]) -> None:
    plain = [replace(task, relations=("touching",), area=()) for task in mixed]
    rows = np.arange(len(mixed))
    assert goal_rule(plain, rows).function is engine.touching(0, 1, 1).function
    assert goal_rule(mixed, rows).function is engine.relations(0, 1, 1, 1).function
    only_touching = np.flatnonzero([task.only_touching for task in mixed])
    assert goal_rule(mixed, only_touching).function is engine.touching(0, 1, 1).function
    assert len(goal_rule(mixed, rows[:0]).ints) == 0
