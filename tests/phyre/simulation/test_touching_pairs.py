"""How long pairs of bodies touch: as the rule of a goal counts it."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from tumble import engine, phyre
from tumble.phyre.simulation.actions import action_set, placed_balls
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.simulation.touching_pairs import PAIRS, held_steps
from tumble.phyre.tasks.builder import WALLS
from tumble.phyre.tasks.task import HOLD_STEPS

pytestmark = pytest.mark.slow  # they compile the physics with a rule of their own
IDS = {"B": ("00000:000", "00003:000", "00013:005"), "2B": ("00100:000", "00107:003", "00117:001")}


@pytest.mark.parametrize("tier", ["B", "2B"])
def test_pairs_are_held_where_the_rule_of_their_goal_says_solved(tier: str) -> None:
    tasks = [phyre.task(task_id) for task_id in IDS[tier]]
    pairs = []
    for task in tasks:
        own = range(len(WALLS), len(task.scene.bodies))
        moving = [pair for pair in combinations(own, 2) if any(task.scene.bodies[k].dynamic for k in pair)]
        pairs.append(moving[:PAIRS])
    goals = [
        [replace(task, id=f"{task.id}/{a}-{b}", body=a, other=b) for a, b in some]
        for task, some in zip(tasks, pairs, strict=True)
    ]
    actions = action_set(phyre.TIERS[tier], 40)
    statuses = phyre.Simulator([goal for some in goals for goal in some], tier).sweep(actions)
    task_of, number = (one.ravel() for one in np.indices((len(tasks), len(actions))))
    first = np.cumsum([0, *map(len, pairs)])
    valid = statuses[first[task_of], number] != INVALID
    task_of, number = task_of[valid], number[valid]
    scenes = [task.scene for task in tasks]
    held = held_steps(scenes, pairs, task_of, placed_balls(actions)[number], engine.Options())
    found = 0
    for world, (task, action) in enumerate(zip(task_of.tolist(), number.tolist(), strict=True)):
        solved = statuses[first[task] : first[task + 1], action] == SOLVED
        np.testing.assert_array_equal(held[world, : len(solved)] >= HOLD_STEPS, solved)
        assert not held[world, len(solved) :].any()
        found += solved.sum()
    assert any(goal.reach > 0.0 for some in goals for goal in some)
    assert 0.05 < found / sum(len(pairs[task]) for task in task_of.tolist()) < 0.95


def test_too_many_pairs_are_rejected() -> None:
    scene = phyre.task("00000:000").scene
    with pytest.raises(ValueError, match="up to 16 pairs of bodies, not 17"):
        held_steps([scene], [[(4, 5)] * 17], np.zeros(1, int), np.zeros((1, 1, 3)), engine.Options())
