"""Runs the agent of a log again, and stops at the first action that the log does not have."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tumble.benchmark import Benchmark, no_progress
from tumble.runs.archive import FIELDS
from tumble.runs.log import Log, LogError, Row, TaskUpdate
from tumble.runs.run import spec_of

SAME = 1e-13
"""Relative difference of equal numbers of actions: functions like atan2 differ in the last bit between machines."""


@dataclass
class _ComparedLog(Log):
    """A log in memory that takes only what another log has."""

    expected: dict[str, list[Row]] = field(default_factory=dict)

    def append(self, updates: Iterable[TaskUpdate]) -> None:
        for update in updates:
            expected = {row["attempt"]: row for row in self.expected.get(update.task, [])}
            for row in update.rows:  # in the order in which they ended
                logged = expected.get(row["attempt"])
                if logged is None or not _same(row["action"], logged["action"]) or _texts(row) != _texts(logged):
                    raise self._other(f"task {update.task}, attempt {row['attempt']}")
            super().append([update])
            if update.done and len(self.tasks[update.task]) < len(expected):
                raise self._other(f"task {update.task}: {len(self.tasks[update.task])} attempts, not {len(expected)}")

    def _other(self, where: str) -> LogError:
        return LogError(f"it replays, but {self.header.agent} does something else when it is run again: {where}")

    def _write(self, rows: Iterable[Row]) -> None:
        """Nothing is written."""


def run_again(benchmark: Benchmark, log: Log) -> None:
    """Raises LogError unless the agent of a log chooses the same actions when it is run again."""
    again = _ComparedLog(Path(), log.header, expected=log.tasks)
    benchmark.evaluate(spec_of(log, benchmark.spec), again, no_progress, 0)
    if again.given_up != log.given_up:
        raise LogError(f"its {log.header.agent} gives up other tasks, or for other reasons, when it is run again")


def _texts(row: Row) -> dict[str, object]:
    """What a benchmark's rows have besides the fields of all logs."""
    return {name: value for name, value in row.items() if name not in FIELDS and value is not None}


def _same(action: Sequence[float | None], other: Sequence[float | None]) -> bool:
    return len(action) == len(other) and all(
        a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=SAME))
        for a, b in zip(action, other, strict=True)
    )
