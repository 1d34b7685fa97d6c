"""A run log: a header and a row for each attempt. JSON lines while it is written, Parquet when it is finished.

Lines are only appended, as soon as attempts are made, so a log that was truncated at any byte is read up to its last
whole line, and a run that was killed resumes there. Rows of several tasks may alternate; `index` is the position of a
task in the run's order, `given_up` says why an agent gave it up. (A power cut may lose the last seconds: only
finished logs are synced to disk.)

    {"format": "tumble-run-3", "header": {"benchmark": "…", "spec": {"agent": "…", …}, …}, "sha256": "…"}
    {"task": "00003:017", "attempt": 1, "action": [0.4, 0.7, 0.2], "status": -1, "steps": 1000, "sha256": "…"}
    {"task": "00003:017", "done": 1, "index": 0, "given_up": "", "sha256": "…"}
    …
    {"finished": 100, "sha256": "…"}

Each line ends with the beginning of the SHA-256 of the digest before it and of its own content, so that a change
anywhere in a file is noticed. The line of a task that is done may have `counts`, such as tokens by kind; their sums
over tasks are in the header's details when the log is read.
"""

import fcntl
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tumble.bounded import BoundError, json_value, read_bytes
from tumble.errors import TumbleError
from tumble.runs import archive
from tumble.runs.header import RunHeader

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
    texts = (json.dumps(row, separators=(",", ":"), allow_nan=False).encode() for row in rows)
    return chain_lines(texts, last_digest)


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


FORMAT = "tumble-run-3"
SUFFIX = ".jsonl"
MOST = {"attempt": 2**31, "status": 2**7, "steps": 2**31}
"""The whole numbers of a row are smaller, also without their sign."""
MOST_BYTES = 1 << 30
"""Of a log as JSON lines."""
MOST_NUMBER = 1e300
"""The numbers of an action likewise."""


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
            own_rows = [{"task": update.task, **row} for row in update.rows]
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

    def discard(self, task: str) -> None:
        """Discards the attempts at an open task."""
        self._write([{"task": task, "discarded": len(self.open_tasks.pop(task))}])

    def finish(self) -> None:
        """Finishes the log: converts it to a Parquet file, if pyarrow is installed."""
        if not self.finished:
            self._write([{"finished": len(self.tasks)}])
            self.finished = True
        self.sort()
        if self.path.suffix == archive.SUFFIX:
            return
        target = self.path.with_suffix(archive.SUFFIX)
        header = self.header.model_dump(mode="json")
        meta = {"format": FORMAT, "header": header, "tasks": list(self.tasks), "given_up": self.given_up}
        try:
            archive.write(target, meta, self.rows())
        except ImportError:
            return
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
            return _is_attempt(row)
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


def _is_attempt(row: Row) -> bool:
    """Whether a row has all fields of an attempt, with values of their types; further fields are text."""
    action = row.get("action")
    unknown = [archive.OPTIONAL] if row.get(archive.OPTIONAL, "") is None else []
    return (
        all(type(row.get(name)) is int and abs(row[name]) < most for name, most in MOST.items() if name not in unknown)
        and isinstance(action, list)
        and all(type(one) in (int, float) and abs(one) < MOST_NUMBER for one in action if one is not None)
        and isinstance(row.get("task"), str)
        and all(value is None or isinstance(value, str) for name, value in row.items() if name not in archive.FIELDS)
    )


def _are_counts(value: object) -> bool:
    """Whether a value is a table of tables of whole numbers."""
    return isinstance(value, dict) and all(
        isinstance(numbers, dict) and all(type(number) is int for number in numbers.values())
        for numbers in value.values()
    )


def finished_path(path: Path) -> Path | None:
    """The path of the finished log of this name; None if it is not finished."""
    target = path.with_suffix(archive.SUFFIX)
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
    if file.suffix == archive.SUFFIX:
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


def _read_finished(path: Path, brief: bool) -> Log:
    try:
        meta, rows = archive.read(path, brief)
    except archive.ArchiveError as error:
        raise LogError(str(error)) from None
    header = _header(path, meta)
    tasks: dict[str, list[Row]] = {task: [] for task in meta["tasks"]}
    for row in rows:
        tasks.setdefault(row["task"], []).append(row)
    return Log(path, header, tasks, finished=True, given_up=meta["given_up"])


def _header(path: Path, meta: Row | None) -> RunHeader:
    """The header, from the first line of a file or from its metadata."""
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
    """All logs below a folder, without temporary (hidden) files and JSON lines that are also there as Parquet."""
    files = sorted(file for suffix in (SUFFIX, archive.SUFFIX) for file in folder.rglob(f"*{suffix}"))
    visible = [file for file in files if not file.name.startswith(".")]
    return [file for file in visible if file.suffix == archive.SUFFIX or finished_path(file) is None]
