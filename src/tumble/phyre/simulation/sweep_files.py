"""Sweeps on disk: the statuses of a fixed set of actions on many tasks, 2 bits each.

A store is a folder:

    store.json       what is swept: physics, tasks and actions; `seal` is a digest of these
    actions.npy      the actions, float64 [action, number]
    shard-00000.bin  the rows of the first tasks, after a digest of the seal, the shard's number and the rows
    ...

A row has four statuses to a byte, the first in the lowest bits: status + 1, or 3 for unused bits. Every file is
written under a temporary name and renamed, so it is complete or missing; as the same sweep gives the same bytes,
several processes may fill one store.

`fill_in_parallel` fills a store with the workers of an executor, whose number does not change a byte. Workers
simulate some tasks each and return the statuses; only this process writes shards, each as soon as it has all of its
rows, so workers of a cluster need no shared disk.
"""

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tumble import engine
from tumble.bounded import LONGEST_HEADER, BoundError, json_value, read_bytes
from tumble.errors import TumbleError
from tumble.jobs.job import Executor, Job, ProgressCallback, total_progress
from tumble.phyre.catalogue.task import TIERS, Task, digest_of_tasks, tier_named
from tumble.phyre.simulation.actions import as_actions
from tumble.phyre.simulation.simulator import Simulator
from tumble.progress import Advance, bar
from tumble.scene.files import whole_file

_UNUSED = 3
_SHIFTS = np.arange(0, 8, 2, dtype=np.uint8)
_CODES = np.arange(256, dtype=np.uint8)[:, None] >> _SHIFTS & 3
"""uint8 [256, 4]: the four codes in each byte."""
_STATUSES = _CODES.astype(np.int8) - np.int8(1)
STATUS_COUNTS = (_CODES[:, :, None] == np.arange(3)).sum(axis=1)
"""int [256, 3]: how often each status (-1, 0, 1) occurs in each byte."""


class PackingError(ValueError):
    """A number that is not a status."""


def pack_statuses(statuses: np.ndarray) -> np.ndarray:
    """uint8 [task, byte] of statuses [task, action], four to a byte.

    >>> pack_statuses(np.array([[-1, 0, 1, -1, 1]])).tolist()
    [[36, 254]]
    """
    wrong = np.argwhere((statuses != -1) & (statuses != 0) & (statuses != 1))
    if len(wrong):
        row, column = wrong[0]
        raise PackingError(f"a status is -1, 0 or 1, not {statuses[row, column]} (row {row}, action {column})")
    tasks, actions = statuses.shape
    width = -(-actions // 4)
    codes = np.full((tasks, 4 * width), _UNUSED, np.uint8)
    codes[:, :actions] = statuses + 1
    return np.asarray(np.bitwise_or.reduce(codes.reshape(tasks, width, 4) << _SHIFTS, axis=2))


def unpack_statuses(packed: np.ndarray, count: int) -> np.ndarray:
    """int8 [task, action]: the first `count` statuses of packed rows."""
    tasks, width = packed.shape
    return np.asarray(_STATUSES[packed].reshape(tasks, 4 * width)[:, :count])


def unpack_columns(packed: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """int8 [task, column]: the statuses of the actions with these numbers."""
    return np.asarray(_STATUSES[packed[:, columns // 4], columns % 4])


FORMAT = "tumble-phyre-sweep"
VERSION = 1
STATUSES_PER_SHARD = 100_000
MOST_ACTIONS = 1 << 32
MOST_TASKS = 50_000
LEFTOVER_AGE = 3600.0
"""Seconds after which a temporary file must be that of a killed process."""

_TEMPORARY = re.compile(r"\.[0-9a-f]{32}\.(json|npy|bin)")
_DIGEST_BYTES = 32
_DIFFERENCES = {
    "tier": "the tier",
    "tasks": "the ids or the order of the tasks",
    "tasks_sha256": "the scenes or goals of the tasks",
    "actions_sha256": "the actions",
}


class StoreError(TumbleError):
    """A store that is missing, damaged, unfinished, or of another sweep."""


class OtherSweepError(StoreError):
    """A store that is intact, but of other physics or other tasks."""


class Sweeper(Protocol):
    """What `SweepStore.fill` needs of a `Simulator`."""

    @property
    def tasks(self) -> Sequence[Task]: ...

    def sweep(
        self, actions: object, task_ids: Sequence[str] | None = None, progress: Advance | None = None
    ) -> np.ndarray: ...


@dataclass(frozen=True)
class Contents:
    """Which sweep a store holds."""

    physics: str
    tier: str
    tasks: list[str]
    tasks_sha256: str
    actions: int
    actions_sha256: str
    tasks_per_shard: int

    @property
    def seal(self) -> str:
        """A digest of all fields."""
        return sha256(json.dumps(asdict(self)).encode()).hexdigest()


def create_store(
    path: str | Path, tasks: Iterable[Task], tier: str, actions: object, tasks_per_shard: int | None = None
) -> "SweepStore":
    """The store of a sweep: a new one, or the one that already exists, however complete."""
    task_list = list(tasks)
    ids = [task.id for task in task_list]
    actions_tier = tier_named(tier)
    wrong = next((task for task in task_list if task.tier != tier), None)
    if wrong is not None:
        raise StoreError(f"task {wrong.id} is of tier {wrong.tier}, not {tier}")
    if len(set(ids)) != len(ids):
        raise StoreError("two tasks have the same id")
    table = np.ascontiguousarray(as_actions(actions, actions_tier), "<f8")
    rows = max(1, STATUSES_PER_SHARD // max(1, len(table))) if tasks_per_shard is None else tasks_per_shard
    if min(len(ids), len(table), rows) < 1:
        raise StoreError("a sweep needs at least one task, one action and one task per shard")
    digests = digest_of_tasks(task_list), sha256(table.tobytes()).hexdigest()
    contents = Contents(engine.physics_id(), tier, ids, digests[0], len(table), digests[1], rows)
    folder = Path(path)
    if not (folder / "store.json").exists():
        _write_new(folder, contents, table)
    store = open_store(folder)
    existing = store.contents
    differing = [what for field, what in _DIFFERENCES.items() if getattr(existing, field) != getattr(contents, field)]
    if differing:
        raise StoreError(f"{folder} holds another sweep, differing in {', '.join(differing)}; use another folder")
    return store


def open_store(path: str | Path) -> "SweepStore":
    """The store in a folder; a StoreError if there is none, or if it is damaged or of other physics."""
    folder = Path(path)
    contents = _read_contents(folder)
    return SweepStore(folder, contents, _read_actions(folder, contents))


class SweepStore:
    """The statuses of `actions` [action, number] on the tasks `task_ids`; tasks may still be missing."""

    def __init__(self, path: Path, contents: Contents, actions: np.ndarray) -> None:
        self.path = path
        self.contents = contents
        self.actions = actions
        self.task_ids = tuple(contents.tasks)
        self._seal = contents.seal
        self._row_of = {task_id: row for row, task_id in enumerate(self.task_ids)}
        self._shards = range(-(-len(self.task_ids) // contents.tasks_per_shard))

    @property
    def complete(self) -> bool:
        """Whether all tasks have been swept."""
        return not self.missing()

    def missing(self) -> list[str]:
        """The ids of the tasks that have not been swept yet."""
        absent = (shard for shard in self._shards if not self._file(shard).exists())
        return [task_id for shard in absent for task_id in self.shard_ids(shard)]

    def verify(self) -> list[str]:
        """Messages about damaged or missing shards, which `fill` sweeps again."""
        return [problem for shard in self._shards if (problem := self._problem(shard))]

    def statuses(self, task_ids: Iterable[str] | None = None, actions: object = None) -> np.ndarray:
        """int8 [task, action]: -1 not solved, 0 invalid, 1 solved; of all, or of the named tasks and action numbers."""
        rows = np.array([self._row(task_id) for task_id in (self.task_ids if task_ids is None else task_ids)], int)
        columns = None if actions is None else self._columns(actions)
        statuses = np.empty((len(rows), len(self.actions) if columns is None else len(columns)), np.int8)
        shard_of, row_in_shard = np.divmod(rows, self.contents.tasks_per_shard)
        for shard in np.unique(shard_of).tolist():
            indices = np.flatnonzero(shard_of == shard)
            packed = self._read(shard)[row_in_shard[indices]]
            statuses[indices] = (
                unpack_statuses(packed, len(self.actions)) if columns is None else unpack_columns(packed, columns)
            )
        return statuses

    def counts(self) -> np.ndarray:
        """int64 [task, 3]: the numbers of actions that do not solve a task, are invalid, and solve it."""
        rows = (row for shard in self._shards for row in self._read(shard))
        return np.array([np.bincount(row, minlength=256) @ STATUS_COUNTS for row in rows], np.int64)

    def fill(self, simulator: Sweeper, progress: Advance | None = None, at_once: int = 1) -> None:
        """Sweeps missing and damaged shards, `at_once` in each call of the simulator, and writes them after the call.

        A GPU needs many at once; if the process is killed, the shards of the current call are lost.
        Shows a progress bar, unless there is a callback `progress`, which is called with each number of statuses done.
        """
        if at_once < 1:
            raise StoreError(f"at_once must be 1 or more, not {at_once}")
        self.check_tasks(simulator.tasks)
        self.remove_leftovers()
        # Lazily: another process may have written a shard by the time it is needed.
        unfinished = self.unfinished_shards()
        total = len(self.missing()) * len(self.actions)
        with bar("Sweeping", total) if progress is None else nullcontext(progress) as advance:
            while batch := list(islice(unfinished, at_once)):
                ids = [task_id for shard in batch for task_id in self.shard_ids(shard)]
                rows = self.packed_rows(simulator.sweep(self.actions, task_ids=ids, progress=advance), len(ids))
                for shard in batch:
                    shard_rows, rows = np.split(rows, [len(self.shard_ids(shard))])
                    self.write_shard(shard, shard_rows)

    def unfinished_shards(self) -> Iterator[int]:
        """The numbers of missing and damaged shards, each checked when it is needed."""
        return (shard for shard in self._shards if self._problem(shard))

    def shard_ids(self, shard: int) -> tuple[str, ...]:
        """The ids of a shard's tasks."""
        first = shard * self.contents.tasks_per_shard
        return self.task_ids[first : first + self.contents.tasks_per_shard]

    def packed_rows(self, statuses: object, tasks: int) -> np.ndarray:
        """uint8 [task, byte] of a simulator's statuses [task, action]; a StoreError if they are none."""
        table, expected = np.asarray(statuses), (tasks, len(self.actions))
        if table.shape != expected:
            raise StoreError(f"the simulator returned statuses of shape {list(table.shape)}, not {list(expected)}")
        try:
            return pack_statuses(table)
        except PackingError as error:
            raise StoreError(f"the simulator returned a wrong status: {error}") from None

    def write_shard(self, shard: int, packed: np.ndarray) -> None:
        """Writes the packed rows [task, byte] of a shard."""
        rows = packed.tobytes()
        _write(self._file(shard), self._digest(shard, rows) + rows)

    def check_tasks(self, tasks: Iterable[Task]) -> None:
        """Raises a StoreError if some tasks of the store are not among these, or differ."""
        by_id = {task.id: task for task in tasks}
        missing = next((task_id for task_id in self.task_ids if task_id not in by_id), None)
        if missing is not None:
            raise StoreError(f"{self.path}: the simulator does not have task {missing}")
        if digest_of_tasks(by_id[task_id] for task_id in self.task_ids) != self.contents.tasks_sha256:
            raise StoreError(f"{self.path}: the simulator has tasks with the same ids but other scenes or goals")

    def remove_leftovers(self) -> None:
        """Removes the temporary files of processes that were killed while they wrote."""
        for file in self.path.iterdir():
            with suppress(FileNotFoundError):
                if _TEMPORARY.fullmatch(file.name) and time.time() - file.stat().st_mtime > LEFTOVER_AGE:
                    file.unlink()

    def _file(self, shard: int) -> Path:
        return self.path / f"shard-{shard:05d}.bin"

    def _row(self, task_id: str) -> int:
        if task_id not in self._row_of:
            raise StoreError(f"{self.path}: no task {task_id!r} in this store")
        return self._row_of[task_id]

    def _columns(self, actions: object) -> np.ndarray:
        numbers = np.asarray(actions)
        is_index = numbers.ndim == 1 and (numbers.dtype.kind in "iu" or not len(numbers))
        if not is_index or ((numbers < 0) | (numbers >= len(self.actions))).any():
            raise StoreError(f"{self.path}: actions must be a list of whole numbers from 0 to {len(self.actions) - 1}")
        return numbers.astype(int)

    def _digest(self, shard: int, rows: bytes) -> bytes:
        return sha256(f"{self._seal} {shard} ".encode() + rows).digest()

    def _problem(self, shard: int) -> str:
        """What is wrong with a shard; empty if nothing is."""
        try:
            self._read(shard)
        except StoreError as error:
            return str(error)
        return ""

    def _read(self, shard: int) -> np.ndarray:
        """The packed rows of a shard, checked."""
        file, ids = self._file(shard), self.shard_ids(shard)
        try:
            raw = read_bytes(file, _DIGEST_BYTES + len(ids) * -(-len(self.actions) // 4))
        except BoundError as error:
            raise StoreError(f"{file}: damaged: {error}") from None
        except FileNotFoundError:
            which = f"task {ids[0]} has" if len(ids) == 1 else f"tasks {ids[0]} to {ids[-1]} have"
            raise StoreError(f"{file}: missing: {which} not been swept yet; resume with fill()") from None
        rows = raw[_DIGEST_BYTES:]
        if raw[:_DIGEST_BYTES] != self._digest(shard, rows) or len(rows) != len(ids) * -(-len(self.actions) // 4):
            raise StoreError(f"{file}: damaged, or of another store; sweep it again with fill()")
        return np.frombuffer(rows, np.uint8).reshape(len(ids), -1)


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as temporary, temporary.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _write_new(folder: Path, contents: Contents, actions: np.ndarray) -> None:
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file; a store needs a folder")
    folder.mkdir(parents=True, exist_ok=True)
    stream = BytesIO()
    np.save(stream, actions)
    _write(folder / "actions.npy", stream.getvalue())
    record = {"format": FORMAT, "version": VERSION, **asdict(contents), "seal": contents.seal}
    _write(folder / "store.json", (json.dumps(record, indent=1) + "\n").encode())


def _read_contents(folder: Path) -> Contents:
    file = folder / "store.json"
    try:
        record = json_value(read_bytes(file))
    except (FileNotFoundError, NotADirectoryError):
        raise StoreError(f"{folder}: no sweep store here: there is no store.json") from None
    except ValueError as error:
        raise StoreError(f"{file}: damaged: this is not JSON ({error})") from None
    if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
        raise StoreError(f"{file}: not the description of a sweep store: its format is not {FORMAT!r}")
    version = record.pop("version", None)
    if version != VERSION:
        raise StoreError(f"{file}: format version {version} is unknown: this Tumble reads version {VERSION}")
    seal = record.pop("seal", None)
    if not _has_types(record):
        raise StoreError(f"{file}: damaged: fields are missing or unknown, or have a wrong type")
    contents = Contents(**record)
    if contents.seal != seal:
        raise StoreError(f"{file}: damaged: its fields do not match its seal")
    if contents.physics != engine.physics_id():
        raise OtherSweepError(
            f"{folder} was swept with physics {contents.physics}, and this is {engine.physics_id()}: "
            "their statuses differ; sweep again into another folder"
        )
    return contents


def _has_types(record: dict[str, Any]) -> bool:
    """Whether the record of a store has the fields of `Contents`, with values that they can have."""
    texts, counts = ("physics", "tier", "tasks_sha256", "actions_sha256"), ("actions", "tasks_per_shard")
    tasks = record.get("tasks")
    return (
        set(record) == {*texts, *counts, "tasks"}
        and all(isinstance(record[name], str) for name in texts)
        and all(type(record[name]) is int and 0 < record[name] <= MOST_ACTIONS for name in counts)
        and record["tier"] in TIERS
        and isinstance(tasks, list)
        and all(isinstance(task_id, str) for task_id in tasks)
        and len(set(tasks)) == len(tasks) > 0
        and len(tasks) <= MOST_TASKS
    )


def _read_actions(folder: Path, contents: Contents) -> np.ndarray:
    """The actions [action, number] at the end of actions.npy; its header says nothing that `contents` does not."""
    file = folder / "actions.npy"
    shape = contents.actions, TIERS[contents.tier].numbers
    size = 8 * shape[0] * shape[1]
    try:
        table = read_bytes(file, size + LONGEST_HEADER)[-size:]
    except (BoundError, OSError):
        table = b""
    if len(table) != size or sha256(table).hexdigest() != contents.actions_sha256:
        raise StoreError(
            f"{file}: missing or damaged; delete store.json and create the store again with the same tasks and "
            "actions: the shards are kept"
        )
    return np.frombuffer(table, "<f8").reshape(shape)


STATUSES_PER_JOB = 10_000
"""Some seconds of work on one core: short enough that all workers end at about the same time."""
MAX_LISTED = 5
"""Failures that an error lists."""


def fill_in_parallel(
    store: SweepStore, tasks: Sequence[Task], executor: Executor, device: str = "cpu", at_once: int | None = None
) -> None:
    """Sweeps the missing and damaged shards of a store; `at_once` is the number of shards in a job, by default a part.

    If the process is killed, the shards without all of their rows are lost. Failed jobs are reported at the end, in one
    error.
    """
    if at_once is not None and at_once < 1:
        raise StoreError(f"at_once must be 1 or more, not {at_once}")
    store.check_tasks(tasks)
    store.remove_leftovers()
    by_id = {task.id: task for task in tasks}
    shards = list(store.unfinished_shards())
    ids = [task_id for shard in shards for task_id in store.shard_ids(shard)]
    size = (
        max(1, STATUSES_PER_JOB // len(store.actions)) if at_once is None else at_once * store.contents.tasks_per_shard
    )
    jobs = [
        Job(f"{batch[0]} to {batch[-1]}", sweep_tasks, ([by_id[one] for one in batch], store.actions, device))
        for batch in (ids[first : first + size] for first in range(0, len(ids), size))
    ]
    errors = []
    rows: dict[str, np.ndarray] = {}
    with bar("Sweeping", len(ids) * len(store.actions)) as advance:
        for outcome in executor.run(jobs, total_progress(advance)):
            if outcome.trace:
                raise RuntimeError(f"{outcome.job.name}: {outcome.trace}")
            if outcome.error:
                errors.append(f"tasks {outcome.job.name}: {outcome.error}")
                continue
            swept = [task.id for task in outcome.job.arguments[0]]
            rows.update(zip(swept, store.packed_rows(outcome.value, len(swept)), strict=True))
            for shard in _complete_shards(store, shards, rows):
                store.write_shard(shard, np.stack([rows.pop(one) for one in store.shard_ids(shard)]))
                shards.remove(shard)
    if errors:
        listed = sorted(errors)[:MAX_LISTED]
        more = [f"{len(errors) - MAX_LISTED} more"] if len(errors) > MAX_LISTED else []
        raise StoreError("; ".join([*listed, *more]) + "; the other shards are kept, sweep again to resume")


def _complete_shards(store: SweepStore, shards: Sequence[int], rows: dict[str, np.ndarray]) -> Iterator[int]:
    """The shards all of whose tasks have rows."""
    return (shard for shard in list(shards) if all(task_id in rows for task_id in store.shard_ids(shard)))


def sweep_tasks(tasks: Sequence[Task], actions: np.ndarray, device: str, progress: ProgressCallback) -> np.ndarray:
    """int8 [task, action]: the statuses of actions on tasks; on one core, as the others have other jobs."""
    done, total = 0, len(tasks) * len(actions)

    def advance(finished: int) -> None:
        nonlocal done
        done += finished
        progress(done, total)

    return Simulator(tasks, tasks[0].tier, device, threads=1).sweep(actions, progress=advance)
