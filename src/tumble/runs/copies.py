"""Copies of run logs: the same run, found in several files."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tumble.runs.archive import FIELDS
from tumble.runs.header import RunHeader
from tumble.runs.log import Log, Row
from tumble.runs.run_spec import AGENT_DIGEST


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
        same_spec = kept.setdefault(_identity(log.header, no_effect), [])
        used = next((other for other in same_spec if _agree(other, log) or _agree(log, other)), None)
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


def _identity(header: RunHeader, no_effect: Collection[str]) -> str:
    spec = {name: value for name, value in header.spec.items() if name not in no_effect}
    if header.digests.get(AGENT_DIGEST):
        spec["agent"] = Path(header.agent).name  # the same file in another folder is the same agent
    return json.dumps([header.benchmark, spec, header.digests, header.task_count, header.physics], sort_keys=True)


def _agree(whole: Log, part: Log) -> bool:
    """Whether all tasks of a log are in another one, with the same attempts."""
    return all(
        (rows := whole.tasks.get(task)) is not None and len(rows) == len(own) and all(map(_same, rows, own))
        for task, own in part.tasks.items()
    )


def _same(row: Row, other: Row) -> bool:
    """Whether two rows are of the same attempt; what else they say is not part of it."""
    return _attempt(row) == _attempt(other)


def _attempt(row: Row) -> list[Any]:
    return [row.get(name) for name in FIELDS]
