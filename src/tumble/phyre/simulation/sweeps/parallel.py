"""Fills a sweep store with the workers of an executor, whose number does not change a byte.

Workers simulate some tasks each and return the statuses; only this process writes shards, each as soon as it has all of
its rows. Workers need no access to the store, so those of a cluster need no shared disk.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from tumble.jobs.job import Executor, Job, ProgressCallback, total_progress
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.sweeps.store import StoreError, SweepStore
from tumble.phyre.tasks.task import Task
from tumble.progress import bar

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
            for shard in _complete(store, shards, rows):
                store.write_shard(shard, np.stack([rows.pop(one) for one in store.shard_ids(shard)]))
                shards.remove(shard)
    if errors:
        listed = sorted(errors)[:MAX_LISTED]
        more = [f"{len(errors) - MAX_LISTED} more"] if len(errors) > MAX_LISTED else []
        raise StoreError("; ".join([*listed, *more]) + "; the other shards are kept, sweep again to resume")


def _complete(store: SweepStore, shards: Sequence[int], rows: dict[str, np.ndarray]) -> Iterator[int]:
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
