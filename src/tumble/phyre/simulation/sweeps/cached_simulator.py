"""A simulator that looks statuses up in a sweep store, so that nothing is simulated twice."""

from collections.abc import Iterable, Sequence

import numpy as np

from tumble.phyre.simulation.actions import as_actions
from tumble.phyre.simulation.attempt import SimulationError
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.sweeps.store import OtherSweepError, StoreError, SweepStore
from tumble.phyre.tasks.digest import digest_of_tasks
from tumble.phyre.tasks.task import Task
from tumble.progress import Advance


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

    def outcomes(self, task_ids: Sequence[str], actions: object) -> tuple[np.ndarray, np.ndarray]:
        """See `Simulator.outcomes`; steps are 0 for attempts from the store, which does not know them."""
        table = as_actions(actions, self.tier)
        stored = (self._columns(table) >= 0) & self._are_swept(task_ids)
        status, steps = np.zeros(len(table), np.int8), np.zeros(len(table), np.int32)
        for rows, source in ((np.flatnonzero(stored), self._from_store), (np.flatnonzero(~stored), super().outcomes)):
            if len(rows):
                status[rows], steps[rows] = source([task_ids[int(k)] for k in rows], table[rows])
        return status, steps

    def _from_store(self, task_ids: Sequence[str], actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.pairs(task_ids, actions), np.zeros(len(actions), np.int32)

    def _columns(self, actions: np.ndarray) -> np.ndarray:
        """int [n]: the number of each action in the store, or -1."""
        return np.array([self._column.get(action.tobytes(), -1) for action in actions], int)

    def _are_swept(self, task_ids: Sequence[str]) -> np.ndarray:
        return np.array([task_id in self._swept for task_id in task_ids], bool)
