"""Explorers choose actions by what their attempts did."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from run_headers import header_of  # noqa: E402
from tiny_dqn import CPU, LEFT, RIGHT, TINY, SideSimulator, trained  # noqa: E402

from tumble import phyre  # noqa: E402
from tumble.phyre.agents.agent import AttemptedAction  # noqa: E402
from tumble.phyre.agents.explorer import Explorer, ExplorerOnline  # noqa: E402
from tumble.phyre.agents.goal_distance import effect, goal_distances  # noqa: E402
from tumble.phyre.agents.network import QNetwork  # noqa: E402
from tumble.phyre.evaluation.evaluate import attempt_all  # noqa: E402
from tumble.phyre.simulation.actions import action_set, placed_balls, valid  # noqa: E402
from tumble.phyre.simulation.attempt import Attempt  # noqa: E402
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED  # noqa: E402
from tumble.runs.log import open_log  # noqa: E402
from tumble.scene import Body, Circle, Scene, box  # noqa: E402

torch.set_num_threads(1)  # faster for a tiny network, especially on busy machines


@pytest.fixture(scope="module")
def sides() -> list[phyre.Task]:
    return [phyre.task(LEFT), phyre.task(RIGHT)]


def indifferent(kind: type[Explorer] = Explorer, **settings: Any) -> Explorer:
    """An explorer with the same initial score for all actions."""
    agent = kind(**{**TINY, "ranked": 2000, **settings})
    agent.torch_device = CPU
    agent.actions = action_set(phyre.TIERS["B"], agent.ranked)
    network = QNetwork(3, side=64, width=0.125, hidden=(32,)).eval()
    torch.nn.init.zeros_(network.judge.weight)
    agent.network = network
    return agent


def test_an_explorer_does_not_repeat_what_failed_nearby(sides: list[phyre.Task]) -> None:
    task = sides[0]
    simulator = phyre.Simulator([task], "B")
    agent = indifferent(reach=20.0, hope=0.0)
    past: list[AttemptedAction] = []
    while len(past) < 12:
        proposed = agent.propose(task, past)
        assert proposed.shape == (1, 3)
        tried = AttemptedAction(proposed[0], simulator.simulate(task, proposed[0], want=agent.wants))
        assert tried.attempt.status != INVALID
        past.append(replace(tried, attempt=tried.attempt.with_status(NOT_SOLVED)))
    balls = placed_balls(np.array([tried.action for tried in past]))[:, 0]
    distances = np.linalg.norm(balls[:, None] - balls[None], axis=2)[~np.eye(12, dtype=bool)]
    assert distances.min() > 40.0


def test_the_gap_between_the_goals_bodies_is_exact() -> None:
    """Between a ball and a bar, by the formula for a point and a line."""
    ball = Body((Circle(3.0),), position=(10.0, 20.0), dynamic=True, role="goal_object")
    bar = Body((box(40.0, 4.0),), position=(10.0, 5.0), dynamic=False, role="goal_subject")
    task = phyre.Task("x:000", "B", Scene((ball, bar)), 0, 1)
    states = np.zeros((4, 2, 6))
    states[:, 0, :2] = (10, 20), (10, 10), (33, 5 + 2), (10, 20)
    states[:, 1, :3] = (10, 5, 0), (10, 5, 0), (10, 5, 0), (10, 5, math.pi / 2)
    np.testing.assert_allclose(goal_distances(task, states), [15 - 3 - 2, 0, 0, 0], atol=1e-6)
    states[:, 0, 0] = 50.0
    np.testing.assert_allclose(goal_distances(task, states)[0], math.hypot(20, 13) - 3)


def test_an_explorer_uses_the_effects_of_attempts() -> None:
    """It avoids actions that changed nothing, and prefers those that brought the goal's bodies nearer to each other."""
    task = phyre.task("00002:010")
    simulator = phyre.Simulator([task], "B")
    actions = action_set(phyre.TIERS["B"], 400)
    actions = actions[valid(task.scene, actions)]
    baseline = simulator.rollout(task, want=("states",))
    attempts = simulator.attempts([task.id] * len(actions), actions, want=("states",))
    effects = np.array([effect(task, attempt, baseline) for attempt in attempts])
    nearest = np.array(
        [goal_distances(task, attempt.states).min() for attempt in attempts if attempt.states is not None]
    )
    without = goal_distances(task, simulator.rollout(task, want=("states",)).states).min()  # type: ignore[arg-type]
    assert set(effects[nearest > without]) <= {-1.0, 0.0}
    assert (effects == -1.0).any()
    assert (effects > 0.0).any()
    assert (nearest[effects > 0.0] < without).all()
    agent = indifferent(doubt=0.0)
    nothing, much = actions[effects.argmin()], actions[effects.argmax()]
    past = [AttemptedAction(nothing, attempts[effects.argmin()])]
    first = agent.propose(task, past)[0]
    assert np.linalg.norm(placed_balls(first[None]) - placed_balls(nothing[None])) > agent.view
    past.append(AttemptedAction(much, attempts[effects.argmax()].with_status(NOT_SOLVED)))
    then = agent.propose(task, past)[0]
    assert np.linalg.norm(placed_balls(then[None]) - placed_balls(much[None])) < agent.view
    new = agent.searches[task.id].actions[-agent.offspring // 2 :]
    assert not (new[:, None] == agent.actions).all(axis=2).any()
    assert (np.linalg.norm(placed_balls(new) - placed_balls(much[None]), axis=(1, 2)) < 5 * agent.reach).all()


def test_an_online_explorer_tries_again_what_solved(sides: list[phyre.Task]) -> None:
    agent = trained(sides, ExplorerOnline, updates_online=1)
    before = len(agent.actions)
    solved = np.array([0.3, 0.8, 0.2])
    agent.learn(sides[0], [AttemptedAction(solved, Attempt(SOLVED))])
    assert (agent.actions[before] == solved).all()
    assert len(agent.actions) == before + 1 + agent.offspring
    agent.learn(sides[0], [AttemptedAction(solved, Attempt(NOT_SOLVED))])
    assert len(agent.actions) == before + 1 + agent.offspring


@pytest.mark.parametrize("kind", [Explorer, ExplorerOnline])
def test_an_explorer_is_evaluated_like_any_agent(kind: type[Explorer], tmp_path: Path) -> None:
    tasks = [phyre.task(LEFT), phyre.task(RIGHT)]
    agent = kind(**{**TINY, "ranked": 300})
    agent.train(tasks, SideSimulator())  # type: ignore[arg-type]
    with open_log(tmp_path / "run.jsonl", header_of()) as log:
        attempt_all(agent, tasks, phyre.Simulator(tasks, "B"), log, attempts=6)
    for task in tasks:
        actions = [tuple(row["action"]) for row in log.tasks[task.id]]
        assert len(set(actions)) == len(actions) >= 1
