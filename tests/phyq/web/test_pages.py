"""What the pages load: gallery, levels, pictures, solutions; and own levels that people bring."""

import json
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tumble import phyq
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.level_json import from_json, to_json
from tumble.phyq.catalogue.science_birds_xml import to_xml
from tumble.phyq.generation.solutions import solution
from tumble.phyq.web.pages import Pages
from tumble.web.app import make_app
from tumble.web.options import WebOptions

TASK = "6.4:003"
LEVELS = "/phyq/api/levels"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    options = WebOptions(requests_per_second=1e6, burst=10**6)
    with TestClient(make_app(options, {"phyq": Pages()}), base_url="http://localhost:8000") as client:
        yield client


def test_the_benchmark_brings_its_pages() -> None:
    assert isinstance(PHYQ.pages(), Pages)


def test_the_gallery_has_all_templates_and_no_solutions(client: TestClient) -> None:
    answer = client.get("/phyq/api/gallery")
    found = answer.json()
    ids = [
        f"{one['id']}:{number:03d}"
        for scenario in found["scenarios"]
        for one in scenario["templates"]
        for number in range(found["tasks"])
    ]
    assert ids == phyq.task_ids()
    assert [one["name"] for one in found["scenarios"]] == list(phyq.SCENARIOS.values())
    assert "trajectory" not in answer.text


def test_a_task_has_what_is_drawn(client: TestClient) -> None:
    level = phyq.task(TASK).level
    data = client.get(f"/phyq/api/tasks/{TASK}").json()
    assert (data["id"], data["scenario"], data["title"]) == (TASK, 6, "Bouncing")
    assert (data["previous"], data["next"]) == ("6.4:002", "6.4:004")
    assert data["rest"] == list(level.rest_point)
    assert data["pigs"] == len(level.pigs)
    assert [bird["colour"] for bird in data["birds"]] == list(level.birds)
    assert [one["kind"] for one in data["objects"][: data["pigs"]]] == ["pig"] * data["pigs"]
    assert data["objects"][data["first_bird"]]["pose"][:2] == list(level.rest_point)
    used = {layer[0] for style in [*data["styles"], data["sling"]] for layer in style}
    assert used <= set(data["colours"])
    assert all(one["style"] < len(data["styles"]) for one in data["objects"])
    left, bottom, right, top = data["view"]
    for one in data["objects"]:
        assert one["pose"] is None or (left <= one["pose"][0] <= right and bottom <= one["pose"][1] <= top)


def test_birds_that_split_have_objects_without_a_place(client: TestClient) -> None:
    task_id = next(key for key in phyq.task_ids(scenario=15) if "blue" in phyq.task(key).level.birds)
    objects = client.get(f"/phyq/api/tasks/{task_id}").json()["objects"]
    assert [one["pose"] for one in objects[-3:]] == [None] * 3


def test_the_first_and_the_last_task_are_neighbours(client: TestClient) -> None:
    ids = phyq.task_ids()
    assert client.get(f"/phyq/api/tasks/{ids[-1]}").json()["next"] == ids[0]
    assert client.get(f"/phyq/api/tasks/{ids[0]}").json()["previous"] == ids[-1]


def test_solutions_are_the_stored_ones(client: TestClient) -> None:
    for task_id in (TASK, "14.1:000", "15.1:060"):
        found = client.get(f"/phyq/api/tasks/{task_id}/solution").json()["shots"]
        assert tuple(phyq.Shot(**shot) for shot in found) == solution(task_id).shots


@pytest.mark.parametrize("task_id", [TASK, "14.1:000", "13.3:040"])
def test_pictures_are_small(client: TestClient, task_id: str) -> None:
    answer = client.get(f"/phyq/pictures/{task_id}.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert len(ElementTree.fromstring(answer.text)) > 10
    assert int(answer.headers["content-length"]) < 4096


@pytest.mark.parametrize("path", ["", "api/tasks/", "pictures/"])
@pytest.mark.parametrize(
    "name", ["6.4:100", "6.40:003", "99.1:000", "6.4:3", "٦.٤:٠٠٣", "%2e%2e%2fpages.py", "x" * 300]
)
def test_unknown_names_are_not_found(client: TestClient, path: str, name: str) -> None:
    answer = client.get(f"/phyq/{path}{name}")
    assert answer.status_code == 404
    assert "Traceback" not in answer.text


def test_pages_and_scripts_are_served(client: TestClient) -> None:
    for path in ("/phyq/", f"/phyq/{TASK}", "/phyq/own"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "text/html" in answer.headers["content-type"]
    assert client.get("/phyq/static/play.js").status_code == 200
    assert client.get("/phyq/static/pages.py").status_code == 404


@pytest.mark.parametrize("write", [to_xml, to_json])
def test_an_own_level_is_read(client: TestClient, write: "object") -> None:
    level = phyq.task(TASK).level
    answer = client.post(LEVELS, json={"text": "\ufeff" + write(level)})  # type: ignore[operator]
    assert answer.status_code == 200
    data = answer.json()
    assert from_json(data["text"]) == level
    assert data["pigs"] == len(level.pigs)


def test_an_own_level_is_shown_at_rest(client: TestClient) -> None:
    floating = phyq.Level(("red",), (phyq.Pig("medium", 3.0, 0.0),))
    pose = client.post(LEVELS, json={"text": to_json(floating)}).json()["objects"][0]["pose"]
    assert pose[0] == pytest.approx(3.0, abs=0.1)
    assert pose[1] == pytest.approx(-3.12, abs=0.02)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "this file is empty"),
        ("hello", "this is not JSON"),
        ("<Level", "this is not XML"),
        ("<Level/>", "Level needs the element GameObjects once"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><Level>&b;</Level>', "no DOCTYPE"),
        ("{}", "needs the field 'version'"),
        ("[" * 100_000, "JSON"),
        ("<a>" * 60_000, "XML"),
        (json.dumps({"version": 1, "birds": ["green"], "pigs": []}), "no bird 'green'"),
        (json.dumps({"version": 1, "birds": ["red"] * 11, "pigs": [{"size": "small", "x": 0, "y": 0}]}), "10 birds"),
        (json.dumps({"version": 1, "birds": ["red"], "pigs": [{"size": "small", "x": 0, "y": 0}] * 201}), "200 pieces"),
    ],
)
def test_bad_levels_are_refused_in_words(client: TestClient, text: str, words: str) -> None:
    answer = client.post(LEVELS, json={"text": text})
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert len(answer.json()["error"]) < 300


def test_damaged_level_files_never_break_the_server(client: TestClient) -> None:
    rng = np.random.default_rng(18)
    for write in (to_xml, to_json):
        text = write(phyq.task(TASK).level)
        for _ in range(60):
            letters = list(text)
            for at in rng.integers(0, len(letters), 3):
                letters[at] = str(rng.choice(list('<>{}[]"-9eE.,: \x00é')))
            answer = client.post(LEVELS, json={"text": "".join(letters)})
            assert answer.status_code in (200, 422), answer.text
