"""A run log: a header and a row for each attempt. While it is written, lines of JSON; when finished, Parquet.

Lines are only ever added at the end, so a log that was cut off anywhere is read up to its last whole line, and a run
that was killed goes on behind its last finished task.

    {"format": "tumble-run-1", "benchmark": "phyre", "agent": "mem", "physics": "tumble-2d-1", …}
    {"task": "00003:017", "attempt": 1, "action": [0.4, 0.7, 0.2], "status": -1, "steps": 1000}
    {"task": "00003:017", "done": 1}
    …
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tumble.runs import archive

FORMAT = "tumble-run-1"
SUFFIX = ".jsonl"

Row = dict[str, Any]


class LogError(ValueError):
    """A file that is no run log, or can't be gone on with."""


@dataclass
class Log:
    """A run log as it was read: the rows of its finished tasks, in their order."""

    path: Path
    header: Row
    tasks: dict[str, list[Row]] = field(default_factory=dict)
    finished: bool = False
    whole_bytes: int = 0
    """Where the last finished task ends in the file."""

    def rows(self) -> Iterator[Row]:
        """All attempts."""
        for rows in self.tasks.values():
            yield from rows

    def add_task(self, task: str, rows: Sequence[Row]) -> None:
        """Adds the attempts at a task that is finished."""
        if task in self.tasks:
            raise LogError(f"{self.path}: task {task} is there already")
        kept = [{"task": task, **row} for row in rows]
        self._append([*kept, {"task": task, "done": len(kept)}])
        self.tasks[task] = kept

    def finish(self) -> None:
        """Turns the lines into a Parquet file beside them: nothing will follow."""
        target = self.path.with_suffix(archive.SUFFIX)
        archive.write(target, self.header, self.rows(), [task for task, rows in self.tasks.items() if not rows])
        self.path.unlink()
        self.path, self.finished = target, True

    def _append(self, rows: Iterable[Row]) -> None:
        text = "".join(_line(row) for row in rows).encode()
        with self.path.open("r+b") as stream:
            stream.truncate(self.whole_bytes)
            stream.seek(self.whole_bytes)
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        self.whole_bytes += len(text)


def create(path: Path, header: Row) -> Log:
    """A new log with its header; an error where there is a file already."""
    text = _line({"format": FORMAT, **header})
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise LogError(f"{path} is there already") from None
    return Log(path, {"format": FORMAT, **header}, whole_bytes=len(text.encode()))


def read(path: str | Path) -> Log:
    """A log up to its last finished task; what follows that was cut off and does not count."""
    file = Path(path)
    if file.suffix == archive.SUFFIX:
        return _read_finished(file)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from None
    lines = raw.split(b"\n")[:-1]  # the last piece is no whole line
    header = _parsed(lines[0]) if lines else None
    if header is None or header.get("format") != FORMAT:
        raise LogError(f"{path}: no run log: its first line is no header of format {FORMAT}")
    log = Log(file, header, whole_bytes=len(lines[0]) + 1)
    _read_tasks(log, lines[1:])
    return log


def _read_finished(path: Path) -> Log:
    try:
        header, rows, unattempted = archive.read(path)
    except ValueError as error:
        raise LogError(str(error)) from None
    tasks: dict[str, list[Row]] = {task: [] for task in unattempted}
    for row in rows:
        tasks.setdefault(row["task"], []).append(row)
    return Log(path, header, tasks, finished=True)


def existing(path: Path) -> Path | None:
    """Where the log of this name is, finished or not."""
    return next((file for file in (path.with_suffix(archive.SUFFIX), path) if file.exists()), None)


def _read_tasks(log: Log, lines: list[bytes]) -> None:
    place = log.whole_bytes
    open_rows: list[Row] = []
    for line in lines:
        row = _parsed(line)
        place += len(line) + 1
        if row is None:
            return
        if "done" in row:
            if len(open_rows) != row["done"] or any(kept["task"] != row["task"] for kept in open_rows):
                return
            log.tasks[row["task"]] = open_rows
            log.whole_bytes, open_rows = place, []
        else:
            open_rows.append(row)


def logs_in(folders: Iterable[str | Path]) -> list[Log]:
    """All logs in folders and below, or files named themselves; in the order of their paths."""
    files: list[Path] = []
    for folder in map(Path, folders):
        if not folder.exists():
            raise LogError(f"{folder} does not exist")
        found = (file for suffix in (SUFFIX, archive.SUFFIX) for file in folder.rglob(f"*{suffix}"))
        files += sorted(found) if folder.is_dir() else [folder]
    return [read(file) for file in files]


def _line(row: Row) -> str:
    return json.dumps(row, separators=(",", ":"), allow_nan=False) + "\n"


def _parsed(line: bytes) -> Row | None:
    """A line as a row; None where it is damaged."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
