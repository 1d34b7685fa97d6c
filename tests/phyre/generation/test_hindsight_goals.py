"""Goals that are chosen by what happens: of which bodies, how often reached, and in which order."""

from itertools import pairwise

import numpy as np
import pytest

from tumble import engine, phyre
from tumble.phyre.generation import hindsight_goals, mutation
from tumble.phyre.generation.mutation import MARK, goal_of, mutated_scenes, mutation_named
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.tasks.errors import TaskError

pytestmark = pytest.mark.slow  # they compile the physics with a rule of their own
IDS = ("00003:000", "00009:010")
ACTIONS = 60


def none(mutations: list[phyre.Task]) -> np.ndarray:
    return np.zeros(len(mutations), bool)


@pytest.fixture(scope="module")
def tasks() -> list[phyre.Task]:
    return [phyre.task(task_id) for task_id in IDS]


@pytest.fixture(scope="module")
def made(tasks: list[phyre.Task]) -> list[phyre.Task]:
    return hindsight_goals.mutations_with_goals(mutated_scenes(tasks, 4, 8), ACTIONS, 5, engine.Options(), none)


def test_goals_are_reached_by_some_actions_but_not_without_one(made: list[phyre.Task]) -> None:
    simulator = Simulator(made)
    statuses = simulator.sweep(action_set(phyre.TIERS["B"], ACTIONS))
    share = (statuses == SOLVED).sum(axis=1) / (statuses != INVALID).sum(axis=1)
    assert share.min() > 0.0
    assert share.max() <= hindsight_goals.MAX_SHARE
    for task in made:
        assert task.scene.bodies[task.body].dynamic
        assert min(task.body, task.other) >= len(mutation.WALLS)
        alone = simulator.simulate_input(task, phyre.UserInput())
        assert not alone.solved


def test_a_task_gets_the_same_goals_alone(tasks: list[phyre.Task], made: list[phyre.Task]) -> None:
    alone = hindsight_goals.mutations_with_goals(mutated_scenes(tasks[1:], 4, 8), ACTIONS, 5, engine.Options(), none)
    assert alone == [task for task in made if task.id.startswith(IDS[1])]
    fewer = hindsight_goals.mutations_with_goals(mutated_scenes(tasks[1:], 4, 8), ACTIONS, 2, engine.Options(), none)
    assert fewer == alone[:2]


def test_the_goal_of_the_task_may_be_harder(tasks: list[phyre.Task], made: list[phyre.Task]) -> None:
    asked: list[phyre.Task] = []

    def all_of_them(mutations: list[phyre.Task]) -> np.ndarray:
        asked.extend(mutations)
        return np.ones(len(mutations), bool)

    options = engine.Options()
    more = hindsight_goals.mutations_with_goals(mutated_scenes(tasks, 4, 8), ACTIONS, 9, options, all_of_them)
    goals = {task.id: (task.body, task.other) for task in tasks}
    assert all(goal_of(task.id) == goals[task.id.partition(MARK)[0]] for task in asked)
    assert not {task.id for task in asked} & {task.id for task in made}
    assert {task.id for task in asked} & {task.id for task in more}


def test_a_mutation_is_made_again_from_its_id(tasks: list[phyre.Task], made: list[phyre.Task]) -> None:
    by_id = {task.id: task for task in tasks}
    assert [mutation_named(by_id[task.id.partition(MARK)[0]], task.id) for task in made] == made
    for task in mutation.mutations(tasks, 3):
        assert mutation_named(by_id[task.id.partition(MARK)[0]], task.id) == task
        assert goal_of(task.id) is None
    with pytest.raises(TaskError, match="no mutation"):
        mutation_named(tasks[0], f"{IDS[0]}{MARK}{unchanged(tasks[0])}-4-5")


def unchanged(task: phyre.Task) -> int:
    return next(number for number in range(10_000) if mutation.mutated_scene(task, number) is None)


def test_candidates_are_all_pairs_with_a_body_that_moves(tasks: list[phyre.Task]) -> None:
    for scene in mutated_scenes(tasks, 4, 8):
        pairs = hindsight_goals.candidate_goals(scene)
        bodies = {k: scene.origin.scene.bodies[k].dynamic for k in scene.bodies}
        moving, still = sum(bodies.values()), len(bodies) - sum(bodies.values())
        assert len({frozenset(pair) for pair in pairs}) == len(pairs) == moving * (moving - 1) // 2 + moving * still
        assert all(bodies[first] for first, _ in pairs)
        own = (scene.origin.body, scene.origin.other)
        assert (own == pairs[0]) == (set(own) <= set(bodies))


def test_goals_of_a_task_vary() -> None:
    scenes = mutated_scenes([phyre.task("00012:000")], 6, 16)
    pairs = [(4, 5), (5, 6), (6, 4)]
    chosen = hindsight_goals.choose([(scene, [p for p in pairs if set(p) <= set(scene.bodies)]) for scene in scenes])
    numbers = [int(task.id.partition(MARK)[2].partition("-")[0]) for task in chosen]
    assert sum(later <= earlier for earlier, later in pairwise(numbers)) == 1  # one of each scene, then a second
    goals = [goal_of(task.id) for task in chosen]
    counts = np.array([goals.count(pair) for pair in pairs])
    assert counts.sum() == len(chosen) > 6
    assert counts.min() > 0


@pytest.mark.gpu
def test_a_gpu_chooses_the_same_goals(tasks: list[phyre.Task], made: list[phyre.Task]) -> None:
    options = engine.Options(device="cuda")
    assert hindsight_goals.mutations_with_goals(mutated_scenes(tasks, 4, 8), ACTIONS, 5, options, none) == made
