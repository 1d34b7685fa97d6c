"""A benchmark that Tumble does not know: its logs in tables, and replayed once it says how."""

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tumble.runs.header import RunHeader
from tumble.runs.log import Row
from tumble.web import app as web_app
from tumble.web import watch_entry
from tumble.web.app import make_app
from tumble.web.options import WebOptions
from tumble.web.pages import Replayed, Replays
from tumble.web.physics_queue import PhysicsQueue


@pytest.fixture
def throw(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The plug-in of tests/plugin, as if it were installed."""
    spec = spec_from_file_location("tumble_throw", Path(__file__).parents[2] / "plugin" / "tumble_throw.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "tumble_throw", module)
    spec.loader.exec_module(module)
    for part in (web_app, watch_entry):
        monkeypatch.setattr(part, "benchmarks", lambda: {"throw": module.THROW})
    return module


def opened(folder: Path) -> TestClient:
    return TestClient(make_app(WebOptions(runs=folder), {}), base_url="http://localhost:8000")


def test_without_replays_there_are_tables(throw: ModuleType, tmp_path: Path) -> None:
    throw.THROW.run(throw.ThrowRunSpec("random"), tmp_path)
    with opened(tmp_path) as client:
        (run,) = client.get("/watch/api/runs").json()["runs"]
        assert run["scores"][0][0] == "result"
        page = client.get(f"/watch/api/runs/{run['id']}").json()
        assert [(group["name"], group["tasks"]) for group in page["groups"]] == [("", 10)]
        shown = client.get(f"/watch/api/runs/{run['id']}/attempts", params={"task": "3m"}).json()
        assert {one["outcome"] for one in shown["attempts"]} <= {"solved", "not solved"}
        assert client.get(f"/watch/api/runs/{run['id']}/attempts/1", params={"task": "3m"}).status_code == 404


def test_a_benchmark_brings_its_replays(throw: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class ThrowReplays(Replays):
        script = "/throw/static/replay.js"

        def scene(self, header: RunHeader, task_id: str) -> Any:
            return {"distance": float(task_id.removesuffix("m"))}

        async def replay(self, physics: PhysicsQueue, header: RunHeader, task_id: str, row: Row) -> Replayed:
            task = throw.Task(task_id, float(task_id.removesuffix("m")))
            (solved,) = await physics.submit(
                lambda angles: [(throw.solves(task, one),) for one in angles], row["angle"]
            )
            clip = json.dumps({"landing": throw.landing(row["angle"])}).encode()
            return Replayed(clip, {"status": int(solved)})

    monkeypatch.setattr(throw.Throw, "replays", lambda self: ThrowReplays())
    throw.THROW.run(throw.ThrowRunSpec("solver"), tmp_path)
    with opened(tmp_path) as client:
        (run,) = client.get("/watch/api/runs").json()["runs"]
        assert client.get(f"/watch/api/runs/{run['id']}").json()["script"] == "/throw/static/replay.js"
        assert client.get(f"/watch/api/runs/{run['id']}/scene", params={"task": "3m"}).json() == {"distance": 3.0}
        answer = client.get(f"/watch/api/runs/{run['id']}/attempts/1", params={"task": "3m"}).json()
        assert answer["same"]
        assert answer["clip"]["landing"] == pytest.approx(3.0)


def test_an_error_of_a_benchmark_is_no_server_error(
    throw: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class BrokenReplays(Replays):
        def scene(self, header: RunHeader, task_id: str) -> Any:
            raise ZeroDivisionError

    monkeypatch.setattr(throw.Throw, "replays", lambda self: BrokenReplays())
    throw.THROW.run(throw.ThrowRunSpec("solver"), tmp_path)
    with opened(tmp_path) as client:
        (run,) = client.get("/watch/api/runs").json()["runs"]
        answer = client.get(f"/watch/api/runs/{run['id']}/scene", params={"task": "3m"})
        assert answer.status_code == 422
        assert answer.json() == {"error": "this part of the log can't be used (ZeroDivisionError)"}
