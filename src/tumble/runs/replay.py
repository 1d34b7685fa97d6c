"""Logs compared: the replay of a log with what it says, and logs of the same run that are in several files."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tumble.progress import Advance
from tumble.runs.header import RunHeader
from tumble.runs.log import Log, Row
from tumble.runs.spec import AGENT_DIGEST


def first_replay_difference(
    log: Log,
    known_ids: Sequence[str],
    problem: Callable[[str, Sequence[Row]], str],
    replay: Callable[[Sequence[Row]], Sequence[Row]],
    batch_size: int,
    advance: Advance,
) -> str:
    """Describes the first difference between a log and its replay; empty if there is none.

    `problem` describes what is invalid about the attempts at a task, independent of physics; `replay` repeats a batch
    of attempts and returns the fields to compare of each. A field that is None in the log was not recorded.
    """
    known = set(known_ids)
    for task_id, rows in log.tasks.items():
        message = problem(task_id, rows) if task_id in known else "is not one of this run's tasks"
        if message:
            return f"task {task_id} {message}"
    rows = list(log.rows())
    for first in range(0, len(rows), batch_size):
        batch = rows[first : first + batch_size]
        for row, again in zip(batch, replay(batch), strict=True):
            message = row_difference(row, again)
            if message:
                return f"task {row['task']}, attempt {row['attempt']}: {message}"
        advance(len(batch))
    return ""


def row_difference(row: Row, again: Row) -> str:
    """Describes where a row differs from its replay; empty if it does not. A field that is None was not recorded.

    >>> row_difference({"status": 1, "steps": None}, {"status": -1, "steps": 1000})
    'the log says status 1; replayed: status -1'
    """
    names = [name for name, value in again.items() if row.get(name) is not None and row[name] != value]
    if not names:
        return ""
    logged = ", ".join(f"{name} {row[name]}" for name in names)
    replayed = ", ".join(f"{name} {again[name]}" for name in names)
    return f"the log says {logged}; replayed: {replayed}"


def numbering_problem(rows: Sequence[Row]) -> str:
    """Describes what is wrong with the numbers of the attempts at a task; empty if they count from 1."""
    expected = list(range(1, len(rows) + 1))
    return "" if [row["attempt"] for row in rows] == expected else "has attempts that are not numbered 1, 2, …"


@dataclass(frozen=True)
class Copy:
    """A file with the same run as another one, which is used."""

    path: Path
    used: Path

    @property
    def text(self) -> str:
        return f"{self.used} and {self.path} are logs of the same run, which counts once"


def without_copies(
    logs: Sequence[Log], no_effect: Collection[str], proved: Collection[Path] = ()
) -> tuple[list[Log], list[Copy]]:
    """The logs without copies, in their order, and the copies.

    Logs are of the same run if they have the same attempts under the same specification (all but its fields
    `no_effect`), whatever else their headers say. Of these that one is used whose path is in `proved`, then one that is
    finished and has all of its tasks, then, of parts of a run, the longest, and then the first in the order of `logs`.
    """
    kept: dict[str, list[Log]] = {}
    copies = []
    for log in sorted(logs, key=lambda log: (log.path not in proved, not _is_whole(log), _missing(log))):
        same_spec = kept.setdefault(_identity_of_run(log.header, no_effect), [])
        used = next((other for other in same_spec if _has_all_of(other, log) or _has_all_of(log, other)), None)
        if used is None:
            same_spec.append(log)
        else:
            copies.append(Copy(log.path, used.path))
    used_paths = {log.path for same_spec in kept.values() for log in same_spec}
    return [log for log in logs if log.path in used_paths], copies


def _is_whole(log: Log) -> bool:
    return log.finished and len(log.tasks) == log.header.task_count


def _missing(log: Log) -> int:
    """Ranks parts of a run, the longest first; whole runs are equal."""
    return 0 if _is_whole(log) else -len(log.tasks)


def _identity_of_run(header: RunHeader, no_effect: Collection[str]) -> str:
    spec = {name: value for name, value in header.spec.items() if name not in no_effect}
    if header.digests.get(AGENT_DIGEST):
        spec["agent"] = Path(header.agent).name  # the same file in another folder is the same agent
    return json.dumps([header.benchmark, spec, header.digests, header.task_count, header.physics], sort_keys=True)


def _has_all_of(whole: Log, part: Log) -> bool:
    """Whether all tasks of a log are in another one, with the same attempts."""
    names = ["attempt", "status", *whole.header.attempt_columns]
    return all(
        (rows := whole.tasks.get(task)) is not None
        and [[row.get(name) for name in names] for row in rows] == [[row.get(name) for name in names] for row in own]
        for task, own in part.tasks.items()
    )
