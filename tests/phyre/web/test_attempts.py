"""A person's attempt is an agent's attempt: the same status, steps and motion, to the last bit."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tumble import phyre
from tumble.phyre.catalogue.tasks_by_id import solutions
from tumble.phyre.simulation.actions import sample_valid
from tumble.phyre.web.attempts import PersonAttempt, simulate_attempts
from tumble.phyre.web.pages import Pages
from tumble.web.app import make_app
from tumble.web.options import WebOptions
from tumble.web.play import unpacked_motion

PATH = "/phyre/api/attempts"
TASK = "00000:000"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    options = WebOptions(requests_per_second=1e6, burst=10**6)
    with TestClient(make_app(options, {"phyre": Pages()}), base_url="http://localhost:8000") as client:
        yield client


def tasks_and_actions(count: int, seed: int) -> list[tuple[str, np.ndarray]]:
    """Random tasks of both tiers, half of them with their solution, half with random valid actions."""
    rng = np.random.default_rng(seed)
    known = solutions()
    chosen = []
    for k in range(count):
        task_id = str(rng.choice(phyre.task_ids("B" if k % 4 < 2 else "2B")))
        task = phyre.task(task_id)
        random = sample_valid(task.scene, task.tier, 1, rng)[0]
        chosen.append((task_id, known[task_id] if k % 2 and task_id in known else random))
    return chosen


def assert_same_bits(answer: dict[str, Any], task_id: str, action: np.ndarray) -> None:
    task = phyre.task(task_id)
    attempt = phyre.Simulator([task]).simulate(task, action, want=("trajectories",))
    assert attempt.trajectories is not None
    assert (answer["status"], answer["steps"], answer["solved"]) == (attempt.status, attempt.steps, attempt.solved)
    motion = answer["motion"]
    assert unpacked_motion(motion, attempt.trajectories[0]).tobytes() == attempt.trajectories.tobytes()
    moving = (attempt.trajectories != attempt.trajectories[0]).any(axis=(0, 2))
    assert motion["bodies"] == np.flatnonzero(moving).tolist()


def test_attempts_of_many_players_equal_simulate_bit_for_bit(client: TestClient) -> None:
    pairs = tasks_and_actions(24, seed=18)

    def play(pair: tuple[str, np.ndarray]) -> Any:
        return client.post(PATH, json={"task": pair[0], "action": pair[1].tolist()})

    with ThreadPoolExecutor(8) as players:  # at the same time, so that they share batches
        answers = list(players.map(play, pairs))
    for answer, (task_id, action) in zip(answers, pairs, strict=True):
        assert answer.status_code == 200
        assert_same_bits(answer.json(), task_id, action)
    assert {answer.json()["solved"] for answer in answers} == {True, False}


@pytest.mark.slow
def test_a_thousand_attempts_equal_simulate_bit_for_bit() -> None:
    pairs = tasks_and_actions(1000, seed=1)
    for first in range(0, len(pairs), 20):
        part = pairs[first : first + 20]
        answers = simulate_attempts([PersonAttempt(task_id, tuple(action.tolist())) for task_id, action in part])
        for answer, (task_id, action) in zip(answers, part, strict=True):
            assert_same_bits(answer, task_id, action)


def test_an_invalid_place_is_answered_with_the_reason(client: TestClient) -> None:
    answer = client.post(PATH, json={"task": TASK, "action": [0.0, 0.0, 1.0]})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["status"], body["label"], body["solved"]) == (0, "invalid", False)
    assert body["problem"].startswith("the placed ball leaves the scene")
    assert "motion" not in body


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"task": TASK, "action": [0.5, 0.5]}, 422),
        ({"task": TASK, "action": [0.5, 0.5, 0.5, 0.5]}, 422),
        ({"task": TASK, "action": [0.5] * 6}, 422),
        ({"task": TASK, "action": [0.5] * 100}, 422),
        ({"task": TASK, "action": [0.5, 0.5, 1.5]}, 422),
        ({"task": TASK, "action": [0.5, 0.5, -1e300]}, 422),
        ({"task": TASK, "action": [0.5, 0.5, "0.5"]}, 422),
        ({"task": TASK, "action": [True, False, True]}, 422),
        ({"task": TASK, "action": None}, 422),
        ({"task": TASK}, 422),
        ({"task": TASK, "action": [0.5, 0.5, 0.5], "extra": 1}, 422),
        ({"task": "00000:9999", "action": [0.5, 0.5, 0.5]}, 422),
        ({"task": "../../etc", "action": [0.5, 0.5, 0.5]}, 422),
        ({"task": "99999:000", "action": [0.5, 0.5, 0.5]}, 404),
        ({"task": 13, "action": [0.5, 0.5, 0.5]}, 422),
        ([], 422),
    ],
)
def test_bad_attempts_are_refused(client: TestClient, body: Any, status: int) -> None:
    answer = client.post(PATH, json=body)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 400])
def test_numbers_that_are_none_are_refused(client: TestClient, number: str) -> None:
    text = f'{{"task": "{TASK}", "action": [0.5, 0.5, {number}]}}'
    answer = client.post(PATH, content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
