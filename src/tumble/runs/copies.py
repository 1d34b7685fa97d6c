"""Copies of run logs: the same run, found in several files."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tumble.runs.header import RunHeader
from tumble.runs.log import Log
from tumble.runs.run_spec import AGENT_DIGEST


@dataclass(frozen=True)
class Copy:
    """A file with the same run as another one, which is used."""

    path: Path
    used: Path

    @property
    def text(self) -> str:
        return f"{self.used} and {self.path} are logs of the same run, which counts once"


def without_copies(logs: Sequence[Log], no_effect: Collection[str]) -> tuple[list[Log], list[Copy]]:
    """The logs without copies, in their order, and the copies.

    Logs are of the same run if their headers agree in all that can change a result (all but the fields `no_effect`,
    date and machine) and they have the same attempts at all common tasks; the one with most tasks is used.
    """
    kept: dict[str, list[Log]] = {}
    copies = []
    by_size = sorted(logs, key=lambda log: (not log.finished, -len(log.tasks)))
    for log in by_size:
        same_header = kept.setdefault(_identity(log.header, no_effect), [])
        original = next((other for other in same_header if _agree(other, log)), None)
        if original is None:
            same_header.append(log)
        else:
            copies.append(Copy(log.path, original.path))
    used = {log.path for same_header in kept.values() for log in same_header}
    return [log for log in logs if log.path in used], copies


def _identity(header: RunHeader, no_effect: Collection[str]) -> str:
    spec = {name: value for name, value in header.spec.items() if name not in no_effect}
    if header.digests.get(AGENT_DIGEST):
        spec["agent"] = Path(header.agent).name  # the same file in another folder is the same agent
    settings = header.agent_settings
    return json.dumps([header.benchmark, spec, settings, header.digests, header.task_count, header.physics])


def _agree(whole: Log, part: Log) -> bool:
    """Whether all tasks of a log are in another one, with the same attempts."""
    return all(whole.tasks.get(task) == rows for task, rows in part.tasks.items())
