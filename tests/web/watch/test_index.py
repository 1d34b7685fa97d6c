"""A folder of run logs that changes, with broken, foreign, hostile and large files: clear words, and never a 5xx."""

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pytest
from fastapi.testclient import TestClient
from run_headers import header_for, header_of

from tumble.benchmark import benchmark as named
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.runs.log import FORMAT, Log, TaskUpdate, encode_lines, open_log, read, write_finished
from tumble.web.app import make_app
from tumble.web.options import WebOptions
from tumble.web.watch_index import CompactLog, LogStore, run_id_of

SPEC = PhyreRunSpec("rand", "ball_within_template", attempts=100)
ROWS = [{"attempt": 1, "action": [0.5, 0.5, 0.2], "status": -1, "steps": 1000}]
TASK = "00000:000"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    options = WebOptions(runs=tmp_path, requests_per_second=1e6, burst=10**6)
    with TestClient(make_app(options, {}), base_url="http://localhost:8000") as client:
        yield client


def write(path: Path, header: Any = None, tasks: tuple[str, ...] = (TASK,), rows: Any = None) -> Path:
    """An unfinished log."""
    with open_log(path, header or header_for(SPEC, task_count=5)) as log:
        for index, task in enumerate(tasks):
            log.append([TaskUpdate(task, rows or ROWS, index, True)])
    return path


def listed(client: TestClient) -> dict[str, dict[str, Any]]:
    """All runs by name, once all are read."""
    answer = {"pending": 1, "runs": []}
    for _ in range(100):
        if not answer["pending"]:
            break
        answer = client.get("/watch/api/runs").json()
    return {run["name"]: run for run in answer["runs"]}


def test_without_a_folder_there_is_nothing_to_watch() -> None:
    with TestClient(make_app(WebOptions(), {}), base_url="http://localhost:8000") as client:
        assert client.get("/watch/").status_code == 404
        assert client.get("/api/benchmarks").json()["more"] == []


def test_the_first_page_has_a_card(client: TestClient) -> None:
    (card,) = client.get("/api/benchmarks").json()["more"]
    assert (card["address"], card["title"]) == ("/watch/", "Watch")
    assert listed(client) == {}


def test_pages_are_served(client: TestClient) -> None:
    for path in ("/watch/", f"/watch/{'0' * 16}", f"/watch/{'0' * 16}/replay"):
        answer = client.get(path)
        assert "text/html" in answer.headers["content-type"]
    assert client.get("/watch", follow_redirects=False).headers["location"] == "/watch/"


@pytest.mark.parametrize("run", ["0" * 16, "g" * 16, "..%2f..%2fetc", "%00" * 16, "x", "0" * 17])
@pytest.mark.parametrize("rest", ["", "/tasks", "/task?task=a", "/others?task=a", "/attempts?task=a", "/scene?task=a"])
def test_unknown_runs_are_refused(client: TestClient, run: str, rest: str) -> None:
    answer = client.get(f"/watch/api/runs/{run}{rest}")
    assert answer.status_code in (404, 422)
    assert set(answer.json()) == {"error"}


def test_unknown_tasks_and_attempts_are_refused(client: TestClient, tmp_path: Path) -> None:
    run = run_id_of(write(tmp_path / "a.jsonl").name)
    for rest in ("task", "attempts", "scene", "attempts/1"):
        for task in ("00000:999", "../../etc/passwd", "", "é" * 100):
            assert client.get(f"/watch/api/runs/{run}/{rest}", params={"task": task}).status_code == 404
        assert client.get(f"/watch/api/runs/{run}/{rest}").status_code == 422
    for number, status in (("2", 404), ("0", 404), ("-1", 422), ("one", 422), ("9" * 30, 422)):
        assert client.get(f"/watch/api/runs/{run}/attempts/{number}", params={"task": TASK}).status_code == status


def test_new_changed_and_deleted_logs_are_seen(client: TestClient, tmp_path: Path) -> None:
    path = write(tmp_path / "sub" / "a.jsonl")
    assert [run["tasks"] for run in listed(client).values()] == [1]
    with open_log(path, header_for(SPEC)) as log:
        log.append([TaskUpdate("00000:015", ROWS, 1, True)])
        log.append([TaskUpdate("00000:021", ROWS, 2, False)])
    run = listed(client)["sub/a.jsonl"]
    assert (run["tasks"], run["task_count"], run["finished"], run["attempts"]) == (2, 5, False, 3)
    tasks = client.get(f"/watch/api/runs/{run['id']}/tasks").json()["tasks"]
    assert [task["unfinished"] for task in tasks] == [False, False, True]
    assert client.get(f"/watch/api/runs/{run['id']}/attempts", params={"task": "00000:021"}).json()["count"] == 1
    with open_log(path, header_for(SPEC)) as log:
        log.append([TaskUpdate("00000:021", [], 2, True)])
        log.finish()
    finished = listed(client)["sub/a.jsonl.gz"]
    assert (finished["id"], finished["finished"]) == (run["id"], True)
    (tmp_path / "sub" / "a.jsonl.gz").unlink()
    assert listed(client) == {}
    sleep(1.1)
    assert client.get(f"/watch/api/runs/{run['id']}").status_code == 404


def test_a_log_cut_anywhere_is_shown_up_to_there_or_as_broken(client: TestClient, tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.jsonl", tasks=(TASK, "00000:015", "00000:021")).read_bytes()
    target = tmp_path / "cut.jsonl"
    for size in range(0, len(whole), 97):
        target.write_bytes(whole[:size])
        run = listed(client)["cut.jsonl"]
        assert bool(run["problem"]) == (size <= whole.index(b"\n")), size
        answer = client.get(f"/watch/api/runs/{run['id']}")
        assert answer.status_code == 200
        assert str(tmp_path) not in answer.text


def test_broken_files_are_named_with_what_is_wrong(client: TestClient, tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl")
    lines = good.read_bytes().splitlines(keepends=True)
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "garbage.jsonl").write_bytes(b"\xff\xfe" * 100 + b"\n")
    (tmp_path / "damaged.jsonl").write_bytes(lines[0] + lines[1].replace(b"1000", b"1001") + lines[2])
    (tmp_path / "folder.jsonl.gz").mkdir()
    (tmp_path / "cut.jsonl.gz").write_bytes(b"PAR1")
    write(tmp_path / "other.jsonl", header_of("levers"))
    write(tmp_path / "fields.jsonl", header_of("phyre", spec={"agent": "rand", "seed": 0, "fingers": 3}))
    runs = listed(client)
    problems = {name: run["problem"] for name, run in runs.items()}
    assert problems["good.jsonl"] == ""
    assert "empty" in problems["empty.jsonl"]
    assert "not a run log" in problems["garbage.jsonl"]
    assert "line 2: damaged" in problems["damaged.jsonl"]
    assert "not compressed with gzip" in problems["cut.jsonl.gz"]
    assert problems["other.jsonl"] == "benchmark 'levers' is not installed here"
    assert "fingers" in problems["fields.jsonl"]
    assert "folder.jsonl.gz" not in problems
    assert str(tmp_path) not in json.dumps(runs)
    for run in runs.values():
        for rest in ("", "/tasks", "/others?task=a", f"/task?task={TASK}", f"/attempts?task={TASK}"):
            answer = client.get(f"/watch/api/runs/{run['id']}{rest}")
            assert answer.status_code in (200, 404, 422), (run["name"], rest, answer.text)
            assert str(tmp_path) not in answer.text


@pytest.mark.parametrize(
    ("attempt", "status", "numbers"),
    [(1, 1, []), (1, 1, [None, None, None]), (1, 99, [1e200, -5.0, 7.0]), (-7, -99, [0.5] * 50)],
)
@pytest.mark.parametrize("benchmark", ["phyre", "phyq", "comphy"])
def test_hostile_rows_give_no_server_error(
    client: TestClient, tmp_path: Path, benchmark: str, attempt: int, status: int, numbers: list[float | None]
) -> None:
    specs = {
        "phyre": {"agent": "rand", "setting": "ball_within_template", "seed": 0},
        "phyq": {"agent": "random", "setting": "tasks", "only": ["1.1"], "seed": 0},
        "comphy": {"agent": "random", "data": "/etc", "split": "test", "seed": 0},
    }
    spec = named(benchmark).spec(**specs[benchmark])
    values = {"numbers": numbers, "flags": [number == 0.5 for number in numbers], "whole": -5, "whole?": None}
    own = {name: values.get(kind, "a<b>,/x") for name, kind in spec.columns().items()}
    row = {"attempt": attempt, "status": status, **own}
    write(tmp_path / "a.jsonl", header_for(spec, task_count=1), ("1.1:000", TASK, "zzz"), [row])
    (run,) = listed(client).values()
    for task in ("1.1:000", TASK, "zzz"):
        for rest in ("task", "attempts", "scene", f"attempts/{row['attempt']}"):
            answer = client.get(f"/watch/api/runs/{run['id']}/{rest}", params={"task": task})
            assert answer.status_code in (200, 404, 422), (rest, task, answer.text)
            assert "/etc" not in answer.text


def test_a_header_of_any_json_gives_no_server_error(client: TestClient, tmp_path: Path) -> None:
    for k, header in enumerate([None, [], {"benchmark": "phyre"}, {"benchmark": 5, "spec": []}, "x" * 1000]):
        text, _ = encode_lines([{"format": FORMAT, "header": header}], "")
        (tmp_path / f"{k}.jsonl").write_bytes(text)
    for spec in ({}, {"agent": None}, {"agent": "rand", "setting": 3, "seed": "x", "settings": []}):
        name = f"spec{len(json.dumps(spec))}.jsonl"
        text, _ = encode_lines([{"format": FORMAT, "header": header_of(spec=spec).model_dump(mode="json")}], "")
        (tmp_path / name).write_bytes(text)
    runs = listed(client)
    assert len(runs) == 8
    assert all(run["problem"] for run in runs.values())
    for sort in ("seed", "agent", "score", "date"):
        assert client.get("/watch/api/runs", params={"sort": sort, "search": "rand"}).status_code == 200


def test_other_physics_is_told(client: TestClient, tmp_path: Path) -> None:
    run = run_id_of(write(tmp_path / "a.jsonl", header_for(SPEC, physics="tumble-2d-0")).name)
    page = client.get(f"/watch/api/runs/{run}").json()
    assert (page["physics"], page["other_physics"]) == ("tumble-2d-0", SPEC.physics_id())


def big_log(path: Path, tasks: int, attempts: int) -> None:
    rows = {
        f"{k:05d}:000": [
            {"attempt": n, "action": [n / 128, k / 1024, 0.5], "status": -1, "steps": 1000}
            for n in range(1, attempts + 1)
        ]
        for k in range(tasks)
    }
    write_finished(Log(path, header_for(SPEC, task_count=tasks), rows), path)


@pytest.mark.slow
def test_a_log_of_100_000_attempts_is_paged_and_kept_small(client: TestClient, tmp_path: Path) -> None:
    big_log(tmp_path / "big.jsonl.gz", 1000, 100)
    (run,) = listed(client).values()
    assert (run["tasks"], run["attempts"]) == (1000, 100_000)
    api = f"/watch/api/runs/{run['id']}"
    answer = client.get(f"{api}/tasks").json()
    assert (len(answer["tasks"]), answer["found"]) == (200, 1000)
    assert len(client.get(f"{api}/tasks", params={"first": 900}).json()["tasks"]) == 100
    assert len(client.get(f"{api}/attempts", params={"task": "00500:000"}).json()["attempts"]) == 100
    begin = perf_counter()
    for task in range(0, 1000, 100):
        client.get(f"{api}/attempts", params={"task": f"{task:05d}:000"})
    assert perf_counter() - begin < 2.0  # it is not read again
    tracemalloc.start()
    store = LogStore()
    log = store.open(tmp_path / "big.jsonl.gz")
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 100 * 100_000
    assert log.rows("00007:000", 98)[-1]["action"] == [100 / 128, 7 / 1024, 0.5]


def test_a_compact_log_has_all_rows(tmp_path: Path) -> None:
    rows = [
        {"attempt": 1, "action": [0.1, None, 3.0], "status": -1, "steps": None, "answer": "a,b"},
        {"attempt": 2, "action": [], "status": 1, "steps": 0, "answer": None},
    ]
    header = header_for(SPEC, columns={"action": "numbers", "steps": "whole?", "answer": "text?"})
    path = write(tmp_path / "a.jsonl", header, rows=rows, tasks=("a", "b"))
    log: Log = read(path)
    compact = CompactLog(log)
    for task in ("a", "b"):
        assert compact.rows(task) == log.tasks[task]
        assert compact.attempt(task, 2) == log.tasks[task][1]
        assert compact.attempt(task, 3) is None
    assert "c" not in compact
