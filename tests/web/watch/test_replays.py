"""Run logs on the pages for watching: real ones of all benchmarks, whose replays equal them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tumble import phyq, phyre
from tumble.benchmark import benchmark
from tumble.phyre.catalogue import task_files
from tumble.phyre.catalogue.task import digest_of_tasks
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.web.replays import _own_tasks
from tumble.runs.log import TaskUpdate, open_log, read
from tumble.web.app import make_app
from tumble.web.options import WebOptions
from watch_runs import LEVELS, comphy_runs, phyq_runs, phyre_runs


def client_of(folder: Path) -> TestClient:
    options = WebOptions(runs=folder, requests_per_second=1e6, burst=10**6)
    return TestClient(make_app(options, {}), base_url="http://localhost:8000")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    phyre_runs(runs)
    phyq_runs(runs)
    return comphy_runs(runs, runs / "data")  # where it is found by its digest


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    with client_of(folder) as client:
        yield client


def listed(client: TestClient, **query: Any) -> list[dict[str, Any]]:
    """All runs, once all are read."""
    for _ in range(100):
        answer = client.get("/watch/api/runs", params=query).json()
        if not answer["pending"]:
            return list(answer["runs"])
    raise AssertionError("the logs are not read")


def run_of(client: TestClient, agent: str, of: str = "") -> dict[str, Any]:
    (found,) = [
        run for run in listed(client) if run["agent"].partition(",")[0] == agent and (not of or run["benchmark"] == of)
    ]
    return found


def test_the_list_has_scores_of_all_benchmarks(client: TestClient, folder: Path) -> None:
    runs = listed(client, sort="agent", down=False)
    assert [run["agent"] for run in runs] == [
        "mem", "oracle", "people, pilot, participant 0", "pig_shooter", "rand", "random", "random",
    ]  # fmt: skip
    names = {run["benchmark"]: [name for name, _ in run["scores"]] for run in runs}
    assert names["phyre"] == ["AUCCESS"]
    assert names["phyq"] == ["passed, %", "Phy-Q"]
    assert names["comphy"] == ["given", "factual", "predictive", "counterfactual"]
    assert all(run["finished"] and not run["problem"] for run in runs)
    assert {run["id"] for run in runs if run["people"]} == {run_of(client, "people")["id"]}
    assert str(folder) not in json.dumps(runs)


def test_the_list_is_searched_and_sorted(client: TestClient) -> None:
    assert {run["agent"] for run in listed(client, search="PHYRE rand")} == {"rand"}
    assert listed(client, search="no such words") == []
    scores = [run["score"] for run in listed(client, search="phyre", sort="score")]
    assert scores == sorted(scores, reverse=True)
    assert client.get("/watch/api/runs", params={"sort": "nothing"}).status_code == 422


@pytest.mark.parametrize(("agent", "of"), [("rand", "phyre"), ("people", "phyre"), ("random", "phyq")])
def test_all_attempts_replay_as_they_were_logged(client: TestClient, folder: Path, agent: str, of: str) -> None:
    run = run_of(client, agent, of)
    log = read(folder / run["name"])
    count = 0
    for task, rows in log.tasks.items():
        api = f"/watch/api/runs/{run['id']}/attempts"
        shown = client.get(api, params={"task": task}).json()
        assert [one["attempt"] for one in shown["attempts"]] == [row["attempt"] for row in rows]
        for row in rows:
            answer = client.get(f"{api}/{row['attempt']}", params={"task": task}).json()
            assert answer["same"], answer["difference"]
            count += 1
    assert count == run["attempts"] > 3


def test_a_replay_has_the_clip_of_the_page_for_playing(client: TestClient, folder: Path) -> None:
    run = run_of(client, "rand")
    task, rows = next(iter(read(folder / run["name"]).tasks.items()))
    clip = client.get(f"/watch/api/runs/{run['id']}/attempts/1", params={"task": task}).json()["clip"]
    assert clip["steps"] == phyre.Simulator([task]).simulate(task, rows[0]["action"]).steps
    assert clip["motion"]["frames"] == clip["steps"] + 1
    scene = client.get(f"/watch/api/runs/{run['id']}/scene", params={"task": task}).json()
    assert len(scene["bodies"]) == len(phyre.task(task).scene.bodies)


def test_phyq_scenes_and_shots(client: TestClient) -> None:
    run = run_of(client, "pig_shooter")
    task = LEVELS[0]
    scene = client.get(f"/watch/api/runs/{run['id']}/scene", params={"task": task}).json()
    assert scene["pigs"] == len(phyq.task(task).level.pigs)
    clip = client.get(f"/watch/api/runs/{run['id']}/attempts/1", params={"task": task}).json()["clip"]
    assert len(clip["shots"]) >= clip["shots_used"] >= 1


def test_comphy_shows_given_and_right_answers(client: TestClient, folder: Path) -> None:
    oracle, guessed = run_of(client, "oracle"), run_of(client, "random", "comphy")
    task = next(iter(read(folder / oracle["name"]).tasks))
    page = client.get(f"/watch/api/runs/{oracle['id']}/task", params={"task": task, "beside": guessed["id"]}).json()
    assert (page["task_word"], page["attempt_word"], page["script"]) == ("set", "question", "")
    for run, is_right in ((oracle, True), (guessed, False)):
        shown = client.get(f"/watch/api/runs/{run['id']}/attempts", params={"task": task}).json()
        assert shown["remark"] == ""
        parts = [part for one in shown["attempts"] for part in one["details"]["parts"]]
        assert all(one["details"]["text"].endswith("?") for one in shown["attempts"])
        assert all((part["given"] == part["right"]) == part["is_right"] for part in parts)
        assert all(part["is_right"] for part in parts) == is_right
    answer = client.get(f"/watch/api/runs/{oracle['id']}/attempts/1", params={"task": task})
    assert answer.status_code == 404


def test_a_run_has_its_tasks_by_template(client: TestClient, folder: Path) -> None:
    run = run_of(client, "mem")
    log = read(folder / run["name"])
    page = client.get(f"/watch/api/runs/{run['id']}").json()
    assert page["summary"].startswith("AUCCESS")
    assert page["other_physics"] == ""
    assert sum(group["tasks"] for group in page["groups"]) == len(log.tasks)
    assert sum(group["attempts"] for group in page["groups"]) == sum(map(len, log.tasks.values()))
    name = page["groups"][0]["name"]
    tasks = client.get(f"/watch/api/runs/{run['id']}/tasks", params={"group": name}).json()["tasks"]
    for row in tasks:
        solved = [one["attempt"] for one in log.tasks[row["id"]] if one["status"] == 1]
        assert row["first"] == (solved[0] if solved else None)
        assert row["attempts"] == len(log.tasks[row["id"]])
    for only in ("solved", "unsolved"):
        found = client.get(f"/watch/api/runs/{run['id']}/tasks", params={"only": only}).json()["tasks"]
        assert all(row["solved"] == (only == "solved") for row in found)


def test_other_runs_of_a_task_are_named_people_first(client: TestClient) -> None:
    run = run_of(client, "mem")
    tasks = client.get(f"/watch/api/runs/{run['id']}/tasks").json()["tasks"]
    others = client.get(f"/watch/api/runs/{run['id']}/others", params={"task": tasks[0]["id"]}).json()["runs"]
    assert [other["agent"] for other in others] == ["people, pilot, participant 0", "rand"]
    page = client.get(
        f"/watch/api/runs/{run['id']}/task", params={"task": tasks[0]["id"], "beside": others[0]["id"]}
    ).json()
    assert (page["previous"], page["next"], page["common"]) == (None, tasks[1]["id"], 2)


def test_people_have_the_time_they_thought(client: TestClient) -> None:
    run = run_of(client, "people")
    task = client.get(f"/watch/api/runs/{run['id']}/tasks").json()["tasks"][0]["id"]
    attempts = client.get(f"/watch/api/runs/{run['id']}/attempts", params={"task": task}).json()["attempts"]
    assert {one["thought"] for one in attempts} == {2.0}


def test_a_changed_action_is_told(folder: Path, tmp_path: Path) -> None:
    """A log with right digests whose status is not what the action leads to."""
    source = read(next(folder.glob("phyre-mem-*")))
    task, rows = next((task, rows) for task, rows in source.tasks.items() if rows[0]["status"] == -1)
    with open_log(tmp_path / "forged.jsonl", source.header) as log:
        forged = [{**row, "status": 1} for row in rows[:1]]
        log.append([TaskUpdate(task, [{k: v for k, v in row.items() if k != "task"} for row in forged], 0, True)])
    with client_of(tmp_path) as client:
        (run,) = listed(client)
        answer = client.get(f"/watch/api/runs/{run['id']}/attempts/1", params={"task": task}).json()
    assert answer["difference"] == "the log says status 1; replayed: status -1"
    assert not answer["same"]


def test_user_defined_tasks_are_replayed_while_their_file_is_the_same(tmp_path: Path) -> None:
    own = phyre.task("00003:001")
    file = tmp_path / "mine.json"
    task_files.save(file, {own.id: own})
    spec = PhyreRunSpec("rand", "ball_within_template", tasks=str(file), attempts=3)
    assert spec.task_digests()["tasks_sha256"] == digest_of_tasks([own])
    benchmark("phyre").run(spec, tmp_path / "runs")
    with client_of(tmp_path / "runs") as client:
        (run,) = listed(client)
        query = {"task": own.id}
        assert client.get(f"/watch/api/runs/{run['id']}/attempts/1", params=query).json()["same"]
        assert client.get(f"/watch/api/runs/{run['id']}/task", params=query).json()["play"] == ""
    file.unlink()
    for stored in (tmp_path / "runs").glob("tasks-*.json"):
        stored.unlink()
    _own_tasks.cache_clear()
    with client_of(tmp_path / "runs") as client:
        answer = client.get(f"/watch/api/runs/{run['id']}/attempts/1", params=query)
        assert answer.status_code == 422
        assert answer.json()["error"] == "the file of this run's tasks is gone, has changed, or can't be read"
