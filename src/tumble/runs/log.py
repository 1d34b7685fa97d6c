"""A run log: a header and a row for each attempt. JSON lines while it is written, Parquet when it is finished.

Lines are only appended, so a log that was truncated at any byte is read up to its last finished task, and a run that
was killed resumes there. (A power cut may lose the last seconds: only finished logs are synced to disk.)

    {"format": "tumble-run-2", "header": {"benchmark": "…", "spec": {"agent": "…", …}, …}}
    {"task": "00003:017", "attempt": 1, "action": [0.4, 0.7, 0.2], "status": -1, "steps": 1000}
    {"task": "00003:017", "done": 1}
    …
    {"finished": 100}
"""

import fcntl
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tumble.errors import TumbleError
from tumble.runs import archive
from tumble.runs.header import RunHeader

FORMAT = "tumble-run-2"
SUFFIX = ".jsonl"

Row = dict[str, Any]


class LogError(TumbleError):
    """A file that is not a run log, or that can't be resumed."""


@dataclass
class Log:
    """A run log: its header and the rows of its finished tasks, in order."""

    path: Path
    header: RunHeader
    tasks: dict[str, list[Row]] = field(default_factory=dict)
    finished: bool = False
    valid_bytes: int = 0
    """The position in the file where the last finished task ends."""

    def rows(self) -> Iterator[Row]:
        """The rows of all attempts."""
        for rows in self.tasks.values():
            yield from rows

    def add_task(self, task: str, rows: Sequence[Row]) -> None:
        """Appends the attempts at a finished task."""
        if task in self.tasks:
            raise LogError(f"{self.path}: it already has task {task}")
        own_rows = [{"task": task, **row} for row in rows]
        self._append([*own_rows, {"task": task, "done": len(own_rows)}])
        self.tasks[task] = own_rows

    def finish(self) -> None:
        """Finishes the log: converts it to a Parquet file, if pyarrow is installed."""
        if not self.finished:
            self._append([{"finished": len(self.tasks)}])
            self.finished = True
        if self.path.suffix == archive.SUFFIX:
            return
        target = self.path.with_suffix(archive.SUFFIX)
        meta = {"format": FORMAT, "header": self.header.model_dump(mode="json"), "tasks": list(self.tasks)}
        try:
            archive.write(target, meta, self.rows())
        except ImportError:
            return
        self.path.unlink()
        self.path = target

    def _append(self, rows: Iterable[Row]) -> None:
        text = "".join(_line(row) for row in rows).encode()
        with self.path.open("r+b") as stream:
            stream.truncate(self.valid_bytes)
            stream.seek(self.valid_bytes)
            stream.write(text)
        self.valid_bytes += len(text)


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
        stream.write(_line({"format": FORMAT, "header": header.model_dump(mode="json")}).encode())


def read(path: str | Path, brief: bool = False) -> Log:
    """Reads a log up to its last finished task; anything after it was truncated and is ignored.

    With `brief`, only the last attempt at each task, which is much faster.
    """
    file = Path(path)
    if file.suffix == archive.SUFFIX:
        return _read_finished(file, brief)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from None
    lines = raw.split(b"\n")[:-1]  # the last piece is incomplete
    log = Log(file, _header(file, _parse(lines[0]) if lines else None), valid_bytes=len(lines[0]) + 1 if lines else 0)
    _read_tasks(log, lines[1:])
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
    return Log(path, header, tasks, finished=True)


def _header(path: Path, meta: Row | None) -> RunHeader:
    """The header, from the first line of a file or from its metadata."""
    if meta is None or meta.get("format") != FORMAT:
        raise LogError(f"{path}: not a run log: it has no header of format {FORMAT}")
    try:
        return RunHeader.model_validate(meta.get("header"))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "header"
        raise LogError(f"{path}: its header is damaged: {where}: {first['msg']}") from None


def _read_tasks(log: Log, lines: list[bytes]) -> None:
    position = log.valid_bytes
    open_rows: list[Row] = []
    for line in lines:
        row = _parse(line)
        position += len(line) + 1
        if row is None:
            return
        if "finished" in row:
            if not open_rows and row["finished"] == len(log.tasks):
                log.finished, log.valid_bytes = True, position
            return
        if "done" in row:
            if len(open_rows) != row["done"] or any(one.get("task") != row.get("task") for one in open_rows):
                return
            log.tasks[str(row.get("task"))] = open_rows
            log.valid_bytes, open_rows = position, []
        elif all(name in row for name in archive.FIELDS):
            open_rows.append(row)
        else:
            return


def logs_in(places: Iterable[str | Path], brief: bool = False) -> tuple[list[Log], list[str]]:
    """The logs among files and, recursively, in folders, sorted by path; and messages about files that can't be read.

    A file that is listed itself must be a log, else LogError is raised; duplicates count once. `brief` as for `read`.
    """
    logs: dict[Path, Log] = {}
    problems: list[str] = []
    for place in map(Path, places):
        for file in _log_files(place) if place.is_dir() else [place]:
            try:
                log = read(finished_path(file) or file, brief)  # it may have been finished meanwhile
            except LogError as error:
                if file is place:
                    raise
                problems.append(str(error))
            else:
                logs.setdefault(log.path.resolve(), log)
    return list(logs.values()), problems


def _log_files(folder: Path) -> list[Path]:
    """All logs below a folder, without temporary (hidden) files and JSON lines that are also there as Parquet."""
    files = sorted(file for suffix in (SUFFIX, archive.SUFFIX) for file in folder.rglob(f"*{suffix}"))
    visible = [file for file in files if not file.name.startswith(".")]
    return [file for file in visible if file.suffix == archive.SUFFIX or finished_path(file) is None]


def _line(row: Row) -> str:
    return json.dumps(row, separators=(",", ":"), allow_nan=False) + "\n"


def _parse(line: bytes) -> Row | None:
    """The row of a line; None if it is damaged."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
