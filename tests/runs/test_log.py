"""Run logs: they are read as they were written, truncation loses at most one line, and damage is noticed."""

import json
import multiprocessing
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from job_samples import hold_log
from run_headers import header_of

from tumble.runs.log import FORMAT, Log, LogError, TaskUpdate, encode_lines, logs_in, open_log, packed_path, read

HEADER = header_of(details={"note": "ball ○"})
TASKS = {
    "00003:017": [
        {"attempt": 1, "action": [0.1, 0.25, 1 / 3], "status": -1, "steps": 1000},
        {"attempt": 2, "action": [0.4, 0.75, 2e-17], "status": 1, "steps": None},
    ],
    "00003:018": [],
    "00003:019": [{"attempt": 1, "action": [0.5, 0.5, 0.5], "status": 1, "steps": 190}],
}


def complete(path: Path) -> Log:
    """Writes the missing tasks of a log, and finishes it."""
    with open_log(path, HEADER) as log:
        for task, rows in TASKS.items():
            if task not in log.tasks:
                log.add_task(task, rows)
        log.finish()
    return log


def unfinished(path: Path, tasks: int) -> Path:
    with open_log(path, HEADER) as log:
        for task in list(TASKS)[:tasks]:
            log.add_task(task, TASKS[task])
    return path


def content(log: Log) -> tuple[object, ...]:
    return log.header, log.tasks, list(log.tasks), log.finished


def test_a_finished_log_is_read_exactly_as_written(tmp_path: Path) -> None:
    log = complete(tmp_path / "a.jsonl")
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl.gz"]
    stored = read(tmp_path / "a.jsonl.gz")
    assert content(stored) == content(log)
    assert stored.header == HEADER
    assert list(stored.tasks) == list(TASKS)
    assert list(stored.rows()) == [{"task": task, **row} for task, rows in TASKS.items() for row in rows]


@pytest.mark.parametrize("tasks", [0, 1, 2, 3])
def test_brief_reads_the_last_attempt_at_each_task(tmp_path: Path, tasks: int) -> None:
    path = unfinished(tmp_path / "a.jsonl", tasks)
    expected = {task: [{"task": task, **row} for row in TASKS[task][-1:]] for task in list(TASKS)[:tasks]}
    assert read(path, brief=True).tasks == expected
    with open_log(path, HEADER) as log:
        log.finish()
    assert read(log.path, brief=True).tasks == expected


def test_an_unfinished_log_has_its_finished_tasks(tmp_path: Path) -> None:
    log = read(unfinished(tmp_path / "a.jsonl", tasks=2))
    assert not log.finished
    assert list(log.tasks) == list(TASKS)[:2]


def test_a_log_truncated_at_any_byte_is_completed_to_the_same_content(tmp_path: Path) -> None:
    whole = unfinished(tmp_path / "whole.jsonl", tasks=3).read_bytes()
    expected = content(complete(tmp_path / "whole.jsonl"))
    ends = [len(whole) - len(whole.split(b'"done"', k + 1)[-1].split(b"\n", 1)[1]) for k in range(3)]
    for cut in range(len(whole) + 1):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(whole[:cut])
        if cut > whole.index(b"\n"):
            assert len(read(path).tasks) == sum(end <= cut for end in ends)
        assert content(complete(path)) == expected
        assert content(read(packed_path(path))) == expected


def test_attempts_at_several_open_tasks_are_kept_and_sorted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    first, second = TASKS["00003:017"]
    third = TASKS["00003:019"][0]
    with open_log(path, HEADER) as log:
        log.append([TaskUpdate("b", [second], 1), TaskUpdate("a", [third], 0)])
    with open_log(path, HEADER) as log:
        assert log.tasks == {}
        assert {task: len(rows) for task, rows in log.open_tasks.items()} == {"a": 1, "b": 1}
        log.append([TaskUpdate("b", [first], 1, True, "no proposal"), TaskUpdate("a", [], 0)])
        assert list(read(path).tasks) == ["b"]
        log.append([TaskUpdate("a", [], 0, True)])
        log.finish()
    for stored in (log, read(log.path)):
        assert list(stored.tasks) == ["a", "b"]
        assert [row["attempt"] for row in stored.tasks["b"]] == [1, 2]
        assert stored.given_up == {"b": "no proposal"}


def test_discarded_attempts_are_forgotten(tmp_path: Path) -> None:
    with open_log(tmp_path / "a.jsonl", HEADER) as log:
        log.append([TaskUpdate("a", TASKS["00003:017"])])
        log.discard("a")
        log.add_task("a", TASKS["00003:019"])
    assert list(read(log.path).rows()) == [{"task": "a", **TASKS["00003:019"][0]}]


def test_damage_is_an_error_that_names_the_line(tmp_path: Path) -> None:
    path = unfinished(tmp_path / "a.jsonl", tasks=3)
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 7
    for number in range(1, len(lines)):
        line = lines[number]
        for damage in (b"\0" * 20 + b"\n", b"[1]\n", line.replace(b"0", b"1", 1), b"\n" + line, lines[number - 1]):
            path.write_bytes(b"".join([*lines[:number], damage, *lines[number + 1 :]]))
            why = rf"a\.jsonl, line {number + 1}: damaged; .* keep only its first {number} lines and resume, or delete"
            with pytest.raises(LogError, match=why):
                read(path)
    path.write_bytes(b"x" + b"".join(lines))
    with pytest.raises(LogError, match="not a run log: it has no undamaged header"):
        read(path)


def test_lines_that_contradict_each_other_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    header = {"format": FORMAT, "header": HEADER.model_dump(mode="json")}
    done = {"task": "a", "done": 0, "index": 0, "given_up": ""}
    for rows in ([{"mine": 1}], [{**done, "done": 1}], [done, done], [{"finished": 1}], [{"finished": 0}, done]):
        path.write_bytes(encode_lines([header, *rows], "")[0])
        with pytest.raises(LogError, match=rf"a\.jsonl, line {len(rows) + 1}: it does not follow"):
            read(path)


def test_every_flipped_bit_of_json_lines_is_noticed(tmp_path: Path) -> None:
    """Reading raises an error, or (at the end) the log is unfinished; never is its content another."""
    path = unfinished(tmp_path / "a.jsonl", tasks=3)
    raw, log = path.read_bytes(), read(path)
    raw += encode_lines([{"finished": 3}], log.last_digest)[0]
    last_line = raw.rstrip(b"\n").rfind(b"\n")
    for place, changed in flipped_bits(raw):
        path.write_bytes(changed)
        try:
            found = read(path)
        except LogError:
            continue
        assert place > last_line
        assert not found.finished
        assert (found.header, found.tasks) == (log.header, log.tasks)


def test_a_flipped_bit_of_a_finished_log_is_noticed_or_changes_nothing(tmp_path: Path) -> None:
    """Some bits of gzip mean nothing: those of the time and the system, and what fills the last byte of its data."""
    log = complete(tmp_path / "a.jsonl")
    for _, changed in flipped_bits(log.path.read_bytes()):
        log.path.write_bytes(changed)
        try:
            found = read(log.path)
        except LogError:
            continue
        assert content(found) == content(log)


def flipped_bits(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Copies of a file with a bit flipped, and its place."""
    draws = random.Random(0)
    for _ in range(300):
        place = draws.randrange(len(raw))
        yield place, raw[:place] + bytes([raw[place] ^ 1 << draws.randrange(8)]) + raw[place + 1 :]


def test_a_kill_between_the_two_formats_leaves_one_log(tmp_path: Path) -> None:
    path = unfinished(tmp_path / "a.jsonl", tasks=3)
    lines, digest = path.read_bytes(), read(path).last_digest
    expected = content(complete(path))
    path.write_bytes(lines + encode_lines([{"finished": 3}], digest)[0])  # not yet removed
    (tmp_path / ".0123456789abcdef0123456789abcdef.gz").write_bytes(b"")  # a temporary file
    logs, problems = logs_in([tmp_path])
    assert [log.path.name for log in logs] == ["a.jsonl.gz"]
    assert problems == []
    (tmp_path / "a.jsonl.gz").unlink()  # as if killed before it was written
    assert read(path).finished
    assert content(complete(path)) == expected
    assert not path.exists()


def test_two_processes_cannot_write_the_same_log(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, release = context.Event(), context.Event()
    path = tmp_path / "a.jsonl"
    other = context.Process(target=hold_log, args=(path, HEADER, ready, release))
    other.start()
    assert ready.wait(30)
    with pytest.raises(LogError, match=r"a\.jsonl is being written by another process"), open_log(path, HEADER):
        pass
    release.set()
    other.join(30)
    assert complete(path).finished


def test_a_task_can_be_added_once(tmp_path: Path) -> None:
    with open_log(tmp_path / "a.jsonl", HEADER) as log:
        log.add_task("x:000", [])
        with pytest.raises(LogError, match="it already has task x:000"):
            log.add_task("x:000", [])


def test_a_log_keeps_its_header(tmp_path: Path) -> None:
    path = unfinished(tmp_path / "a.jsonl", tasks=1)
    with open_log(path, header_of("other")) as log:
        assert log.header.benchmark == "phyre"


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("a.jsonl", b"", "not a run log: it has no undamaged header of format tumble-run-4"),
        ("a.jsonl", b'{"format": "tumble-run-9"}\n', "not a run log"),
        ("a.jsonl", b'{"format": "tumble-run-4"}\n', "not a run log"),
        ("a.jsonl", encode_lines([{"format": "tumble-run-4"}], "")[0], "its header is damaged"),
        (
            "a.jsonl",
            encode_lines([{"format": "tumble-run-4", "header": {"schema_version": 2}}], "")[0],
            "schema_version",
        ),
        ("a.jsonl", b"\xff\xfe\n", "not a run log"),
        ("a.jsonl.gz", b"", "it is truncated"),
        ("a.jsonl.gz", b"PAR1 and more", "it is not compressed with gzip"),
        ("none.jsonl.gz", None, "No such file"),
        ("none.jsonl", None, "No such file"),
    ],
)
def test_other_files_are_refused_with_their_path(tmp_path: Path, name: str, raw: bytes | None, why: str) -> None:
    path = tmp_path / name
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(LogError, match=why) as error:
        read(path)
    assert str(path) in str(error.value)


def test_folders_are_searched_and_other_files_reported(tmp_path: Path) -> None:
    complete(tmp_path / "below" / "b.jsonl")
    unfinished(tmp_path / "a.jsonl", tasks=1)
    (tmp_path / "notes.jsonl").write_text(json.dumps({"mine": 1}) + "\n")
    (tmp_path / "notes.txt").write_text("mine")
    logs, problems = logs_in([tmp_path, tmp_path / "below", tmp_path / "a.jsonl"])
    assert [log.path.name for log in logs] == ["a.jsonl", "b.jsonl.gz"]
    (problem,) = problems
    assert "notes.jsonl: not a run log" in problem
    with pytest.raises(LogError, match=r"notes\.jsonl"):
        logs_in([tmp_path / "notes.jsonl"])
