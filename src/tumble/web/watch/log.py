"""Run logs in few bytes: the attempts of 100,000 rows as columns, a few of which are kept."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from math import isnan, nan
from pathlib import Path

import numpy as np

from tumble.runs.archive import FIELDS
from tumble.runs.header import RunHeader
from tumble.runs.log import Log, Row, read
from tumble.web.watch.entry import check_size

MOST_LOGS = 6
"""That are kept."""


class CompactLog:
    """The rows of a log by task: about 50 bytes for an attempt, and its further texts once each."""

    def __init__(self, log: Log) -> None:
        tasks = {**log.tasks, **log.open_tasks}
        rows = [row for own in tasks.values() for row in own]
        self.header: RunHeader = log.header
        ends: list[int] = np.cumsum([len(own) for own in tasks.values()], dtype=np.int64).tolist()
        self._span = {task: (end - len(own), end) for (task, own), end in zip(tasks.items(), ends, strict=True)}
        self._attempt = np.array([row["attempt"] for row in rows], np.int32)
        self._status = np.array([row["status"] for row in rows], np.int8)
        self._steps = np.array([-1 if row.get("steps") is None else row["steps"] for row in rows], np.int32)
        self._numbers = np.array([nan if one is None else one for row in rows for one in row["action"]], np.float64)
        self._ends = np.cumsum([0, *(len(row["action"]) for row in rows)], dtype=np.int64)
        names = dict.fromkeys(name for row in rows for name in row if name not in FIELDS)
        self._texts = {name: _shared(row.get(name) for row in rows) for name in names}

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
        found = np.flatnonzero(self._attempt[begin:end] == number)
        return self._row(task, begin + int(found[0])) if len(found) else None

    def _row(self, task: str, k: int) -> Row:
        numbers = self._numbers[self._ends[k] : self._ends[k + 1]].tolist()
        steps = int(self._steps[k])
        return {
            "task": task,
            "attempt": int(self._attempt[k]),
            "action": [None if isnan(one) else one for one in numbers],
            "status": int(self._status[k]),
            "steps": None if steps < 0 else steps,
            **{name: texts[k] for name, texts in self._texts.items()},
        }


def _shared(texts: Iterable[str | None]) -> Sequence[str | None]:
    """The texts, with equal ones stored once."""
    known: dict[str | None, str | None] = {}
    return [known.setdefault(text, text) for text in texts]


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
            if len(self._kept) > MOST_LOGS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]
