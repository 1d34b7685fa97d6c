"""A run log in a list: who, what, scores, and the result of each task; small, whatever the log's size."""

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tumble.benchmark import Benchmark, benchmarks
from tumble.errors import TumbleError, visible
from tumble.output import public_text
from tumble.runs.header import RunHeader
from tumble.runs.log import FINISHED_SUFFIX, Log, Row, read
from tumble.runs.participant import PEOPLE, Person
from tumble.runs.public import public_log
from tumble.web.pages import Replays

MOST_BYTES, MOST_PACKED = 160 * 2**20, 16 * 2**20
"""Of a log that is being written, and of a finished one: about a million attempts; larger ones are not opened."""
MOST_TASK_LISTS = 256
"""Lists of tasks that runs share."""
OWN_FIELDS = ("agent", "settings", "seed")
"""Of a run specification, which have columns of their own."""

_log = logging.getLogger("tumble.web")


@dataclass(frozen=True)
class TaskTable:
    """The results of a run's tasks, as columns in the order of the run."""

    place: Mapping[str, int]
    """Of each task; runs of the same tasks share it."""
    attempts: np.ndarray
    passed: np.ndarray
    """Attempts that solve the task; at most 1 where only the last attempt was read."""
    first: np.ndarray
    """The first of these; 0 for none."""
    given_up: Mapping[str, str] = field(default_factory=dict)
    unfinished: frozenset[str] = frozenset()
    """Tasks that are being attempted, or were when the run stopped."""


@dataclass(frozen=True)
class RunEntry:
    """A log, or a file that can't be read, then with a `problem` in place of all else."""

    id: str
    name: str
    """Of the file, below the folder of logs."""
    changed: float
    """When it was last written, in seconds since 1970."""
    problem: str = ""
    header: RunHeader | None = None
    benchmark: Benchmark | None = None
    finished: bool = False
    tasks_done: int = 0
    score: float | None = None
    scores: tuple[tuple[str, str], ...] = ()
    """Names and values."""
    summary: str = ""
    warning: str = ""
    table: TaskTable | None = None
    text: str = ""
    """In which a search is made, in small letters."""

    @property
    def is_people(self) -> bool:
        return self.header is not None and self.header.participant is Person

    @property
    def agent(self) -> str:
        """The agent with its settings, or a participant of a study."""
        if self.header is None:
            return ""
        given = self.header.given_settings
        if self.is_people:
            return ", ".join([PEOPLE, *map(str, given.values()), f"participant {self.header.spec.get('seed')}"])
        settings = [f"{name} {_joined(value)}" for name, value in self.header.further_settings.items()]
        return ", ".join([self.header.agent_label, *settings])

    @property
    def conditions(self) -> str:
        """What was attempted: the fields of the specification that are set, but not those of the agent."""
        if self.header is None:
            return ""
        hidden = {*OWN_FIELDS, *(self.benchmark.spec.no_effect if self.benchmark else ())}
        names = sorted((name for name in self.header.spec if name not in hidden), key=_rank_of_entry)
        shown = {name: self.header.spec[name] for name in names}
        return ", ".join(
            _joined(value) if name in ("setting", "split") else f"{name} {_joined(value)}"
            for name, value in shown.items()
            if value not in (None, "", [], ())
        )


def _rank_of_entry(name: str) -> int:
    """The place of a field among the conditions: what is chosen first, limits last."""
    return 0 if name in ("setting", "split") else 2 if name in ("limit", "attempts") else 1


def _joined(value: object) -> str:
    """A value as text; a list as its parts."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def read_entry(path: Path, name: str, entry_id: str, replays: Mapping[str, Replays]) -> RunEntry:
    """The entry of a file; its problem in words, without the place of the file, if it can't be read."""
    try:
        stat = path.stat()
    except OSError as error:
        return RunEntry(entry_id, name, 0.0, f"can't be read: {error.strerror}", text=name.lower())
    broken = RunEntry(entry_id, name, stat.st_mtime, text=name.lower())
    try:
        check_size(path, stat.st_size)
        return _entry(public_log(_read(path)), broken, replays)
    except TumbleError as error:
        problem = problem_text(error, path)
    except Exception as error:  # of a benchmark, which meets a log that only looks like one of its own
        _log.exception("run log %s", ascii(name))
        problem = f"its content can't be used ({type(error).__name__})"
    return replace(broken, problem=problem, text=f"{broken.text} {problem.lower()}")


def problem_text(error: Exception, path: Path) -> str:
    """An error about a file without the file's place, or that of others."""
    text = str(error).removeprefix(f"{path}: ").removeprefix(f"{path}, ")
    return public_text(text.replace(str(path), path.name))


def check_size(path: Path, size: int) -> None:
    """Raises an error for a file that is too large to open, or empty."""
    most = MOST_PACKED if path.name.endswith(FINISHED_SUFFIX) else MOST_BYTES
    if size > most:
        raise TumbleError(f"{size:,} bytes are too many to watch; at most {most:,}")
    if not size:
        raise TumbleError("this file is empty: a run may just be starting")


def _read(path: Path) -> Log:
    """A log; only the last attempt at each task where its benchmark needs no more."""
    brief = read(path, brief=True)
    of = benchmarks().get(brief.header.benchmark)
    return read(path) if of is None or of.needs_all_attempts else brief


def _entry(log: Log, found: RunEntry, replays: Mapping[str, Replays]) -> RunEntry:
    """The entry of a log that can be read; without scores if its benchmark is not installed."""
    name = log.header.benchmark
    of = benchmarks().get(name)
    entry = replace(found, header=log.header, benchmark=of, finished=log.finished, tasks_done=len(log.tasks))
    if of is None:
        text = f"{found.text} {name} {entry.agent}".lower()
        return replace(entry, problem=f"benchmark {name!r} is not installed here", text=text)
    result = of.result(log)
    score = result.score
    scores = _scores(of, log, result.summary)
    words = [found.text, of.title, entry.agent, entry.conditions, *(f"{key} {value}" for key, value in scores)]
    return replace(
        entry,
        score=score if score is not None and math.isfinite(score) else None,
        scores=scores,
        summary=result.summary,
        warning=result.warning,
        table=task_table(log, replays.get(name, Replays())),
        text=" ".join(words).lower(),
    )


def _scores(of: Benchmark, log: Log, summary: str) -> tuple[tuple[str, str], ...]:
    """The columns of `tumble runs list` that follow "finished"."""
    row = dict(zip(of.columns, of.row(log), strict=True))
    after = of.columns[of.columns.index("finished") + 1 :] if "finished" in of.columns else ()
    return tuple((name, row[name]) for name in after) or (("result", summary),)


def task_table(log: Log, replays: Replays) -> TaskTable:
    """The results of all tasks of a log, finished or not."""
    tasks = {**log.tasks, **log.open_tasks}
    counts = np.array([_counts(rows, replays) for rows in tasks.values()], np.int32).reshape(-1, 3)
    attempts, passed, first = counts.T.copy()
    return TaskTable(_places(tuple(tasks)), attempts, passed, first, dict(log.given_up), frozenset(log.open_tasks))


def _counts(rows: Sequence[Row], replays: Replays) -> tuple[int, int, int]:
    """Attempts, how many solve the task, and the first of these; `rows` may be only the last attempt."""
    solving = [row["attempt"] for row in rows if replays.is_solved(row)]
    return max((row["attempt"] for row in rows), default=0), len(solving), min(solving, default=0)


@lru_cache(maxsize=MOST_TASK_LISTS)
def _places(tasks: tuple[str, ...]) -> Mapping[str, int]:
    return {task: number for number, task in enumerate(tasks)}


def common_tasks(entries: Iterable[RunEntry]) -> list[str]:
    """The tasks that all of some runs have, in the order of the first."""
    tables = [entry.table.place for entry in entries if entry.table]
    return [task for task in (tables[0] if tables else ()) if all(task in other for other in tables[1:])]


def seed_of(header: RunHeader | None) -> int | None:
    """The seed of a run; None where its header has no number there."""
    seed = header.spec.get("seed") if header else None
    return seed if type(seed) is int else None


def shown_row(entry: RunEntry) -> dict[str, Any]:
    """An entry as JSON, for a list."""
    header = entry.header
    return {
        "id": entry.id,
        "name": visible(entry.name),
        "changed": entry.changed,
        "problem": entry.problem,
        "benchmark": header.benchmark if header else "",
        "title": entry.benchmark.title if entry.benchmark else header.benchmark if header else "",
        "agent": entry.agent,
        "people": entry.is_people,
        "conditions": entry.conditions,
        "seed": seed_of(header),
        "score": entry.score,
        "scores": entry.scores,
        "tasks": entry.tasks_done,
        "task_count": header.task_count if header else 0,
        "attempts": int(entry.table.attempts.sum()) if entry.table else 0,
        "date": header.created.isoformat() if header else "",
        "finished": entry.finished,
    }
