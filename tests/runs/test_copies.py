"""Copies of logs are found by what they hold, not by their names."""

from pathlib import Path
from typing import Any

from run_headers import header_of

from tumble.runs.log import Log, open_log
from tumble.runs.replay import without_copies

ROW = {"attempt": 1, "action": [0.5], "status": -1, "steps": 10}


def log(path: Path, statuses: list[int], finished: bool = True, **header: Any) -> Log:
    fields = {"spec": {"agent": "mem", "seed": 0, "device": "cpu"}, **header}
    with open_log(path, header_of(task_count=3, **fields)) as made:
        for number, status in enumerate(statuses):
            made.add_task(f"task {number}", [{**ROW, "status": status}])
        if finished:
            made.finish()
    return made


def test_the_same_run_in_two_files_counts_once(tmp_path: Path) -> None:
    first = log(tmp_path / "a.jsonl", [1, -1, 1])
    copy = log(tmp_path / "b.jsonl", [1, -1, 1], machine="another", spec={"agent": "mem", "seed": 0, "device": "cuda"})
    kept, (found,) = without_copies([first, copy], ["device"])
    assert kept == [first]
    assert (found.path, found.used) == (copy.path, first.path)
    assert str(first.path) in found.text
    assert str(copy.path) in found.text


def test_an_earlier_state_of_a_run_is_a_copy_of_the_finished_one(tmp_path: Path) -> None:
    early = log(tmp_path / "a.jsonl", [1, -1], finished=False)
    whole = log(tmp_path / "b.jsonl", [1, -1, 1])
    kept, (found,) = without_copies([early, whole], [])
    assert (kept, found.path) == ([whole], early.path)


def test_a_header_that_claims_more_displaces_nothing(tmp_path: Path) -> None:
    honest = log(tmp_path / "z.jsonl", [1, -1, 1])
    forged = log(tmp_path / "a.jsonl", [1, -1, 1], details={"is_oracle": False}, agent_settings={"better": True})
    longer = log(tmp_path / "b.jsonl", [1, -1, 1, 1])
    assert without_copies([honest, forged, longer], [])[0] == [honest]
    assert without_copies([longer, honest], [])[0] == [honest]
    assert without_copies([forged, honest], [])[0] == [forged]  # of equals the first
    assert without_copies([forged, honest], [], proved=[honest.path])[0] == [honest]


def test_runs_that_differ_are_kept(tmp_path: Path) -> None:
    logs = [
        log(tmp_path / "a.jsonl", [1, -1, 1]),
        log(tmp_path / "b.jsonl", [1, 1, 1]),  # other attempts
        log(tmp_path / "c.jsonl", [1, -1, 1], spec={"agent": "mem", "seed": 1, "device": "cpu"}),
        log(tmp_path / "d.jsonl", [1, -1, 1], physics="tumble-2d-0"),
        log(tmp_path / "e.jsonl", [1, -1, 1], digests={"tasks_sha256": "ab"}),
        log(tmp_path / "f.jsonl", [1, -1, 1], spec={"agent": "mem", "seed": 0, "settings": {"ranked": 5}}),
    ]
    assert without_copies(logs, ["device"]) == (logs, [])
