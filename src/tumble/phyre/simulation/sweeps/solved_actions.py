"""A sweep as a small file: which actions solve each of a tier's published tasks.

Few actions solve a task, and which are invalid is geometry that is quickly computed again, so this file has a
twentieth of a store's size: 2.3 MB for 100,000 actions on the 2,500 tasks of B. `restore` makes the store of it, to the
last byte. A file may have the first tasks only; `tumble phyre sweep` then sweeps the others into the restored store.

    {"format": "tumble-phyre-solved", "physics": …, "tier": …, "tasks_sha256": …, "tasks": …, "actions": …, "sha256": …}
    the rest, compressed by lzma: int32 counts of solving actions by task, and the three bytes of each gap between the
    numbers of a task's solving actions, all lowest bytes first
"""

import json
import lzma
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from tumble import engine
from tumble.bounded import BoundError, decompressed, json_value, read_bytes
from tumble.phyre.simulation.action_table import ActionTable
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.phyre.simulation.sweeps.store import OtherSweepError, StoreError, SweepStore, create
from tumble.phyre.tasks.catalogue import published_tasks
from tumble.phyre.tasks.digest import digest_of_tasks
from tumble.phyre.tasks.tier import TIERS, tier_named
from tumble.progress import bar
from tumble.scene.files import whole_file

FORMAT = "tumble-phyre-solved"
GAP_BYTES = 3
MOST_ACTIONS = 1 << 20
"""On each task; a gap has three bytes."""
MOST_CONTENT, MOST_PER_BYTE = 1 << 23, 16
"""Bytes that the compressed part may unpack to, and further ones for each of its bytes; the package's take 2 to 4."""
TASKS_PER_SHARD = 25
"""Of stores that are restored: shards of half a megabyte with 100,000 actions."""


def write(path: str | Path, store: SweepStore) -> None:
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
    packed = _packed(solving)
    header = {
        "format": FORMAT,
        "physics": contents.physics,
        "tier": contents.tier,
        "tasks_sha256": contents.tasks_sha256,
        "tasks": len(swept),
        "actions": contents.actions,
        "sha256": sha256(packed).hexdigest(),
    }
    with whole_file(path) as partial:
        partial.write_bytes(json.dumps(header).encode() + b"\n" + packed)


def _packed(solving: Sequence[np.ndarray]) -> bytes:
    gaps = np.concatenate([np.diff(own, prepend=0) for own in solving]).astype("<u4")
    counts = np.array([len(own) for own in solving], "<i4")
    return lzma.compress(counts.tobytes() + gaps.view(np.uint8).reshape(-1, 4).T[:GAP_BYTES].tobytes())


def read(path: str | Path) -> tuple[str, int, list[np.ndarray]]:
    """The tier, the number of actions, and for each of the first tasks the numbers of the actions that solve it."""
    try:
        first, _, packed = read_bytes(path).partition(b"\n")
        header: Any = json_value(first)
        if not isinstance(header, dict) or header.get("format") != FORMAT or str(header.get("tier")) not in TIERS:
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
    return header["tier"], header["actions"], _unpacked(path, packed, header["tasks"], header["actions"])


@cache
def _published_digest(tier: str) -> str:
    return digest_of_tasks(published_tasks(tier).values())


def _unpacked(path: str | Path, packed: bytes, tasks: int, actions: int) -> list[np.ndarray]:
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


def restore(path: str | Path, folder: str | Path, device: str = "cpu") -> SweepStore:
    """The store of a file, made in a folder: which actions are invalid is computed on a device; it can be resumed."""
    tier, count, solving = read(path)
    tasks, actions = list(published_tasks(tier).values()), fixed_set(tier_named(tier), count)
    store, table = create(folder, tasks, tier, actions, TASKS_PER_SHARD), ActionTable(actions, device)
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
