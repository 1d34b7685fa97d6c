"""What the pages load: gallery, tasks, pictures, solutions and results of agents."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

from tumble import phyre
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.web.pages import Pages
from tumble.web.app import make_app
from tumble.web.options import WebOptions

KIB = 1024


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    options = WebOptions(requests_per_second=1e6, burst=10**6)
    with TestClient(make_app(options, {"phyre": Pages()}), base_url="http://localhost:8000") as client:
        yield client


def test_the_benchmark_brings_its_pages() -> None:
    assert isinstance(PHYRE.pages(), Pages)


def test_the_gallery_has_all_published_tasks(client: TestClient) -> None:
    templates = client.get("/phyre/api/gallery").json()["templates"]
    ids = [f"{one['id']}:{number}" for one in templates for number in one["numbers"]]
    assert sorted(ids) == sorted(phyre.task_ids())
    assert len(templates) == 50
    assert all(one["idea"] and one["name"] for one in templates)


@pytest.mark.parametrize("task_id", ["00003:000", "00013:042", "00101:000"])
def test_a_task_has_its_scene_and_goal(client: TestClient, task_id: str) -> None:
    task = phyre.task(task_id)
    data = client.get(f"/phyre/api/tasks/{task_id}").json()
    assert (data["id"], data["tier"], data["balls"]) == (task.id, task.tier, 1 if task.tier == "B" else 2)
    assert (data["goal"]["A"], data["goal"]["B"]) == (task.body, task.other)
    assert data["goal"]["words"] == "{A} has to touch {B} for 3 seconds"
    assert [body["pose"] for body in data["bodies"]] == [[*body.position, body.angle] for body in task.scene.bodies]
    assert [body["dynamic"] for body in data["bodies"]] == [body.dynamic for body in task.scene.bodies]
    assert data["attempts"] == 100
    assert data["next"] > task_id > data["previous"]
    assert client.get(f"/phyre/{task_id}").text.startswith("<!doctype html>")


def test_next_leads_through_all_tasks(client: TestClient) -> None:
    ids = sorted(phyre.task_ids())
    assert client.get(f"/phyre/api/tasks/{ids[-1]}").json()["next"] == ids[0]
    assert client.get(f"/phyre/api/tasks/{ids[0]}").json()["previous"] == ids[-1]
    assert client.get(f"/phyre/api/tasks/{ids[0]}").json()["next"] == ids[1]


@pytest.mark.parametrize("path", ["/phyre/{}", "/phyre/api/tasks/{}", "/phyre/pictures/{}.svg"])
@pytest.mark.parametrize(
    "task_id", ["00013:42", "99999:000", "00013:0420", "..%2f..%2fsetup", "00013", "x", "00013:٠٤٢"]
)
def test_tasks_that_do_not_exist(client: TestClient, path: str, task_id: str) -> None:
    answer = client.get(path.format(task_id))
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


def test_pictures_are_small_svg(client: TestClient) -> None:
    for template in client.get("/phyre/api/gallery").json()["templates"]:
        answer = client.get(f"/phyre/pictures/{template['id']}:{template['numbers'][0]}.svg")
        assert answer.headers["Content-Type"] == "image/svg+xml"
        assert int(answer.headers["Content-Length"]) < 2 * KIB
        assert ElementTree.fromstring(answer.content).tag.endswith("svg")


def test_a_solution_solves(client: TestClient) -> None:
    for task_id in ("00000:000", "00100:000"):
        found = client.get(f"/phyre/api/tasks/{task_id}/solution")
        answer = client.post("/phyre/api/attempts", json=found.json())
        assert answer.json()["solved"]


def test_a_task_that_was_not_published_has_no_solution(client: TestClient) -> None:
    assert "00013:042" not in phyre.task_ids()
    assert client.get("/phyre/api/tasks/00013:042/solution").status_code == 404
    assert client.get("/phyre/api/tasks/00013:042/agents").json() == {"task": "00013:042", "sweep": {}, "runs": []}


def test_dqn_is_shown_where_results_are_shipped(client: TestClient) -> None:
    """By the brief logs of benchmarks/results/phyre-folds."""
    agents = client.get("/phyre/api/tasks/00008:029/agents").json()["sweep"]["agents"]
    shown = {row["note"]: row["solved_at"] for row in agents if row["agent"] == "DQN"}
    assert shown["trained on other templates, fold 1"] == 4


def spec(agent: str, **settings: int) -> PhyreRunSpec:
    return PhyreRunSpec(agent=agent, settings=settings, setting="ball_within_template", fold=0)


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["rand", "mem"])
def test_results_of_agents_are_those_of_evaluations(agent: str, tmp_path: Path) -> None:
    log = PHYRE.run(spec(agent, ranked=1000), tmp_path)
    solved_at = PHYRE.result(log).solved_at  # type: ignore[attr-defined]
    options = WebOptions(requests_per_second=1e6, burst=10**6, runs=tmp_path)
    with TestClient(make_app(options, {"phyre": Pages()}), base_url="http://localhost:8000") as client:
        for task_id in list(solved_at)[:: len(solved_at) // 50]:
            found = client.get(f"/phyre/api/tasks/{task_id}/agents").json()
            by_agent = {row["agent"]: row["solved_at"] for row in found["sweep"]["agents"]}
            assert by_agent[agent.upper()] == solved_at[task_id]
            assert [row["solved_at"] for row in found["runs"]] == [solved_at[task_id]]


def test_pages_are_light(client: TestClient) -> None:
    """The first view of a task and of the gallery, without pictures, as a browser loads it."""
    for page in ("/phyre/00003:000", "/phyre/"):
        text = client.get(page).text
        parts = [part.split('"')[0] for part in text.replace('src="', 'href="').split('href="')[1:]]
        files = {part for part in parts if "/static/" in part}
        assert len(files) > 3
        weight = sum(int(client.get(file).headers["Content-Length"]) for file in files)
        assert weight < 40 * KIB
