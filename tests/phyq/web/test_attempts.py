"""A person's shots are an agent's shots: the same status, steps and motion, to the last bit."""

import json
import random
from base64 import b64decode
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from play_fuzz import value as hostile_value

from tumble import phyq
from tumble.phyq.catalogue.level_json import to_json
from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.generation.solutions import solution, solutions
from tumble.phyq.web.pages import Pages
from tumble.web.app import make_app
from tumble.web.options import WebOptions
from tumble.web.play import unpacked_motion

PATH = "/phyq/api/attempts"
TASK = "6.4:003"
TWO_BIRDS = "14.1:000"
YELLOW = "15.1:060"
"""A task whose solution has a tap."""


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    options = WebOptions(requests_per_second=1e6, burst=10**6)
    with TestClient(make_app(options, {"phyq": Pages()}), base_url="http://localhost:8000") as client:
        yield client


def sent(shots: Sequence[phyq.Shot]) -> list[dict[str, Any]]:
    return [{name: value for name, value in asdict(shot).items() if value is not None} for shot in shots]


def ask(client: TestClient, task_id: str, shots: Sequence[phyq.Shot], from_shot: int = 0) -> dict[str, Any]:
    answer = client.post(PATH, json={"task": task_id, "shots": sent(shots), "from_shot": from_shot})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def poses_of(answer: dict[str, Any]) -> np.ndarray:
    start = np.frombuffer(b64decode(answer["start"]), "<f4").reshape(-1, 3)
    return unpacked_motion(answer["motion"], start)


def assert_same_bits(answer: dict[str, Any], level: phyq.Level, shots: Sequence[phyq.Shot], from_shot: int = 0) -> None:
    """The answer has what `phyq.play` gives for the whole sequence, from the release of a shot on."""
    episodes = phyq.play(level, [list(shots)], want=("trajectory",), stride=1)
    used = int(episodes.shots_used[0])
    assert answer["status"] == episodes.status[0]
    assert answer["pigs_left"] == episodes.pigs_left[0]
    assert answer["kills"] == episodes.kills[0, :used].tolist()
    assert answer["shots_used"] == used
    assert answer["seconds"] == round(float(episodes.seconds[0]), 2)
    begin = int(episodes.released[0, from_shot])
    for name in ("released", "tapped", "landed"):
        steps = getattr(episodes, name)[0, :used]
        assert answer[name] == [step - begin if step else None for step in steps.tolist()]
    expected = phyq.observe.motion(episodes, 0).poses[begin - episodes.start[0] :].astype("<f4")
    assert poses_of(answer).tobytes() == expected.tobytes()


def random_attempts(count: int, seed: int) -> list[tuple[str, list[phyq.Shot]]]:
    """Random tasks: their solutions, and random shots with taps and delays."""
    rng = np.random.default_rng(seed)
    ids = phyq.task_ids()
    attempts = []
    for k in range(count):
        task_id = str(rng.choice(ids))
        birds = len(phyq.task(task_id).level.birds)
        shots = [
            phyq.Shot(
                round(float(rng.uniform(5, 75)), 2),
                round(float(rng.uniform(0.5, 1)), 3),
                tap_ms=20.0 * int(rng.integers(20, 100)) if rng.random() < 0.5 else None,
                delay=round(STEP * int(rng.integers(100, 500)), 2) if number and rng.random() < 0.5 else None,
            )
            for number in range(int(rng.integers(1, birds + 1)))
        ]
        attempts.append((task_id, list(solutions()[task_id].shots) if k % 2 else shots))
    return attempts


def test_shots_of_many_players_equal_play_bit_for_bit(client: TestClient) -> None:
    attempts = random_attempts(10, seed=18)
    with ThreadPoolExecutor(8) as players:  # at the same time, so that they share batches
        answers = list(players.map(lambda one: ask(client, *one), attempts))
    for answer, (task_id, shots) in zip(answers, attempts, strict=True):
        assert_same_bits(answer, phyq.task(task_id).level, shots)
    assert {answer["status"] for answer in answers} >= {"won", "lost"}


@pytest.mark.slow
def test_a_thousand_attempts_equal_play_bit_for_bit(client: TestClient) -> None:
    for task_id, shots in random_attempts(1000, seed=1):
        assert_same_bits(ask(client, task_id, shots), phyq.task(task_id).level, shots)


def test_the_next_shot_continues_what_was_seen(client: TestClient) -> None:
    """Also while things still move: the first shot's motion up to the second release is that of the longer sequence."""
    level = phyq.task(TWO_BIRDS).level
    first = phyq.Shot(45.0)
    seen = ask(client, TWO_BIRDS, [first])
    assert seen["status"] == "open"
    assert 0 < seen["next_ready"] < seen["motion"]["frames"]
    for frame in (seen["next_ready"], seen["next_ready"] + 60, None):
        shots = [first, phyq.Shot(26.5, delay=None if frame is None else round(frame * STEP, 2))]
        more = ask(client, TWO_BIRDS, shots, from_shot=1)
        assert_same_bits(more, level, shots, from_shot=1)
        whole = ask(client, TWO_BIRDS, shots)
        released = -more["released"][0]
        assert released == (frame if frame is not None else whole["released"][1])
        before = poses_of(seen)[:released]
        assert poses_of(whole)[:released].tobytes() == before.tobytes()


def test_a_tap_changes_nothing_before_it(client: TestClient) -> None:
    """The page plays a shot, takes the frame of a tap, and continues with the motion of the shot that has it."""
    shot = solution(YELLOW).shots[0]
    assert shot.tap_ms is not None
    plain = ask(client, YELLOW, [replace(shot, tap_ms=None)])
    tapped = ask(client, YELLOW, [shot])
    frame = round(shot.tap_ms / (1000 * STEP))
    assert (plain["tapped"], tapped["tapped"]) == ([None], [frame])
    assert poses_of(plain)[:frame].tobytes() == poses_of(tapped)[:frame].tobytes()
    assert poses_of(plain).tobytes() != poses_of(tapped).tobytes()
    assert (plain["status"], tapped["status"]) == ("lost", "won")
    assert ask(client, YELLOW, [replace(shot, tap_ms=40.0)])["tapped"] == [None]  # too early


def test_an_own_level_is_played_like_a_task(client: TestClient) -> None:
    level = phyq.task(TASK).level
    shots = solution(TASK).shots
    answer = client.post(PATH, json={"level": to_json(level), "shots": sent(shots)})
    assert answer.status_code == 200
    assert answer.json() == ask(client, TASK, shots)
    assert_same_bits(answer.json(), level, shots)


SHOT = {"angle": 40.0}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"task": TASK, "shots": []}, 422),
        ({"task": TASK, "shots": [SHOT, SHOT]}, 422),
        ({"task": TASK, "shots": [SHOT] * 100}, 422),
        ({"task": TASK, "shots": [{"angle": 181.0}]}, 422),
        ({"task": TASK, "shots": [{"angle": "40"}]}, 422),
        ({"task": TASK, "shots": [{"angle": True}]}, 422),
        ({"task": TASK, "shots": [{"angle": 40.0, "stretch": 1.01}]}, 422),
        ({"task": TASK, "shots": [{"angle": 40.0, "stretch": 0.0}]}, 422),
        ({"task": TASK, "shots": [{"angle": 40.0, "tap_ms": -1.0}]}, 422),
        ({"task": TASK, "shots": [{"angle": 40.0, "tap_ms": 1e9}]}, 422),
        ({"task": TASK, "shots": [{"angle": 40.0, "delay": 61.0}]}, 422),
        ({"task": TASK, "shots": [{"angle": 40.0, "tap_share": 0.5}]}, 422),
        ({"task": TASK, "shots": [{}]}, 422),
        ({"task": TASK, "shots": [SHOT], "from_shot": 1}, 422),
        ({"task": TASK, "shots": [SHOT], "from_shot": -1}, 422),
        ({"task": TASK, "shots": [SHOT], "from_shot": 0.5}, 422),
        ({"task": TASK, "shots": [SHOT], "extra": 1}, 422),
        ({"task": TASK, "level": "{}", "shots": [SHOT]}, 422),
        ({"shots": [SHOT]}, 422),
        ({"level": "{}", "shots": [SHOT]}, 422),
        ({"level": "<!DOCTYPE x><Level/>", "shots": [SHOT]}, 422),
        ({"level": "x" * 200_001, "shots": [SHOT]}, 422),
        ({"level": "x" * 600_000, "shots": [SHOT]}, 413),
        ({"task": "../../etc", "shots": [SHOT]}, 422),
        ({"task": "6.4:100", "shots": [SHOT]}, 404),
        ({"task": "99.9:000", "shots": [SHOT]}, 404),
        ({"task": 6.4, "shots": [SHOT]}, 422),
        ([], 422),
    ],
)
def test_bad_attempts_are_refused(client: TestClient, body: Any, status: int) -> None:
    answer = client.post(PATH, json=body)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 400])
def test_numbers_that_are_none_are_refused(client: TestClient, number: str) -> None:
    text = f'{{"task": "{TASK}", "shots": [{{"angle": {number}}}]}}'
    answer = client.post(PATH, content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)


def test_a_shot_after_the_end_is_refused(client: TestClient) -> None:
    task_id = next(key for key, own in solutions().items() if len(own.shots) < len(phyq.task(key).level.birds))
    shots = [*solution(task_id).shots, phyq.Shot(10.0)]
    answer = client.post(PATH, json={"task": task_id, "shots": sent(shots), "from_shot": len(shots) - 1})
    assert answer.status_code == 422
    assert "the level is over" in answer.json()["error"]


def test_random_bodies_are_refused_or_answered(client: TestClient) -> None:
    rng = random.Random(18)
    statuses = set()
    for _ in range(400):
        shot = {name: hostile_value(rng) for name in ("angle", "stretch", "tap_ms", "delay") if rng.random() < 0.7}
        body: dict[str, Any] = {"task": TASK, "shots": [shot], "from_shot": 0}
        body[rng.choice(["task", "shots", "from_shot", "level", "x"])] = hostile_value(rng)
        path = rng.choice([PATH, "/phyq/api/levels"])
        answer = client.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
        statuses.add(answer.status_code)
        assert answer.status_code in (200, 400, 404, 422), answer.text
        assert answer.status_code == 200 or len(answer.json()["error"]) < 400
    assert {200, 422} <= statuses
