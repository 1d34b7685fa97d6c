"""The index of a folder of run logs: files are known by an id, and read again only where they have changed.

Reading is done in a thread of its own, log by log, so that other pages are served meanwhile, and the first logs are
listed while the last are still read. A few logs are kept in few bytes: the attempts of 100,000 rows as columns.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from math import isnan, nan
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from tumble.errors import TumbleError
from tumble.runs.header import RunHeader
from tumble.runs.log import SUFFIX, Log, Row, log_files, read
from tumble.web.pages import Replays
from tumble.web.responses import WebError
from tumble.web.watch_entry import RunEntry, check_size, problem_text, read_entry

MOST_KEPT_LOGS = 6
"""That are kept."""


class CompactLog:
    """The rows of a log by task, with the values of each column in arrays: about 50 bytes for an attempt."""

    def __init__(self, log: Log) -> None:
        tasks = {**log.tasks, **log.open_tasks}
        rows = [row for own in tasks.values() for row in own]
        self.header: RunHeader = log.header
        ends: list[int] = np.cumsum([len(own) for own in tasks.values()], dtype=np.int64).tolist()
        self._span = {task: (end - len(own), end) for (task, own), end in zip(tasks.items(), ends, strict=True)}
        self._columns = {name: _column([row[name] for row in rows], kind) for name, kind in log.columns.items()}

    def __contains__(self, task: object) -> bool:
        return task in self._span

    def count(self, task: str) -> int:
        """The number of attempts at a task."""
        first, end = self._span[task]
        return end - first

    def rows(self, task: str, first: int = 0, most: int | None = None) -> list[Row]:
        """Attempts at a task as they are in the log, from number `first` (0 is the first of all) on."""
        begin, end = self._span[task]
        begin = min(end, begin + first)
        return [self._row(task, k) for k in range(begin, end if most is None else min(end, begin + most))]

    def attempt(self, task: str, number: int) -> Row | None:
        """The attempt with a number; None if there is none."""
        begin, end = self._span[task]
        found = next((k for k in range(begin, end) if self._columns["attempt"](k) == number), None)
        return None if found is None else self._row(task, found)

    def _row(self, task: str, k: int) -> Row:
        return {"task": task, **{name: value(k) for name, value in self._columns.items()}}


def _column(values: Sequence[Any], kind: str) -> Callable[[int], Any]:
    """A function of the place of a value in a column, which is kept in few bytes; equal texts are stored once."""
    if kind in ("numbers", "flags"):
        ends = np.cumsum([0, *map(len, values)], dtype=np.int64)
        flat = _column([one for value in values for one in value], "number?" if kind == "numbers" else "whole")
        read = bool if kind == "flags" else (lambda one: one)
        return lambda k: [read(flat(at)) for at in range(ends[k], ends[k + 1])]
    if kind.startswith("text"):
        known: dict[str | None, str | None] = {}
        return [known.setdefault(text, text) for text in values].__getitem__
    numbers = np.array([nan if value is None else value for value in values], np.float64)
    whole = kind.startswith("whole")
    return lambda k: None if isnan(numbers[k]) else int(numbers[k]) if whole else float(numbers[k])


class LogStore:
    """The logs that were opened last. Used by one thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, int], CompactLog] = OrderedDict()

    def open(self, path: Path) -> CompactLog:
        """A log, read again if its file has changed."""
        stat = path.stat()
        key = (str(path), stat.st_size, stat.st_mtime_ns)
        if key not in self._kept:
            check_size(path, stat.st_size)
            self._kept[key] = CompactLog(read(path))
            if len(self._kept) > MOST_KEPT_LOGS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


ID_DIGITS = 16
MOST_LISTED_LOGS = 20_000
"""That are listed."""
SCAN_SECONDS = 1.0
"""Between two scans of the folder for an unknown run."""
GONE = "there is no such run: its log may have been moved or deleted"
WAIT_SECONDS = 1.5
"""That a list waits for logs that are being read."""

T = TypeVar("T")
Stamp = tuple[str, int, int]
"""A file's name, size and time: what is known of it holds while these are the same."""


def run_id_of(name: str) -> str:
    """The id of a log: the same while it is written and when it is finished, which changes its suffix.

    >>> run_id_of("a/run.jsonl") == run_id_of("a/run.jsonl.gz")
    True
    """
    return sha256(name.removesuffix(".gz").removesuffix(SUFFIX).encode("utf-8", "surrogateescape")).hexdigest()[
        :ID_DIGITS
    ]


class RunIndex:
    """The logs of a folder. All methods but `close` and those that start with _ are called on the event loop."""

    def __init__(self, folder: Path, replays: Mapping[str, Replays]) -> None:
        self._folder = folder
        self._replays = replays
        self._paths: dict[str, Path] = {}
        self._entries: dict[str, tuple[Stamp, RunEntry]] = {}
        self._scanned = -SCAN_SECONDS
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="watch-index")
        self._opener = ThreadPoolExecutor(1, thread_name_prefix="watch")
        self._reading: Future[None] | None = None
        self._store = LogStore()

    def close(self) -> None:
        """Ends the threads when they have finished what they are doing."""
        for threads in (self._reader, self._opener):
            threads.shutdown(wait=False, cancel_futures=True)

    async def entries(self) -> tuple[list[RunEntry], int]:
        """What is known of all logs, those that changed read again; and how many are yet to be read."""
        if self._reading is None or self._reading.done():
            self._reading = self._reader.submit(self._refresh)
        reading = asyncio.wrap_future(self._reading)
        await asyncio.wait([reading], timeout=WAIT_SECONDS)
        if reading.done():
            reading.result()
        paths, known = self._paths, self._entries  # the thread may replace both
        entries = [known[run][1] for run in paths if run in known]
        return entries, len(paths) - len(entries)

    async def entry(self, run: str) -> RunEntry:
        """A run by its id, as its file is now; a WebError with status 404 if there is none."""
        return await self._in_thread(lambda: self._current(run)[1])

    async def log(self, run: str) -> CompactLog:
        """The attempts of a run; a TumbleError if its file can't be read."""
        return await self._in_thread(lambda: self._open(run))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._opener, work)

    def _refresh(self) -> None:
        self._scan()
        for run, path in self._paths.items():
            self._read(run, path)

    def _scan(self) -> None:
        """Lists the files of the folder."""
        files = [file for file in log_files(self._folder) if file.is_file()][:MOST_LISTED_LOGS]
        paths = {run_id_of(file.relative_to(self._folder).as_posix()): file for file in files}
        self._paths = paths
        self._entries = {run: known for run, known in self._entries.items() if run in paths}
        self._scanned = monotonic()

    def _read(self, run: str, path: Path) -> RunEntry:
        """The entry of a listed log."""
        name = path.relative_to(self._folder).as_posix()
        stamp = _stamp(path, name)
        known = self._entries.get(run)
        if known is None or known[0] != stamp:
            known = (stamp, read_entry(path, name, run, self._replays))
            self._entries[run] = known
        return known[1]

    def _current(self, run: str) -> tuple[Path, RunEntry]:
        path = self._paths.get(run)
        if (path is None or not path.is_file()) and monotonic() - self._scanned > SCAN_SECONDS:
            self._scan()  # it may be new, or finished meanwhile
            path = self._paths.get(run)
        if path is None:
            raise WebError(404, GONE)
        return path, self._read(run, path)

    def _open(self, run: str) -> CompactLog:
        path, entry = self._current(run)
        if entry.header is None:
            raise WebError(422, f"{entry.name}: {entry.problem}")
        try:
            return self._store.open(path)
        except TumbleError as error:
            raise WebError(422, f"{entry.name}: {problem_text(error, path)}") from None
        except OSError:
            raise WebError(404, GONE) from None


def _stamp(path: Path, name: str) -> Stamp:
    try:
        stat = path.stat()
    except OSError:
        return name, -1, 0
    return name, stat.st_size, stat.st_mtime_ns
