"""Finished logs that ask for more memory than logs take, or whose lines do not fit, are refused."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from run_headers import header_of

from tumble.runs.log import FORMAT, LogError, pack_lines, read

COLUMNS = {"action": "numbers", "steps": "whole?", "answer": "text"}
TASK = {
    "task": "00000:000",
    "given_up": "",
    "attempt": [1, 2],
    "status": [-1, 1],
    "action": [[0.5, None], []],
    "steps": [7, None],
    "answer": ["no", "yes"],
}


def head(**fields: Any) -> bytes:
    header = header_of(columns=COLUMNS).model_dump(mode="json")
    return json.dumps({"format": FORMAT, "header": {**header, **fields}}).encode()


def finished(path: Path, *lines: dict[str, Any]) -> Path:
    """A finished log with these lines of tasks, and a fitting digest."""
    path.write_bytes(pack_lines([head(), *(json.dumps(line).encode() for line in lines)]))
    return path


def refusal(path: Path) -> str:
    assert path.stat().st_size < 1_000_000
    with pytest.raises(LogError) as error:
        read(path)
    assert str(path) in str(error.value)
    return str(error.value)


def refusal_of(path: Path, lines: Iterable[bytes]) -> str:
    path.write_bytes(pack_lines(lines))
    return refusal(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl.gz"


def test_attempts_of_such_a_file_are_read(path: Path) -> None:
    other = {**TASK, "task": "00000:001", "given_up": "tired", **{name: [] for name in ("attempt", "status", *COLUMNS)}}
    log = read(finished(path, TASK, other))
    first, second = log.tasks["00000:000"]
    assert first == {
        "task": "00000:000", "attempt": 1, "status": -1, "action": [0.5, None], "steps": 7, "answer": "no"
    }  # fmt: skip
    assert second["answer"] == "yes"
    assert log.tasks["00000:001"] == []
    assert log.given_up == {"00000:001": "tired"}
    assert read(path, brief=True).tasks["00000:000"] == [second]


def test_a_small_file_that_unpacks_to_much_is_refused(path: Path) -> None:
    assert "it unpacks to more than" in refusal_of(path, [head(), b'{"task":"' + b"x" * 250_000_000 + b'"}'])
    assert "memory" in refusal_of(path, [head(machine="x" * 1000), b'{"task":"a","action":[' + b"[]," * 2_000_000])


def test_many_attempts_are_refused(path: Path) -> None:
    most = 600_000
    zeros = {name: [0] * most for name in ("attempt", "status", "steps")}
    assert refusal(finished(path, {**TASK, **zeros, "action": [[]] * most, "answer": [""] * most}))
    few_columns = {"task": "a", "given_up": "", "attempt": [1] * most, "status": [1] * most}
    lines = [head(columns={}), *(json.dumps({**few_columns, "task": task}).encode() for task in "ab")]
    assert "the line of task 'a' is not one" in refusal_of(path, lines)


@pytest.mark.parametrize("line", [b"", b"[]", b"{}", b"[" * 1000])
def test_many_lines_that_are_no_tasks_are_refused(path: Path, line: bytes) -> None:
    assert refusal_of(path, [head(), *[line] * 20_000])


@pytest.mark.parametrize(
    "wrong",
    [
        {"attempt": [1]},
        {"attempt": [1, 2, 3]},
        {"attempt": 1},
        {"attempt": [1, "2"]},
        {"attempt": [1, 2**31]},
        {"status": [True, False]},
        {"status": [None, 1]},
        {"action": [[0.5], None]},
        {"action": [0.5, 0.5]},
        {"action": [["0.5"], []]},
        {"action": [[1e301], []]},
        {"steps": [7.0, None]},
        {"answer": ["no", None]},
        {"answer": "no"},
        {"given_up": None},
        {"task": 1},
        {"more": [1, 2]},
    ],
    ids=str,
)
def test_columns_of_wrong_lengths_and_types_are_refused(path: Path, wrong: dict[str, Any]) -> None:
    assert "damaged: the line of task" in refusal(finished(path, {**TASK, **wrong}))


def test_a_missing_column_is_refused(path: Path) -> None:
    for name in TASK:
        assert "damaged: the line of task" in refusal(
            finished(path, {key: value for key, value in TASK.items() if key != name})
        )


def test_a_task_twice_is_refused(path: Path) -> None:
    assert "the line of task '00000:000' is not one" in refusal(finished(path, TASK, TASK))


def test_types_of_columns_that_are_none_are_refused(path: Path) -> None:
    assert "its header is damaged: columns.action" in refusal_of(path, [head(columns={"action": "matrix"})])


def test_a_file_without_a_digest_or_with_a_wrong_one_is_refused(path: Path) -> None:
    lines = gzip.decompress(finished(path, TASK).read_bytes()).splitlines(keepends=True)
    end = json.loads(lines[-1])
    for changed, why in (
        (lines[:-1], "no digest"),
        ([], "no digest"),
        (lines[-1:], "differs from its digest"),
        ([lines[0], lines[-1]], "differs from its digest"),
        ([*lines[:-1], json.dumps({**end, "sha256": "0" * 64}).encode()], "differs from its digest"),
        ([*lines[:-1], json.dumps({**end, "finished": 2}).encode()], "differs from its digest"),
        ([lines[0], lines[1].replace(b"yes", b"yet"), lines[2]], "differs from its digest"),
    ):
        path.write_bytes(gzip.compress(b"".join(changed)))
        assert why in refusal(path)


def test_a_file_that_is_cut_or_continued_is_refused(path: Path) -> None:
    raw = finished(path, TASK).read_bytes()
    for changed in (raw[:-1], raw + b"x", raw + raw):
        path.write_bytes(changed)
        assert "truncated, or something else follows" in refusal(path)
