"""Sweeps that are shipped with the package, and the simulator that looks statuses up in a store.

The shipped stores have the statuses of 1,000 random actions on every published task, so that agents that rank these
actions need not simulate anything. They were made on an H200 in a minute: `create_store(folder, tasks, tier,
fixed_set(tier, 1000), tasks_per_shard=2500)` and `fill`.

The files B.solved and 2B.solved have which of 100,000 actions solve (2B: on the first 1,200 tasks); `tumble phyre
sweep --shipped` makes stores of them. Few actions solve a task, and which are invalid is geometry that is quickly
computed again, so such a file has a twentieth of a store's size: 2.3 MB for 100,000 actions on the 2,500 tasks of
B. `restore_store` makes the store of it, to the last byte. A file may have the first tasks only; `tumble phyre
sweep` then sweeps the others into the restored store.

    {"format": "tumble-phyre-solved", "physics": …, "tier": …, "tasks_sha256": …, "tasks": …, "actions": …,
     "sha256": …}
    the rest, compressed by lzma: int32 counts of solving actions by task, and the three bytes of each gap between
    the numbers of a task's solving actions, all lowest bytes first
"""

import json
import lzma
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib import resources
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from tumble import engine
from tumble.bounded import BoundError, decompressed, json_value, read_bytes
from tumble.phyre.catalogue.task import TIERS, Task, digest_of_tasks, tier_named
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.simulation.actions import ActionTable, as_actions, fixed_set
from tumble.phyre.simulation.attempt import SimulationError
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.phyre.simulation.sweep_files import OtherSweepError, StoreError, SweepStore, create_store, open_store
from tumble.progress import Advance, bar
from tumble.scene.files import whole_file


class CachedSimulator(Simulator):
    """A simulator with a store of some actions on its tasks; it simulates the rest."""

    def __init__(
        self, tasks: Iterable[Task], tier: str, store: SweepStore, device: str = "cpu", threads: int = 0
    ) -> None:
        super().__init__(tasks, tier, device, threads)
        if store.contents.tier != tier:
            raise StoreError(f"{store.path} is of tier {store.contents.tier}, not {tier}")
        by_id = {task.id: task for task in self.tasks}
        swept = [by_id[task_id] for task_id in store.task_ids if task_id in by_id]
        if len(swept) < len(store.task_ids) or digest_of_tasks(swept) != store.contents.tasks_sha256:
            raise OtherSweepError(f"{store.path} was swept on other tasks; sweep these into another folder")
        self._store = store
        self._swept = frozenset(store.task_ids) - frozenset(store.missing())
        self._column = {action.tobytes(): k for k, action in enumerate(store.actions)}

    def restricted_to(self, tasks: Iterable[Task]) -> "CachedSimulator":
        """A simulator with the same store that has only some of the tasks."""
        subset = list(tasks)
        different = next((task.id for task in subset if self.task(task.id) != task), None)
        if different is not None:
            raise SimulationError(f"this simulator has a different task with the id {different}")
        restricted = object.__new__(CachedSimulator)
        Simulator.__init__(restricted, subset, self.tier.name, self.options.device, self.options.threads)
        restricted._store, restricted._column = self._store, self._column
        restricted._swept = self._swept & {task.id for task in subset}
        return restricted

    def sweep(
        self, actions: object, task_ids: Sequence[str] | None = None, progress: Advance | None = None
    ) -> np.ndarray:
        """See `Simulator.sweep`; the store is used for tasks that were swept, if it has all of the actions."""
        table = as_actions(actions, self.tier)
        ids = [task.id for task in self.tasks] if task_ids is None else list(task_ids)
        columns = self._columns(table)
        stored = self._are_swept(ids) & bool((columns >= 0).all())
        statuses = np.zeros((len(ids), len(table)), np.int8)
        if stored.any():
            statuses[stored] = self._store.statuses([ids[k] for k in np.flatnonzero(stored)], columns)
        rest = [ids[k] for k in np.flatnonzero(~stored)]
        if rest:
            statuses[~stored] = super().sweep(table, rest, progress)
        return statuses

    def pairs(
        self, task_ids: Sequence[str], actions: object, stable: bool = False, progress: Advance | None = None
    ) -> np.ndarray:
        """See `Simulator.pairs`; the store is not used with `stable`, which it does not know."""
        if stable:
            return super().pairs(task_ids, actions, stable, progress)
        table = as_actions(actions, self.tier)
        columns = self._columns(table)
        stored = np.flatnonzero((columns >= 0) & self._are_swept(task_ids))
        statuses = np.zeros(len(table), np.int8)
        ids, row = np.unique(np.asarray(task_ids, str)[stored], return_inverse=True)
        if len(stored):
            statuses[stored] = self._store.statuses(ids.tolist())[row, columns[stored]]
        rest = np.setdiff1d(np.arange(len(table)), stored)
        if len(rest):
            statuses[rest] = super().pairs([task_ids[k] for k in rest], table[rest], progress=progress)
        return statuses

    def outcomes(
        self, task_ids: Sequence[str], actions: object, are_valid: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """See `Simulator.outcomes`; steps are 0 for attempts from the store, which does not know them."""
        table = as_actions(actions, self.tier)
        stored = (self._columns(table) >= 0) & self._are_swept(task_ids)
        status, steps = np.zeros(len(table), np.int8), np.zeros(len(table), np.int32)
        known, rest = np.flatnonzero(stored), np.flatnonzero(~stored)
        if len(known):
            status[known] = self.pairs([task_ids[int(k)] for k in known], table[known])
        if len(rest):
            status[rest], steps[rest] = super().outcomes([task_ids[int(k)] for k in rest], table[rest], are_valid)
        return status, steps

    def _columns(self, actions: np.ndarray) -> np.ndarray:
        """int [n]: the number of each action in the store, or -1."""
        return np.array([self._column.get(action.tobytes(), -1) for action in actions], int)

    def _are_swept(self, task_ids: Sequence[str]) -> np.ndarray:
        return np.array([task_id in self._swept for task_id in task_ids], bool)


NO_STORE = "none"


@cache
def shipped_store(tier: str) -> SweepStore:
    """The sweep of a tier; an OtherSweepError if the physics has changed since it was made."""
    return open_store(Path(str(resources.files("tumble.phyre"))) / "data" / "sweeps" / tier_named(tier).name)


def solved_file(tier: str) -> Path:
    """The file of the actions that solve tasks, among 100,000 on each."""
    return Path(str(resources.files("tumble.phyre"))) / "data" / "sweeps" / f"{tier_named(tier).name}.solved"


def simulator_with_store(
    tasks: Sequence[Task], tier: str, store: str | None = None, device: str = "cpu", threads: int = 0
) -> Simulator:
    """A simulator of these tasks, which looks up outcomes in a sweep store where that has them.

    `store` is the folder of a store, "none", or None for the package's; it changes no outcome.
    """
    known = published_tasks(tier)
    if store != NO_STORE and all(known.get(task.id) is task for task in tasks):
        cached = _cached_simulator(tier, store, device, threads)
        if cached is not None:
            return cached.restricted_to(tasks)
    return Simulator(tasks, tier, device, threads)


@lru_cache(maxsize=2)
def _cached_simulator(tier: str, path: str | None, device: str, threads: int) -> CachedSimulator | None:
    """A simulator of all published tasks of a tier with a store; None if the package's has other physics or tasks."""
    known = published_tasks(tier).values()
    if path is not None:
        return CachedSimulator(known, tier, open_store(path), device, threads)
    try:
        return CachedSimulator(known, tier, shipped_store(tier), device, threads)
    except OtherSweepError:
        return None


SOLVED_FORMAT = "tumble-phyre-solved"
GAP_BYTES = 3
MOST_ACTIONS = 1 << 20
"""On each task; a gap has three bytes."""
MOST_CONTENT, MOST_PER_BYTE = 1 << 23, 16
"""Bytes that the compressed part may unpack to, and further ones for each of its bytes; the package's take 2 to 4."""
TASKS_PER_SHARD = 25
"""Of stores that are restored: shards of half a megabyte with 100,000 actions."""


def write_solved(path: str | Path, store: SweepStore) -> None:
    """Writes what a store has of its first tasks, up to the first that was not swept.

    Its tasks must be all published ones of a tier, its actions a `fixed_set`.
    """
    contents, missing = store.contents, set(store.missing())
    tasks = list(published_tasks(contents.tier).values())
    if list(store.task_ids) != [task.id for task in tasks]:
        raise StoreError(f"{store.path}: needs all published tasks of tier {contents.tier} in their order")
    actions = fixed_set(contents.tier, contents.actions)
    if contents.actions > MOST_ACTIONS or not np.array_equal(actions, store.actions):
        raise StoreError(f"{store.path}: its actions are not the first {contents.actions} of the tier's fixed set")
    swept = list(takewhile(lambda task: task.id not in missing, tasks))
    if not swept:
        raise StoreError(f"{store.path}: its first task was not swept yet")
    solving = []
    with bar("Collecting solving actions", len(swept)) as advance:
        for task in swept:
            solving.append(np.flatnonzero(store.statuses([task.id])[0] == SOLVED))
            advance(1)
    packed = _packed_gaps(solving)
    header = {
        "format": SOLVED_FORMAT,
        "physics": contents.physics,
        "tier": contents.tier,
        "tasks_sha256": contents.tasks_sha256,
        "tasks": len(swept),
        "actions": contents.actions,
        "sha256": sha256(packed).hexdigest(),
    }
    with whole_file(path) as partial:
        partial.write_bytes(json.dumps(header).encode() + b"\n" + packed)


def _packed_gaps(solving: Sequence[np.ndarray]) -> bytes:
    gaps = np.concatenate([np.diff(own, prepend=0) for own in solving]).astype("<u4")
    counts = np.array([len(own) for own in solving], "<i4")
    return lzma.compress(counts.tobytes() + gaps.view(np.uint8).reshape(-1, 4).T[:GAP_BYTES].tobytes())


def read_solved(path: str | Path) -> tuple[str, int, list[np.ndarray]]:
    """The tier, the number of actions, and for each of the first tasks the numbers of the actions that solve it."""
    try:
        first, _, packed = read_bytes(path).partition(b"\n")
        header: Any = json_value(first)
        if (
            not isinstance(header, dict)
            or header.get("format") != SOLVED_FORMAT
            or str(header.get("tier")) not in TIERS
        ):
            raise ValueError("it has no header of this format")
        if header.get("sha256") != sha256(packed).hexdigest():
            raise ValueError("its content differs from its digest")
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise StoreError(f"{path}: not the solving actions of a sweep ({error})") from None
    if header.get("physics") != engine.physics_id():
        raise OtherSweepError(f"{path}: made with physics {header.get('physics')}, and this is {engine.physics_id()}")
    tasks = published_tasks(header["tier"])
    if header.get("tasks_sha256") != _published_digest(header["tier"]):
        raise OtherSweepError(f"{path}: made for other tasks")
    for name, most in (("actions", MOST_ACTIONS), ("tasks", len(tasks))):
        if type(header.get(name)) is not int or not 0 < header[name] <= most:
            raise StoreError(f"{path}: {name} must be 1 to {most}, not {header.get(name)!r}")
    return header["tier"], header["actions"], _unpacked_gaps(path, packed, header["tasks"], header["actions"])


@cache
def _published_digest(tier: str) -> str:
    return digest_of_tasks(published_tasks(tier).values())


def _unpacked_gaps(path: str | Path, packed: bytes, tasks: int, actions: int) -> list[np.ndarray]:
    try:
        raw = decompressed(packed, MOST_CONTENT + MOST_PER_BYTE * len(packed))
    except BoundError as error:
        raise StoreError(f"{path}: not the solving actions of a sweep ({error})") from None
    counts = np.frombuffer(raw[: 4 * tasks], "<i4")
    planes = np.frombuffer(raw[4 * tasks :], np.uint8)
    if len(counts) < tasks or (counts < 0).any() or len(planes) != GAP_BYTES * counts.sum():
        raise StoreError(f"{path}: damaged: its counts do not fit its content")
    low, middle, high = planes.reshape(GAP_BYTES, -1)
    gaps = low + (middle.astype(np.int32) << 8) + (high.astype(np.int32) << 16)
    solving = [np.cumsum(own, dtype=np.int64) for own in np.split(gaps, np.cumsum(counts)[:-1])]
    if any(len(own) and own[-1] >= actions for own in solving):
        raise StoreError(f"{path}: damaged: it names more than {actions} actions")
    return solving


def restore_store(path: str | Path, folder: str | Path, device: str = "cpu") -> SweepStore:
    """The store of a file, made in a folder: which actions are invalid is computed on a device; it can be resumed."""
    tier, count, solving = read_solved(path)
    tasks, actions = list(published_tasks(tier).values()), fixed_set(tier_named(tier), count)
    store, table = create_store(folder, tasks, tier, actions, TASKS_PER_SHARD), ActionTable(actions, device)
    row_of = {task.id: row for row, task in enumerate(tasks)}
    with bar("Restoring", len(solving)) as advance:
        for shard in store.unfinished_shards():
            rows = [row_of[task_id] for task_id in store.shard_ids(shard)]
            if rows[-1] >= len(solving):
                break
            statuses = np.full((len(rows), count), NOT_SOLVED, np.int8)
            for status, row in zip(statuses, rows, strict=True):
                status[~table.valid(tasks[row].scene)] = INVALID
                status[solving[row]] = SOLVED
            store.write_shard(shard, store.packed_rows(statuses, len(rows)))
            advance(len(rows))
    return store
