"""Levels that people make: what is said about them is what the simulator says; hostile levels are refused."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tumble import phyq
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.level_json import from_json
from tumble.phyq.web.editor import random_shots
from tumble.phyq.web.pages import Pages
from tumble.web.app import make_app
from tumble.web.options import WebOptions

TASK = "1.4:000"
OWN = "/phyq/api/own"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    options = WebOptions(requests_per_second=1e6, burst=10**6)
    with TestClient(make_app(options, {"phyq": Pages()}), base_url="http://localhost:8000") as client:
        yield client


def text_of(client: TestClient, task_id: str = TASK) -> str:
    text: str = client.get(f"/phyq/api/tasks/{task_id}/file").json()["text"]
    return text


def check(client: TestClient, level: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(f"{OWN}/check", json={"level": json.dumps(level)})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_file_of_a_task_is_its_level(client: TestClient) -> None:
    assert from_json(text_of(client)) == phyq.task(TASK).level
    assert client.get("/phyq/api/tasks/99.1:000/file").status_code == 404


def test_a_task_of_tumble_is_valid_and_rests(client: TestClient) -> None:
    answer = check(client, json.loads(text_of(client, "12.3:000")))
    assert (answer["findings"], answer["rests"]) == ([], True)
    assert answer["rest"] == list(phyq.task("12.3:000").level.rest_point)


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"shape": "rect_big", "material": "wood", "x": 5.0, "y": 0.0}, "does not rest"),
        ({"shape": "rect_big", "material": "wood", "x": 5.0, "y": -3.5}, "deep in the ground"),
        ({"shape": "rect_big", "material": "wood", "x": -12.15, "y": -1.7}, "where the bird on the slingshot is"),
        ({"shape": "rect_big", "material": "wood", "x": 17.0, "y": -3.393}, "at the end of the world"),
        ({"shape": "square_hole", "material": "wood", "x": 2.454, "y": -3.2}, "overlap by"),
    ],
)
def test_what_is_wrong_with_a_piece_is_said(client: TestClient, block: dict[str, Any], words: str) -> None:
    level = json.loads(text_of(client))
    level["blocks"] = [block]
    findings = check(client, level)["findings"]
    found = [one for one in findings if words in one["text"]]
    assert found
    assert len(level["pigs"]) in found[0]["bodies"]  # the block stands after the pigs


def test_settled_pieces_rest(client: TestClient) -> None:
    level = json.loads(text_of(client))
    level["blocks"] = [{"shape": "rect_big", "material": "wood", "x": 5.0, "y": -2.0}]
    before = check(client, level)
    assert not before["rests"]
    x, y, rotation = before["settled"][len(level["pigs"])]
    level["blocks"][0] |= {"x": x, "y": y, "rotation": rotation}
    assert check(client, level)["rests"]


def test_a_sweep_counts_what_play_says(client: TestClient) -> None:
    text = text_of(client)
    won, first, solutions = 0, 0, []
    while first < 60:
        answer = client.post(f"{OWN}/sweep", json={"level": text, "first": first}).json()
        assert answer["next"] == first + sum(answer["counts"].values())
        won += answer["counts"]["won"]
        first = answer["next"]
        solutions += [answer["solution"]] if answer["solution"] else []
    level = from_json(text)
    truth = phyq.play(level, [random_shots(level.birds, number) for number in range(first)]).won
    assert won == int(truth.sum()) > 0
    played = client.post("/phyq/api/attempts", json={"level": text, "shots": solutions[0], "from_shot": 0}).json()
    assert played["status"] == "won"
    assert phyq.play(level, [[phyq.Shot(**shot) for shot in solutions[0]]]).won.all()


def test_random_shots_tap_birds_that_have_a_power() -> None:
    red, yellow = random_shots(("red", "yellow"), 7)
    assert red.tap_ms is None
    assert yellow.tap_ms is not None
    assert random_shots(("red", "yellow"), 7) == [red, yellow]
    assert len({random_shots(("red",), number)[0].angle for number in range(50)}) > 40


HOSTILE: list[dict[str, Any]] = [
    {"pigs": []},
    {"birds": []},
    {"birds": ["red"] * 50},
    {"birds": ["pink"]},
    {"pigs": [{"size": "huge", "x": 0.0, "y": 0.0}]},
    {"pigs": [{"size": "small", "x": 1e300, "y": 0.0}]},
    {"pigs": [{"size": "small", "x": 0.0, "y": -100.0}]},
    {"pigs": [{"size": "small", "x": "0", "y": 0.0}]},
    {"pigs": [{"size": "small", "x": 0.0, "y": 0.0, "rotation": 1e9}]},
    {"pigs": [{"size": "small", "x": 0.0, "y": 0.0}] * 5000},
    {"pigs": [{"size": "small", "x": 0.0, "y": 0.0}] * 100},
    {"platforms": [{"x": 0.0, "y": 0.0, "scale_x": -1.0}]},
    {"platforms": [{"x": 0.0, "y": 0.0, "scale_x": 1e9}]},
    {"platforms": [{"x": 0.0, "y": 0.0, "colour": "red"}]},
    {"slingshot": [1e9, 0.0]},
    {"version": 2},
    {"more": 1},
]


@pytest.mark.parametrize("change", HOSTILE)
@pytest.mark.parametrize("request_kind", ["check", "sweep"])
def test_hostile_levels_are_refused(client: TestClient, change: dict[str, Any], request_kind: str) -> None:
    level = json.dumps({**json.loads(text_of(client)), **change})
    more = {"first": 0} if request_kind == "sweep" else {}
    answer = client.post(f"{OWN}/{request_kind}", json={"level": level, **more})
    assert answer.status_code == 422, answer.text
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize(
    "body", [{}, {"level": 5}, {"level": ""}, {"level": "{"}, {"level": "x" * 300_000}, {"level": "NaN"}, []]
)
def test_requests_that_are_none_are_refused(client: TestClient, body: Any) -> None:
    assert client.post(f"{OWN}/check", json=body).status_code == 422


def test_numbers_that_are_none_are_refused(client: TestClient) -> None:
    text = text_of(client)
    for first in (-1, 10**7, 0.5, "0", None):
        assert client.post(f"{OWN}/sweep", json={"level": text, "first": first}).status_code == 422
    for number in ("NaN", "Infinity", "1e999", "-1e999"):
        level = json.dumps({**json.loads(text), "slingshot": [7.25, -2.5]}).replace("7.25", number)
        assert client.post(f"{OWN}/check", json={"level": level}).status_code == 422


def test_the_editor_has_all_pieces(client: TestClient) -> None:
    editor = client.get("/phyq/api/editor").json()
    assert {field: len(pieces) for field, pieces in editor["pieces"].items()} == {
        "pigs": 3,
        "blocks": 36,
        "tnts": 1,
        "platforms": 1,
    }
    assert editor["slingshot"] == list(Level.slingshot)
    platform = np.array(editor["pieces"]["platforms"][0]["outline"])
    assert np.allclose(np.abs(platform), np.abs(platform[0]))
    assert client.get("/phyq/edit").text.startswith("<!doctype html>")
