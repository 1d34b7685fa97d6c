"""Run logs: what is written comes back, and a cut at any byte costs no more than the task that was under way."""

import json
import multiprocessing
from pathlib import Path

import pytest
from job_samples import hold_log
from run_headers import header_of

from tumble.runs import archive
from tumble.runs.log import Log, LogError, logs_in, opened, read

HEADER = header_of(details={"note": "ball ○"})
TASKS = {
    "00003:017": [
        {"attempt": 1, "action": [0.1, 0.25, 1 / 3], "status": -1, "steps": 1000},
        {"attempt": 2, "action": [0.4, 0.75, 2e-17], "status": 1, "steps": None},
    ],
    "00003:018": [],
    "00003:019": [{"attempt": 1, "action": [0.5, 0.5, 0.5], "status": 1, "steps": 190}],
}


def go_on(path: Path) -> Log:
    """Writes what is missing of the log above, and finishes it."""
    with opened(path, HEADER) as log:
        for task, rows in TASKS.items():
            if task not in log.tasks:
                log.add_task(task, rows)
        log.finish()
    return log


def unfinished(path: Path, tasks: int) -> Path:
    with opened(path, HEADER) as log:
        for task in list(TASKS)[:tasks]:
            log.add_task(task, TASKS[task])
    return path


def content(log: Log) -> tuple[object, ...]:
    return log.header, log.tasks, list(log.tasks), log.finished


def test_a_finished_log_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    log = go_on(tmp_path / "a.jsonl")
    assert [file.name for file in tmp_path.iterdir()] == ["a.parquet"]
    found = read(tmp_path / "a.parquet")
    assert content(found) == content(log)
    assert found.header == HEADER
    assert list(found.tasks) == list(TASKS)
    assert list(found.rows()) == [{"task": task, **row} for task, rows in TASKS.items() for row in rows]


@pytest.mark.parametrize("tasks", [0, 1, 2, 3])
def test_in_brief_a_log_has_the_last_attempt_at_each_task(tmp_path: Path, tasks: int) -> None:
    path = unfinished(tmp_path / "a.jsonl", tasks)
    expected = {task: [{"task": task, **row} for row in TASKS[task][-1:]] for task in list(TASKS)[:tasks]}
    assert read(path, brief=True).tasks == expected
    with opened(path, HEADER) as log:
        log.finish()
    assert read(log.path, brief=True).tasks == expected


def test_an_unfinished_log_has_its_finished_tasks(tmp_path: Path) -> None:
    found = read(unfinished(tmp_path / "a.jsonl", tasks=2))
    assert not found.finished
    assert list(found.tasks) == list(TASKS)[:2]


def test_a_log_cut_at_any_byte_goes_on_to_the_same_content(tmp_path: Path) -> None:
    whole = unfinished(tmp_path / "whole.jsonl", tasks=3).read_bytes()
    expected = content(go_on(tmp_path / "whole.jsonl"))
    ends = [len(whole) - len(whole.split(b'"done"', k + 1)[-1].split(b"\n", 1)[1]) for k in range(3)]
    for cut in range(len(whole) + 1):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(whole[:cut])
        if cut > whole.index(b"\n"):
            assert len(read(path).tasks) == sum(end <= cut for end in ends)
        assert content(go_on(path)) == expected
        assert content(read(path.with_suffix(archive.SUFFIX))) == expected


def test_what_follows_damage_does_not_count(tmp_path: Path) -> None:
    path = unfinished(tmp_path / "a.jsonl", tasks=3)
    lines = path.read_bytes().splitlines(keepends=True)
    for number in range(1, len(lines)):
        for damage in (b"\0" * 20 + b"\n", b"[1]\n", b'{"task": "00003:017"}\n', b'{"task": "x", "done": 5}\n'):
            path.write_bytes(b"".join([*lines[:number], damage, *lines[number + 1 :]]))
            kept = read(path)
            done = sum(b'"done"' in line for line in lines[:number])
            assert list(kept.tasks) == list(TASKS)[:done]


def test_a_kill_between_the_two_forms_leaves_one_log(tmp_path: Path) -> None:
    path = unfinished(tmp_path / "a.jsonl", tasks=3)
    lines = path.read_bytes()
    expected = content(go_on(path))
    path.write_bytes(lines + b'{"finished":3}\n')  # not yet removed
    (tmp_path / ".0123456789abcdef0123456789abcdef.parquet").write_bytes(b"PAR1")  # a temporary file
    logs, problems = logs_in([tmp_path])
    assert [log.path.name for log in logs] == ["a.parquet"]
    assert problems == []
    (tmp_path / "a.parquet").unlink()  # the kill came before that was there
    assert read(path).finished
    assert content(go_on(path)) == expected
    assert not path.exists()


def test_without_parquet_the_lines_stay_and_are_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise ImportError

    with monkeypatch.context() as patched:
        patched.setattr(archive, "write", missing)
        log = go_on(tmp_path / "a.jsonl")
    assert log.path.suffix == ".jsonl"
    assert read(log.path).finished
    assert go_on(tmp_path / "a.jsonl").path.suffix == ".parquet"


def test_two_processes_don_t_write_one_log(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, let_go = context.Event(), context.Event()
    path = tmp_path / "a.jsonl"
    other = context.Process(target=hold_log, args=(path, HEADER, ready, let_go))
    other.start()
    assert ready.wait(30)
    with pytest.raises(LogError, match=r"a\.jsonl is being written by another process"), opened(path, HEADER):
        pass
    let_go.set()
    other.join(30)
    assert go_on(path).finished


def test_a_task_is_there_once(tmp_path: Path) -> None:
    with opened(tmp_path / "a.jsonl", HEADER) as log:
        log.add_task("x:000", [])
        with pytest.raises(LogError, match="task x:000 is already in it"):
            log.add_task("x:000", [])


def test_a_log_keeps_its_header(tmp_path: Path) -> None:
    path = unfinished(tmp_path / "a.jsonl", tasks=1)
    with opened(path, header_of("other")) as log:
        assert log.header.benchmark == "phyre"


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("a.jsonl", b"", "no run log: it has no header of format tumble-run-2"),
        ("a.jsonl", b'{"format": "tumble-run-9"}\n', "no run log"),
        ("a.jsonl", b'{"format": "tumble-run-2"}\n', "its header is damaged"),
        ("a.jsonl", b'{"format": "tumble-run-2", "header": {"schema_version": 2}}\n', "schema_version"),
        ("a.jsonl", b"\xff\xfe\n", "no run log"),
        ("a.parquet", b"", "no run log"),
        ("a.parquet", b"PAR1 and more", "no run log"),
        ("none.parquet", None, "No such file"),
        ("none.jsonl", None, "No such file"),
    ],
)
def test_other_files_are_refused_by_name(tmp_path: Path, name: str, raw: bytes | None, why: str) -> None:
    path = tmp_path / name
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(LogError, match=why) as error:
        read(path)
    assert str(path) in str(error.value)


def test_other_parquet_files_are_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"x": [1]}), tmp_path / "a.parquet")
    with pytest.raises(LogError, match="no run log"):
        read(tmp_path / "a.parquet")


def test_folders_are_searched_and_strange_files_named(tmp_path: Path) -> None:
    go_on(tmp_path / "below" / "b.jsonl")
    unfinished(tmp_path / "a.jsonl", tasks=1)
    (tmp_path / "notes.jsonl").write_text(json.dumps({"mine": 1}) + "\n")
    (tmp_path / "notes.txt").write_text("mine")
    logs, problems = logs_in([tmp_path, tmp_path / "below", tmp_path / "a.jsonl"])
    assert [log.path.name for log in logs] == ["a.jsonl", "b.parquet"]
    (problem,) = problems
    assert "notes.jsonl: no run log" in problem
    with pytest.raises(LogError, match=r"notes\.jsonl"):
        logs_in([tmp_path / "notes.jsonl"])
