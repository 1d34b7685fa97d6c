"""A run log: a header and a row for each attempt. JSON lines while it is written, packed by gzip when it is finished.

The header says which columns rows have besides task, attempt and status, and of which type. Lines are only appended,
as soon as attempts are made, so a log that was truncated at any byte is read up to its last whole line, and a run
that was killed resumes there. Rows of several tasks may alternate; `index` is the position of a task in the run's
order, `given_up` says why an agent gave it up. (A power cut may lose the last seconds: only finished logs are synced
to disk.)

    {"format": "tumble-run-4", "header": {"benchmark": "…", "columns": {"action": "numbers", …}, …}, "sha256": "…"}
    {"task": "00003:017", "attempt": 1, "status": -1, "action": [0.4, 0.7, 0.2], "steps": 1000, "sha256": "…"}
    {"task": "00003:017", "done": 1, "index": 0, "given_up": "", "sha256": "…"}
    …
    {"finished": 100, "sha256": "…"}

Each line ends with the beginning of the SHA-256 of the digest before it and of its own content, so that a change
anywhere in a file is noticed. The line of a task that is done may have `counts`, such as tokens by kind; their sums
over tasks are in the header's details when the log is read.

A finished log is the header, a line for each task with the values of its attempts by column, and the SHA-256 of all
lines before the last:

    {"format": "tumble-run-4", "header": {…}}
    {"task": "00003:017", "given_up": "", "attempt": [1, 2, …], "status": [-1, …], "action": [[0.4, 0.7, 0.2], …], …}
    …
    {"finished": 100, "sha256": "…"}
"""

import fcntl
import gzip
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tumble.bounded import BoundError, decompressed, json_memory, json_value, read_bytes
from tumble.errors import TumbleError
from tumble.runs.header import RunHeader
from tumble.scene.files import whole_file

Row = dict[str, Any]

LINE_DIGITS = 16
"""Hexadecimal digits of a line's digest."""
_LINE_SEPARATOR = b',"sha256":"'
_LINE_END = b'"}'
_LINE_TAIL = len(_LINE_SEPARATOR) + LINE_DIGITS + len(_LINE_END)


class LinesError(TumbleError):
    """A file with a damaged line."""


@dataclass
class Lines:
    """The rows of a file, without an incomplete last line."""

    rows: list[Row] = field(default_factory=list)
    last_digest: str = ""
    """Of the last row."""
    size: int = 0
    """Bytes of these rows."""


def encode_lines(rows: Iterable[Row], last_digest: str) -> tuple[bytes, str]:
    """Rows as lines that follow a line with `last_digest` ("" for none), and the digest of the last."""
    return chain_lines(map(_compact, rows), last_digest)


def chain_lines(texts: Iterable[bytes], last_digest: str) -> tuple[bytes, str]:
    """JSON objects as lines with digests, and the digest of the last."""
    parts = []
    for text in texts:
        content = text[:-1]  # without its closing bracket
        last_digest = _digest_of_line(content, last_digest)
        parts += [content, _tail_of_line(last_digest), b"\n"]
    return b"".join(parts), last_digest


def decode_lines(raw: bytes, path: Path) -> Lines:
    """The rows of a file's bytes; none if its first line is not such a row.

    A kill leaves at most an incomplete last line, which is ignored. Any other damage is an error.
    """
    found = Lines()
    for number, line in enumerate(raw.split(b"\n")[:-1], start=1):
        content = line[:-_LINE_TAIL]
        digest = _digest_of_line(content, found.last_digest)
        row = _row_of_line(content) if line[-_LINE_TAIL:] == _tail_of_line(digest) else None
        if row is None and number == 1:
            break
        if row is None:
            raise LinesError(
                f"{path}, line {number}: damaged; restore the file from a copy, or keep only its first {number - 1} "
                "lines and resume, or delete it and start a new run"
            )
        found.rows.append(row)
        found.last_digest = digest
        found.size += len(line) + 1
    return found


def _row_of_line(content: bytes) -> Row | None:
    """The row of a line without its tail; None if it is no JSON object."""
    try:
        row = json_value(content + b"}")
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _tail_of_line(digest: str) -> bytes:
    return _LINE_SEPARATOR + digest.encode() + _LINE_END


def _digest_of_line(content: bytes, last_digest: str) -> str:
    return sha256(last_digest.encode() + content).hexdigest()[:LINE_DIGITS]


FORMAT = "tumble-run-4"
SUFFIX = ".jsonl"
FINISHED_SUFFIX = ".jsonl.gz"
COMMON_COLUMNS = {"attempt": "whole", "status": "whole"}
"""Of every row, besides the task; the header names the others."""
MOST_BYTES = 1 << 30
"""Of a log that is being written."""
MOST_PACKED = 1 << 28
"""Of a finished log."""
MEMORY, MEMORY_PER_BYTE = 192 << 20, 64
"""Bytes that the rows of a finished log may take: 300,000 attempts, and more in a larger file."""
ROW_MEMORY, VALUE_MEMORY = 300, 40
"""Bytes that a row takes, and a value in a row."""
MOST_WHOLE, MOST_NUMBER = 2**31, 1e300
"""The numbers of a row are smaller, also without their sign."""


class LogError(TumbleError):
    """A file that is not a run log, or that can't be resumed."""


@dataclass(frozen=True)
class TaskUpdate:
    """What is new about a task: attempts, and whether it is done."""

    task: str
    rows: Sequence[Row]
    """New attempts."""
    index: int = 0
    """The position of the task in the run's order."""
    done: bool = False
    given_up: str = ""
    """Why the agent gave the task up; empty if it did not."""
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Of a task that is done, as in {"usage": {"requests": 3}}; their sums over tasks are details of the run."""


@dataclass
class Log:
    """A run log: its header and the rows of its finished tasks, in order."""

    path: Path
    header: RunHeader
    tasks: dict[str, list[Row]] = field(default_factory=dict)
    finished: bool = False
    given_up: dict[str, str] = field(default_factory=dict)
    """By finished task that the agent gave up: why."""
    open_tasks: dict[str, list[Row]] = field(default_factory=dict)
    """The attempts so far at tasks that are not finished."""
    valid_bytes: int = 0
    """The position in the file where the last valid line ends."""
    last_digest: str = ""
    """Of the last valid line."""
    _index: dict[str, int] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, str]:
        """The types of all columns of its rows but the task."""
        return {**COMMON_COLUMNS, **self.header.columns}

    def rows(self) -> Iterator[Row]:
        """The rows of all attempts at finished tasks."""
        for rows in self.tasks.values():
            yield from rows

    def add_task(self, task: str, rows: Sequence[Row], given_up: str = "") -> None:
        """Appends all attempts at a finished task."""
        if task in self.open_tasks:
            self.discard(task)
        self.append([TaskUpdate(task, rows, len(self.tasks), True, given_up)])

    def append(self, updates: Iterable[TaskUpdate]) -> None:
        """Appends new attempts at several tasks, some of which may be done."""
        added: list[Row] = []
        for update in updates:
            if update.task in self.tasks:
                raise LogError(f"{self.path}: it already has task {update.task}")
            own_rows = [self._complete(update.task, row) for row in update.rows]
            added += own_rows
            all_rows = self.open_tasks.setdefault(update.task, [])
            all_rows += own_rows
            if update.done:
                line = {"task": update.task, "done": len(all_rows), "index": update.index, "given_up": update.given_up}
                added.append({**line, "counts": update.counts} if update.counts else line)
                self._add_counts(update.counts)
                self._close(update.task, update.index, update.given_up)
        if added:
            self._write(added)

    def _complete(self, task: str, row: Row) -> Row:
        """A row with all columns, those that may be None included."""
        complete = {"task": task, **{name: row.get(name) for name in self.columns}}
        if not row.keys() <= complete.keys() or not is_attempt(complete, self.columns):
            raise LogError(f"{self.path}: no attempt with the columns {', '.join(self.columns)}: {str(row)[:200]}")
        return complete

    def discard(self, task: str) -> None:
        """Discards the attempts at an open task."""
        self._write([{"task": task, "discarded": len(self.open_tasks.pop(task))}])

    def finish(self) -> None:
        """Finishes the log: packs it into one file, which takes its place."""
        if not self.finished:
            self._write([{"finished": len(self.tasks)}])
            self.finished = True
        self.sort()
        if self.path.name.endswith(FINISHED_SUFFIX):
            return
        target = packed_path(self.path)
        write_finished(self, target)
        self.path.unlink()
        self.path = target

    def add_line(self, row: Row) -> bool:
        """Adds a line that was read from the file; returns False if it can't follow the lines before it."""
        task = str(row.get("task"))
        if self.finished or task in self.tasks:
            return False
        if "finished" in row:
            self.finished = not self.open_tasks and row["finished"] == len(self.tasks)
            return self.finished
        if "discarded" in row:
            return bool(len(self.open_tasks.pop(task, ())) == row["discarded"])
        rows = self.open_tasks.setdefault(task, [])
        if "done" not in row:
            rows.append(row)
            return is_attempt(row, self.columns)
        index = row.get("index")
        if row["done"] != len(rows) or type(index) is not int:
            return False
        counts = row.get("counts", {})
        if not _are_counts(counts):
            return False
        self._add_counts(counts)
        self._close(task, index, str(row.get("given_up", "")))
        return True

    def _add_counts(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Adds counts of a task to the details of the header."""
        details = dict(self.header.details)
        for kind, numbers in counts.items():
            before = details.get(kind, {})
            details[kind] = {**before, **{name: before.get(name, 0) + number for name, number in numbers.items()}}
        if counts:
            self.header = self.header.model_copy(update={"details": details})

    def _close(self, task: str, index: int, given_up: str) -> None:
        """Moves an open task to the finished ones."""
        self.tasks[task] = sorted(self.open_tasks.pop(task), key=lambda row: row["attempt"])
        self._index[task] = index
        if given_up:
            self.given_up[task] = given_up

    def sort(self) -> None:
        """Sorts tasks into the run's order, whatever order they were finished in."""
        self.tasks = {task: self.tasks[task] for task in sorted(self.tasks, key=lambda task: self._index.get(task, 0))}
        self.given_up = {task: self.given_up[task] for task in self.tasks if task in self.given_up}

    def _write(self, rows: Iterable[Row]) -> None:
        text, self.last_digest = encode_lines(rows, self.last_digest)
        with self.path.open("r+b") as stream:
            stream.truncate(self.valid_bytes)
            stream.seek(self.valid_bytes)
            stream.write(text)
        self.valid_bytes += len(text)


def is_attempt(row: Row, columns: Mapping[str, str]) -> bool:
    """Whether a row has the columns of an attempt, with values of their types.

    >>> is_attempt({"task": "1", "status": 1, "steps": None}, {"status": "whole", "steps": "whole?"})
    True
    """
    return (
        isinstance(row.get("task"), str)
        and len(row) == len(columns) + 1
        and all(name in row and _is_value(row[name], kind) for name, kind in columns.items())
    )


def _is_value(value: object, kind: str) -> bool:
    """Whether a value is of a column's type (`participant.ColumnType`)."""
    if value is None:
        return kind.endswith("?")
    if kind == "numbers":
        return isinstance(value, list) and all(one is None or _is_number(one) for one in value)
    if kind == "flags":
        return isinstance(value, list) and all(type(one) is bool for one in value)
    if kind.startswith("text"):
        return isinstance(value, str)
    return _is_number(value) if kind.startswith("number") else type(value) is int and abs(value) < MOST_WHOLE


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST_NUMBER  # false for NaN


def _are_counts(value: object) -> bool:
    """Whether a value is a table of tables of whole numbers."""
    return isinstance(value, dict) and all(
        isinstance(numbers, dict) and all(type(number) is int for number in numbers.values())
        for numbers in value.values()
    )


def packed_path(path: Path) -> Path:
    """The path that the log of this name has when it is finished."""
    return path.with_name(path.name.removesuffix(SUFFIX) + FINISHED_SUFFIX)


def remove_other_form(path: Path) -> None:
    """Deletes the finished log of an unfinished one's name, or the other way round."""
    is_packed = path.name.endswith(FINISHED_SUFFIX)
    name = path.name.removesuffix(FINISHED_SUFFIX if is_packed else SUFFIX)
    path.with_name(name + (SUFFIX if is_packed else FINISHED_SUFFIX)).unlink(missing_ok=True)


def finished_path(path: Path) -> Path | None:
    """The path of the finished log of this name; None if it is not finished."""
    target = path if path.name.endswith(FINISHED_SUFFIX) else packed_path(path)
    return target if target.exists() else None


@contextmanager
def open_log(path: Path, header: RunHeader) -> Iterator[Log]:
    """Opens a log for writing, by one process at a time: an existing one, which keeps its header, or a new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LogError(f"{path} is being written by another process") from None
        target = finished_path(path)
        if target is not None:  # the JSON lines were left by a kill, or have just been created by open()
            path.unlink(missing_ok=True)
            yield read(target)
            return
        if b"\n" not in path.read_bytes():  # new, or truncated within its header
            _start(path, header)
        log = read(path)
        if log.finished:
            log.finish()
        yield log


def _start(path: Path, header: RunHeader) -> None:
    with path.open("r+b") as stream:
        stream.truncate(0)
        stream.write(encode_lines([{"format": FORMAT, "header": header.model_dump(mode="json")}], "")[0])


def read(path: str | Path, brief: bool = False) -> Log:
    """Reads a log up to its last valid line; an incomplete last line is ignored.

    With `brief`, only the last attempt at each task, which is much faster.
    """
    file = Path(path)
    if file.name.endswith(FINISHED_SUFFIX):
        return _read_finished(file, brief)
    try:
        found = decode_lines(read_bytes(file, MOST_BYTES), file)
    except BoundError as error:
        raise LogError(f"{path}: {error}") from None
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from None
    except LinesError as error:
        raise LogError(str(error)) from None
    header = _header(file, found.rows[0] if found.rows else None)
    log = Log(file, header, valid_bytes=found.size, last_digest=found.last_digest)
    for number, row in enumerate(found.rows[1:], start=2):
        if not log.add_line(row):
            raise LogError(f"{path}, line {number}: it does not follow from the lines before it; start a new run")
    log.sort()
    if brief:
        log.tasks = {task: rows[-1:] for task, rows in log.tasks.items()}
    return log


def write_finished(log: Log, path: Path) -> None:
    """Writes all tasks of a log as a finished one, whole or not at all."""
    lines: list[Row] = [{"format": FORMAT, "header": log.header.model_dump(mode="json")}]
    for task, rows in log.tasks.items():
        values = {name: [row[name] for row in rows] for name in log.columns}
        lines.append({"task": task, "given_up": log.given_up.get(task, ""), **values})
    with whole_file(path) as partial, partial.open("wb") as stream:
        stream.write(pack_lines(map(_compact, lines)))
        stream.flush()
        os.fsync(stream.fileno())


def pack_lines(lines: Iterable[bytes]) -> bytes:
    """The content of a finished log with these lines: a header, and one for each task."""
    parts = [line + b"\n" for line in lines]
    content = b"".join(parts)
    end = {"finished": len(parts) - 1, "sha256": sha256(content).hexdigest()}
    return gzip.compress(content + _compact(end) + b"\n", mtime=0)


def _compact(line: Row) -> bytes:
    return json.dumps(line, separators=(",", ":"), allow_nan=False).encode()


def _read_finished(path: Path, brief: bool) -> Log:
    try:
        packed = read_bytes(path, MOST_PACKED)
        memory = MEMORY + MEMORY_PER_BYTE * len(packed)
        lines = _checked_lines(decompressed(packed, memory, "gzip"), memory)
    except OSError as error:
        raise LogError(f"{path}: {error.strerror or error}") from None
    except BoundError as error:
        raise LogError(f"{path}: {error}") from None
    log = Log(path, _header(path, next(lines, None)), finished=True)
    columns = log.columns
    most_rows = memory // (ROW_MEMORY + VALUE_MEMORY * len(columns))
    for line in lines:
        rows = _rows_of_line(line, columns, most_rows)
        if rows is None or line["task"] in log.tasks:
            raise LogError(f"{path}: damaged: the line of task {str(line.get('task'))[:60]!r} is not one of a log")
        most_rows -= len(rows)
        log.tasks[line["task"]] = rows[-1:] if brief else rows
        if line["given_up"]:
            log.given_up[line["task"]] = line["given_up"]
    return log


def _checked_lines(content: bytes, memory: int) -> Iterator[Row]:
    """The lines of a finished log but the last, which has their number and digest; a BoundError if it does not fit."""
    before, _, last = content.removesuffix(b"\n").rpartition(b"\n")
    before += b"\n"
    end = _row_or_nothing(last)
    if set(end) != {"finished", "sha256"}:
        raise BoundError("not a finished run log: it has no digest of its content")
    if end["sha256"] != sha256(before).hexdigest() or end["finished"] != before.count(b"\n") - 1:
        raise BoundError(
            "damaged: its content differs from its digest; restore it from a copy, or delete it and run again"
        )
    if json_memory(content) > memory:
        raise BoundError(f"its rows would take more than {memory >> 20:,} MiB of memory")
    return map(_row_or_nothing, BytesIO(before))


def _row_or_nothing(line: bytes) -> Row:
    """The object of a line; an empty one if it is none."""
    try:
        row = json_value(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def _rows_of_line(line: Row, columns: Mapping[str, str], most: int) -> list[Row] | None:
    """The attempts of a line of a finished log; None if it is no such line, or has more than `most` attempts."""
    task, reason = line.get("task"), line.get("given_up")
    lists = [value for name in columns if isinstance(value := line.get(name), list)]
    if len(line) != len(columns) + 2 or not isinstance(task, str) or not isinstance(reason, str):
        return None
    if len(lists) < len(columns) or len(set(map(len, lists))) > 1 or len(lists[0]) > most:
        return None
    rows = [{"task": task, **dict(zip(columns, attempt, strict=True))} for attempt in zip(*lists, strict=True)]
    return rows if all(is_attempt(row, columns) for row in rows) else None


def _header(path: Path, meta: Row | None) -> RunHeader:
    """The header, from the first line of a file."""
    if meta is None or meta.get("format") != FORMAT:
        raise LogError(f"{path}: not a run log: it has no undamaged header of format {FORMAT}")
    said = meta.get("header")
    unknown = [name for name in said if name not in RunHeader.model_fields] if isinstance(said, dict) else []
    if unknown:  # Pydantic would list every one
        raise LogError(f"{path}: its header is damaged: {unknown[0][:60]}: there is no such field")
    try:
        return RunHeader.model_validate(said).read_from(path)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "header"
        raise LogError(f"{path}: its header is damaged: {where}: {first['msg']}") from None


def logs_in(places: Iterable[str | Path], brief: bool = False) -> tuple[list[Log], list[str]]:
    """The logs among files and, recursively, in folders, sorted by path; and messages about files that can't be read.

    A file that is listed itself must be a log, else LogError is raised; duplicates count once. `brief` as for `read`.
    """
    logs: dict[Path, Log] = {}
    problems: list[str] = []
    for place in map(Path, places):
        for file in log_files(place) if place.is_dir() else [place]:
            try:
                log = read(finished_path(file) or file, brief)  # it may have been finished meanwhile
            except LogError as error:
                if file is place:
                    raise
                problems.append(str(error))
            else:
                logs.setdefault(log.path.resolve(), log)
    return list(logs.values()), problems


def log_files(folder: Path) -> list[Path]:
    """All logs below a folder, without temporary (hidden) files and logs that are also there as finished ones."""
    files = sorted(file for suffix in (SUFFIX, FINISHED_SUFFIX) for file in folder.rglob(f"*{suffix}"))
    visible = [file for file in files if not file.name.startswith(".")]
    return [file for file in visible if finished_path(file) in (None, file)]
