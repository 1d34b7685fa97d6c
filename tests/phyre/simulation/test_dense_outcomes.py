"""Dense outcomes: they are what trajectories and events show, and measuring changes no outcome."""

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre.agents.explorer.evidence import goal_distances
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.dense_outcomes import FARTHEST, INTERVAL, LEVELS, MISSING, NAMES, DenseOutcomes
from tumble.phyre.simulation.status import INVALID, SOLVED

IDS = ("00000:000", "00003:000", "00009:010")
COUNT = 60
pytestmark = pytest.mark.slow  # they compile the physics with a rule of their own


@pytest.fixture(scope="module")
def simulator() -> phyre.Simulator:
    return phyre.Simulator([phyre.task(task_id) for task_id in IDS])


@pytest.fixture(scope="module")
def pairs(simulator: phyre.Simulator) -> tuple[list[str], np.ndarray]:
    actions = action_set(simulator.tier, COUNT)
    return [task_id for task_id in IDS for _ in actions], np.tile(actions, (len(IDS), 1))


@pytest.fixture(scope="module")
def dense(simulator: phyre.Simulator, pairs: tuple[list[str], np.ndarray]) -> dict[str, np.ndarray]:
    numbers = DenseOutcomes(simulator).measure(*pairs)
    assert numbers.dtype == np.uint8
    return dict(zip(NAMES, numbers.T, strict=True))


def pixels(stored: np.ndarray) -> np.ndarray:
    return np.asarray(FARTHEST * (stored / LEVELS) ** 2)


def test_solved_and_invalid_actions_are_told_apart(
    simulator: phyre.Simulator, pairs: tuple[list[str], np.ndarray], dense: dict[str, np.ndarray]
) -> None:
    statuses = simulator.pairs(*pairs)
    solved = statuses == SOLVED
    assert 0 < solved.sum() < (statuses == INVALID).sum()
    for numbers in dense.values():
        np.testing.assert_array_equal(numbers == MISSING, statuses == INVALID)
    np.testing.assert_array_equal(dense["held"] == LEVELS, solved)
    assert (dense["closeness"][solved] > 0.95 * LEVELS).all()
    assert (dense["touched"][solved] == LEVELS).all()


def test_distances_are_those_of_trajectories(
    simulator: phyre.Simulator, pairs: tuple[list[str], np.ndarray], dense: dict[str, np.ndarray]
) -> None:
    ids, actions = pairs
    rows = np.flatnonzero(dense["held"] < LEVELS)[::3]
    attempts = simulator.attempts([ids[k] for k in rows], actions[rows], INTERVAL, want=("states", "events"))
    moved = 0
    for row, attempt in zip(rows, attempts, strict=True):
        task = simulator.task(ids[row])
        assert attempt.states is not None
        assert attempt.events is not None
        nothing = simulator.rollout(task, INTERVAL, want=("states",)).states
        assert nothing is not None
        for name, body in (("moved", task.body), ("other_moved", task.other)):
            apart = attempt.states[:, body, :2] - nothing[: len(attempt.states), body, :2]
            most = np.hypot(*apart.T).max()
            assert np.sqrt(pixels(dense[name][row])) == pytest.approx(np.sqrt(most), abs=0.2)
            moved += most > 5.0
        nearest = goal_distances(task, attempt.states).min()
        assert np.sqrt(pixels(LEVELS - dense["closeness"][row])) == pytest.approx(np.sqrt(nearest), abs=0.1)
        ball = len(task.scene.bodies)
        partners = {min(event["body_a"], event["body_b"]) for event in attempt.events if event["body_b"] == ball}
        partners |= {event["body_b"] for event in attempt.events if event["body_a"] == ball}
        partners = {body for body in partners if task.scene.bodies[body].dynamic}
        assert (dense["touched"][row] == LEVELS) == bool(partners)
        assert (dense["touched_goal"][row] == LEVELS) == bool(partners & {task.body, task.other})
    assert moved > 3
