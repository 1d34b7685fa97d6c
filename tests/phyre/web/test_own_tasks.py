"""Tasks that people make: the same task, the same bits as from a file; hostile records are refused."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from play_fuzz import value as hostile_value

from tumble import phyre
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.generation.task_analysis import Counts, count_statuses
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.web.editor import ACTIONS_PER_BLOCK
from tumble.phyre.web.pages import Pages
from tumble.scene import Circle
from tumble.web.app import make_app
from tumble.web.options import WebOptions
from tumble.web.play import unpacked_motion

TASK = "00003:000"
OWN = "/phyre/api/own"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    options = WebOptions(requests_per_second=1e6, burst=10**6)
    with TestClient(make_app(options, {"phyre": Pages()}), base_url="http://localhost:8000") as client:
        yield client


def record_of(client: TestClient, task_id: str = TASK) -> dict[str, Any]:
    record: dict[str, Any] = client.get(f"/phyre/api/tasks/{task_id}/file").json()["task"]
    return record


def ball(x: float, y: float, **fields: Any) -> dict[str, Any]:
    return {"shapes": [{"type": "circle", "radius": 10.0}], "position": [x, y], "density": 0.25, **fields}


def changed(client: TestClient, change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    record = record_of(client)
    change(record)
    return record


@pytest.mark.parametrize("task_id", [TASK, "00013:042", "00101:000"])
def test_the_file_of_a_task_is_the_task(client: TestClient, task_id: str, tmp_path: Path) -> None:
    file = tmp_path / "copy.json"
    file.write_text(json.dumps([record_of(client, task_id)]), encoding="utf-8")
    assert phyre.official.load(file) == {task_id: phyre.task(task_id)}


def test_an_attempt_equals_that_at_the_saved_file_bit_for_bit(client: TestClient, tmp_path: Path) -> None:
    record = changed(client, lambda task: task["scene"]["bodies"][5].update(position=[150.25, 66.0], angle=1.4))
    record["id"] = "mine:000"
    file = tmp_path / "mine.json"
    file.write_text(json.dumps([record]), encoding="utf-8")
    task = phyre.official.load(file)["mine:000"]
    simulator = phyre.Simulator([task])
    for action in phyre.actions.sample_valid(task.scene, "B", 4, np.random.default_rng(3)):
        answer = client.post(f"{OWN}/attempts", json={"own": record, "action": action.tolist()}).json()
        attempt = simulator.simulate(task, action, want=("trajectories",))
        assert attempt.trajectories is not None
        assert (answer["status"], answer["steps"]) == (attempt.status, attempt.steps)
        poses = unpacked_motion(answer["motion"], attempt.trajectories[0])
        assert poses.tobytes() == attempt.trajectories.tobytes()


def test_a_sweep_counts_what_the_simulator_says(client: TestClient) -> None:
    record = record_of(client, "00016:000")
    counts, first, solutions = Counts(), 0, []
    while first < 300:
        answer = client.post(f"{OWN}/sweep", json={"own": record, "first": first}).json()
        counts += Counts(**answer["counts"])
        assert answer["next"] == first + sum(answer["counts"].values())
        first = answer["next"]
        solutions += [answer["solution"]] if answer["solution"] else []
    actions = np.concatenate(
        [fixed_set("B", ACTIONS_PER_BLOCK, number) for number in range(first // ACTIONS_PER_BLOCK + 1)]
    )[:first]
    statuses = phyre.Simulator(["00016:000"]).pairs(["00016:000"] * first, actions, stable=True)
    assert asdict(counts) == asdict(count_statuses(statuses))
    assert counts.stable + counts.unstable > 0
    assert phyre.Simulator(["00016:000"]).sweep(solutions).tolist() == [[1] * len(solutions)]


def findings(client: TestClient, record: dict[str, Any]) -> list[str]:
    answer = client.post(f"{OWN}/check", json={"own": record})
    assert answer.status_code == 200, answer.text
    return [f"{one['level']}: {one['text']}" for one in answer.json()["findings"]]


def test_a_published_task_has_no_findings(client: TestClient) -> None:
    assert findings(client, record_of(client)) == []
    answer = client.post(f"{OWN}/check", json={"own": record_of(client, "00013:042")}).json()
    assert answer["moving"] == [4]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (ball(60.0, 100.0, name="one"), []),
        (ball(60.0, 5.0, name="one", dynamic=True), ["leaves the scene", "overlap"]),
        (ball(159.0, 68.0, name="one", dynamic=True), ["overlap"]),
        (ball(400.0, 68.0, name="one", dynamic=True), ["outside the scene"]),
        (ball(400.0, 68.0, name="one"), []),
    ],
)
def test_what_is_wrong_with_a_body_is_said(client: TestClient, body: dict[str, Any], found: list[str]) -> None:
    said = findings(client, changed(client, lambda task: task["scene"]["bodies"].append(body)))
    assert len(said) == len(found)
    assert all(any(words in one for one in said) for words in found)


def test_a_goal_that_is_met_without_an_action_is_trivial(client: TestClient) -> None:
    def rests(task: dict[str, Any]) -> None:
        task["scene"]["bodies"] += [ball(40.0, 10.0, name="a", dynamic=True), ball(80.0, 60.0, name="b", dynamic=True)]
        task["goal"] = {"body": "a", "other": "bottom wall"}

    assert findings(client, changed(client, rests)) == [
        "error: trivial without an action: the goal is met from the start"
    ]

    def falls(task: dict[str, Any]) -> None:
        rests(task)
        task["goal"] = {"body": "b", "other": "bottom wall"}

    (said,) = findings(client, changed(client, falls))
    assert said.startswith("error: trivial without an action: it solves itself after")

    def fixed(task: dict[str, Any]) -> None:
        task["goal"] = {"body": "wall", "other": "bottom wall", "relation": "above"}

    assert any("neither body of the goal can move" in one for one in findings(client, changed(client, fixed)))


def set_value(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    *parents, last = path.split(".")

    def change(task: dict[str, Any]) -> None:
        place: Any = task
        for part in parents:
            place = place[int(part)] if part.isdigit() else place[part]
        place[int(last) if last.isdigit() else last] = value

    return change


HOSTILE = {
    "scene.bodies.4.position": [[1e9, 0.0], [0.0], [0.0, 0.0, 0.0], "x", None, [True, False]],
    "scene.bodies.4.angle": [1e300, "1", [], None],
    "scene.bodies.4.density": [-1.0, 0.0, 1e9],
    "scene.bodies.4.restitution": [-0.1, 2.0],
    "scene.bodies.4.velocity": [[1e6, 0.0]],
    "scene.bodies.4.shapes": [
        [],
        [{"type": "circle", "radius": -1.0}],
        [{"type": "circle", "radius": 0.0}],
        [{"type": "circle", "radius": 1e6}],
        [{"type": "polygon", "vertices": [[0.0, 0.0]] * 3}],
        [{"type": "polygon", "vertices": [[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [3.0, 1.0]]}],
        [{"type": "polygon", "vertices": [[0.0, 0.0]] * 99}],
        [{"type": "blob"}],
        [{"type": "circle", "radius": 5.0}] * 99,
    ],
    "scene.bodies.4.name": ["stick", "x" * 1000, 5],
    "scene.bodies.4.unknown": [1],
    "scene.bodies": [[], [ball(5.0, 5.0)] * 1000, [ball(50.0, 50.0, dynamic=True)] * 50, None],
    "scene.width": [1e6, 0.0],
    "scene.units_per_metre": [0.0, 1e-300],
    "scene.version": [2, "1"],
    "goal.body": [99, -1, "nobody", None, 1.5],
    "goal.relation": ["beside", [], ["above"] * 99],
    "goal.area": [[[0.0, 0.0]] * 3],
    "id": ["", "a b", "x" * 100, "ü", None],
    "tier": ["C", None, "3B"],
}


@pytest.mark.parametrize(("path", "value"), [(path, value) for path, values in HOSTILE.items() for value in values])
def test_hostile_records_are_refused(client: TestClient, path: str, value: Any) -> None:
    record = changed(client, set_value(path, value))
    for request, more in (("check", {}), ("sweep", {"first": 0}), ("attempts", {"action": [0.5] * 3}), ("task", {})):
        answer = client.post(f"{OWN}/{request}", json={"own": record, **more})
        assert answer.status_code == (413 if len(json.dumps(record)) > 64 * 1024 else 422), answer.text
        assert set(answer.json()) == {"error"}


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """All containers of a record with the keys of their values."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def test_random_changes_never_break_the_server(client: TestClient) -> None:
    rng = random.Random(18)
    statuses = set()
    for _ in range(250):
        record = record_of(client)
        for container, key in rng.sample(list(places(record)), rng.randrange(1, 4)):
            container[key] = hostile_value(rng)
        content = json.dumps({"own": record}).encode("utf-8", "surrogatepass")
        answer = client.post(f"{OWN}/check", content=content, headers={"Content-Type": "application/json"})
        statuses.add(answer.status_code)
        assert set(answer.json()) == {"error"} or answer.status_code == 200
    assert statuses <= {200, 400, 413, 422}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "1" * 400])
def test_numbers_that_are_none_are_refused(client: TestClient, number: str) -> None:
    text = json.dumps({"own": changed(client, set_value("scene.bodies.4.angle", 1.25))}).replace("1.25", number)
    answer = client.post(f"{OWN}/check", content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)


def test_wrong_requests_are_refused(client: TestClient) -> None:
    record = record_of(client)
    assert client.post(f"{OWN}/sweep", json={"own": record, "first": -1}).status_code == 422
    assert client.post(f"{OWN}/sweep", json={"own": record, "first": 10**9}).status_code == 422
    assert client.post(f"{OWN}/attempts", json={"own": record, "action": [0.5] * 6}).status_code == 422
    assert client.post(f"{OWN}/check", content=b" " * 100_000).status_code == 413


def test_a_task_of_ones_own_is_played_like_any(client: TestClient) -> None:
    record = record_of(client)
    task = client.post(f"{OWN}/task", json={"own": record}).json()
    published = client.get(f"/phyre/api/tasks/{TASK}").json()
    assert {name: task[name] for name in ("id", "tier", "balls", "goal", "bodies")} == {
        name: published[name] for name in ("id", "tier", "balls", "goal", "bodies")
    }
    action = solution(TASK)
    assert action is not None
    assert client.post(f"{OWN}/attempts", json={"own": record, "action": action.tolist()}).json()["solved"]


def test_the_editor_knows_the_walls(client: TestClient) -> None:
    editor = client.get("/phyre/api/editor").json()
    assert editor["walls"] == record_of(client)["scene"]["bodies"][:4]
    assert editor["relations"]["touching"] == "{A} has to touch {B} for 3 seconds"
    assert isinstance(phyre.task("00000:000").scene.bodies[4].shapes[0], Circle)
    assert client.get("/phyre/edit").text.startswith("<!doctype html>")
    assert client.get("/phyre/own").text.startswith("<!doctype html>")
