"""Sweeps on disk: the statuses of a fixed set of actions on many tasks, 2 bits each.

A store is a folder:

    store.json       what is swept: physics, tasks and actions; sealed by a digest
    actions.npy      the actions, float64 [action, number]
    shard-00000.bin  the rows of the first tasks, after a digest of the seal, the shard's number and the rows
    ...

A row has four statuses to a byte, the first in the lowest bits: status + 1, or 3 for the unused end of the last byte.
Every file is written under a temporary name and renamed: it is there whole or not at all, and as the same sweep gives
the same bytes, several processes may fill one store.
"""

import json
import os
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np

from tumble import engine
from tumble.phyre.simulation.actions import as_actions
from tumble.phyre.simulation.sweeps.bit_packing import COUNTS_OF, PackingError, pack, pick, unpack
from tumble.phyre.tasks.digest import digest_of_tasks
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.progress import Advance, bar
from tumble.scene.files import whole_file

FORMAT = "tumble-phyre-sweep"
VERSION = 1
CELLS_PER_SHARD = 100_000
LEFTOVER_AGE = 3600.0
"""Seconds after which a temporary file can only be that of a killed process."""

_TEMPORARY = re.compile(r"\.[0-9a-f]{32}\.(json|npy|bin)")
_DIGEST_BYTES = 32
_DIFFERENCES = {
    "tier": "the tier",
    "tasks": "the ids or the order of the tasks",
    "tasks_sha256": "the scenes or goals of the tasks",
    "actions_sha256": "the actions",
}


class StoreError(ValueError):
    """A store that is not there, damaged, unfinished, or of something else."""


class Sweeper(Protocol):
    """What can fill a store: a `Simulator`, or what stands in for one."""

    @property
    def tasks(self) -> Sequence[Task]: ...

    def sweep(
        self, actions: object, task_ids: Sequence[str] | None = None, progress: Advance | None = None
    ) -> np.ndarray: ...


@dataclass(frozen=True)
class Contents:
    """What a store holds the statuses of."""

    physics: str
    tier: str
    tasks: list[str]
    tasks_sha256: str
    actions: int
    actions_sha256: str
    tasks_per_shard: int

    @property
    def seal(self) -> str:
        return sha256(json.dumps(asdict(self)).encode()).hexdigest()


def create(
    path: str | Path, tasks: Iterable[Task], tier: str, actions: object, tasks_per_shard: int | None = None
) -> "SweepStore":
    """The store of a sweep: a new one, or the one that is there already, however full."""
    chosen = list(tasks)
    ids = [task.id for task in chosen]
    if tier not in TIERS:
        raise StoreError(f"no tier {tier!r}; there are {', '.join(TIERS)}")
    wrong = next((task for task in chosen if task.tier != tier), None)
    if wrong is not None:
        raise StoreError(f"task {wrong.id} is of tier {wrong.tier}, not {tier}")
    if len(set(ids)) != len(ids):
        raise StoreError("two tasks have the same id")
    table = np.ascontiguousarray(as_actions(actions, TIERS[tier]), "<f8")
    rows = max(1, CELLS_PER_SHARD // max(1, len(table))) if tasks_per_shard is None else tasks_per_shard
    if min(len(ids), len(table), rows) < 1:
        raise StoreError("a sweep needs at least one task, one action and one task per shard")
    digests = digest_of_tasks(chosen), sha256(table.tobytes()).hexdigest()
    contents = Contents(engine.physics_id(), tier, ids, digests[0], len(table), digests[1], rows)
    folder = Path(path)
    if not (folder / "store.json").exists():
        _write_new(folder, contents, table)
    store = open_store(folder)
    here = store.contents
    differing = [what for field, what in _DIFFERENCES.items() if getattr(here, field) != getattr(contents, field)]
    if differing:
        raise StoreError(f"{folder} holds another sweep, differing in {', '.join(differing)}; use another folder")
    return store


def open_store(path: str | Path) -> "SweepStore":
    """The store in a folder; a StoreError where there is none, a damaged one, or one of other physics."""
    folder = Path(path)
    contents = _read_contents(folder)
    return SweepStore(folder, contents, _read_actions(folder, contents))


class SweepStore:
    """The statuses of `actions` on the tasks `task_ids`, as far as they have been swept."""

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
        return [task_id for shard in absent for task_id in self._ids(shard)]

    def verify(self) -> list[str]:
        """What is wrong with shards, damaged or missing; `fill` puts it right."""
        return [problem for shard in self._shards if (problem := self._problem(shard))]

    def statuses(self, task_ids: Iterable[str] | None = None, actions: object = None) -> np.ndarray:
        """int8 [task, action]: -1 not solved, 0 invalid, 1 solved; of all, or of the named tasks and action numbers."""
        rows = np.array([self._row(task_id) for task_id in (self.task_ids if task_ids is None else task_ids)], int)
        columns = None if actions is None else self._columns(actions)
        statuses = np.empty((len(rows), len(self.actions) if columns is None else len(columns)), np.int8)
        shard_of, row_in_shard = np.divmod(rows, self.contents.tasks_per_shard)
        for shard in np.unique(shard_of).tolist():
            here = np.flatnonzero(shard_of == shard)
            packed = self._read(shard)[row_in_shard[here]]
            statuses[here] = unpack(packed, len(self.actions)) if columns is None else pick(packed, columns)
        return statuses

    def counts(self) -> np.ndarray:
        """int64 [task, 3]: how many actions do not solve a task, are invalid, and solve it."""
        rows = (row for shard in self._shards for row in self._read(shard))
        return np.array([np.bincount(row, minlength=256) @ COUNTS_OF for row in rows], np.int64)

    def fill(self, simulator: Sweeper, progress: Advance | None = None, at_once: int = 1) -> None:
        """Sweep what is missing or damaged, `at_once` shards to a call of the simulator; write each shard when done.

        A GPU wants many at once; what is lost to a kill is what was swept at once.
        Shows a bar on the terminal, unless `progress` is given: it is then called with each number of cells finished.
        """
        if at_once < 1:
            raise StoreError(f"at_once must be 1 or more, not {at_once}")
        self._refuse_other_tasks(simulator)
        self._remove_leftovers()
        # Each is checked when its turn comes: another process may have written it by then.
        unfinished = (shard for shard in self._shards if self._problem(shard))
        cells = len(self.missing()) * len(self.actions)
        with bar("Sweeping", cells) if progress is None else nullcontext(progress) as advance:
            while batch := list(islice(unfinished, at_once)):
                self._sweep(simulator, batch, advance)

    def _sweep(self, simulator: Sweeper, shards: list[int], advance: Advance) -> None:
        ids = [task_id for shard in shards for task_id in self._ids(shard)]
        statuses = np.asarray(simulator.sweep(self.actions, task_ids=ids, progress=advance))
        expected = (len(ids), len(self.actions))
        if statuses.shape != expected:
            raise StoreError(f"the simulator gave statuses of shape {list(statuses.shape)}, not {list(expected)}")
        try:
            packed = pack(statuses)
        except PackingError as error:
            raise StoreError(f"the simulator gave statuses that can't be kept: {error}") from None
        for shard in shards:
            own, packed = np.split(packed, [len(self._ids(shard))])
            rows = own.tobytes()
            _write(self._file(shard), self._digest(shard, rows) + rows)

    def _refuse_other_tasks(self, simulator: Sweeper) -> None:
        known = {task.id: task for task in simulator.tasks}
        lacking = next((task_id for task_id in self.task_ids if task_id not in known), None)
        if lacking is not None:
            raise StoreError(f"{self.path}: the simulator does not have task {lacking}")
        if digest_of_tasks(known[task_id] for task_id in self.task_ids) != self.contents.tasks_sha256:
            raise StoreError(f"{self.path}: the simulator has tasks of the same ids with other scenes or goals")

    def _remove_leftovers(self) -> None:
        for file in self.path.iterdir():
            with suppress(FileNotFoundError):
                if _TEMPORARY.fullmatch(file.name) and time.time() - file.stat().st_mtime > LEFTOVER_AGE:
                    file.unlink()

    def _file(self, shard: int) -> Path:
        return self.path / f"shard-{shard:05d}.bin"

    def _ids(self, shard: int) -> tuple[str, ...]:
        first = shard * self.contents.tasks_per_shard
        return self.task_ids[first : first + self.contents.tasks_per_shard]

    def _row(self, task_id: str) -> int:
        if task_id not in self._row_of:
            raise StoreError(f"{self.path}: no task {task_id!r} in this store")
        return self._row_of[task_id]

    def _columns(self, actions: object) -> np.ndarray:
        numbers = np.asarray(actions)
        whole = numbers.ndim == 1 and (numbers.dtype.kind in "iu" or not len(numbers))
        if not whole or ((numbers < 0) | (numbers >= len(self.actions))).any():
            raise StoreError(f"{self.path}: actions are chosen by a list of numbers from 0 to {len(self.actions) - 1}")
        return numbers.astype(int)

    def _digest(self, shard: int, rows: bytes) -> bytes:
        return sha256(f"{self._seal} {shard} ".encode() + rows).digest()

    def _problem(self, shard: int) -> str:
        try:
            self._read(shard)
        except StoreError as error:
            return str(error)
        return ""

    def _read(self, shard: int) -> np.ndarray:
        """The packed rows of a shard, checked."""
        file, ids = self._file(shard), self._ids(shard)
        try:
            raw = file.read_bytes()
        except FileNotFoundError:
            which = f"task {ids[0]} has" if len(ids) == 1 else f"tasks {ids[0]} to {ids[-1]} have"
            raise StoreError(f"{file}: missing: {which} not been swept yet; resume with fill()") from None
        rows = raw[_DIGEST_BYTES:]
        if raw[:_DIGEST_BYTES] != self._digest(shard, rows):
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
        record = json.loads(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise StoreError(f"{folder}: no sweep store here: there is no store.json") from None
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{file}: damaged: this is not JSON ({error})") from None
    if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
        raise StoreError(f"{file}: not the description of a sweep store: its format is not {FORMAT!r}")
    version = record.pop("version", None)
    if version != VERSION:
        raise StoreError(f"{file}: format version {version} is unknown: this Tumble reads version {VERSION}")
    seal = record.pop("seal", None)
    try:
        contents = Contents(**record)
    except TypeError:
        raise StoreError(f"{file}: damaged: fields are missing or unknown") from None
    if contents.seal != seal:
        raise StoreError(f"{file}: damaged: it was changed after it was sealed")
    if contents.physics != engine.physics_id():
        raise StoreError(
            f"{folder} was swept with physics {contents.physics}, and this is {engine.physics_id()}: "
            "their statuses do not mix; sweep again into another folder"
        )
    return contents


def _read_actions(folder: Path, contents: Contents) -> np.ndarray:
    """The table at the end of actions.npy; what comes before it says to other readers what we know already."""
    file = folder / "actions.npy"
    shape = contents.actions, TIERS[contents.tier].numbers
    table = file.read_bytes()[-8 * shape[0] * shape[1] :] if file.exists() else b""
    if sha256(table).hexdigest() != contents.actions_sha256:
        raise StoreError(
            f"{file}: missing or damaged; delete store.json and create the store anew with the same tasks and "
            "actions: what has been swept will be found again"
        )
    return np.frombuffer(table, "<f8").reshape(shape)
