"""A simulator that looks into a sweep store first, so that nothing is simulated twice."""

from collections.abc import Iterable, Sequence

import numpy as np

from tumble.phyre.simulation.actions import as_actions
from tumble.phyre.simulation.simulator import Progress, Simulator
from tumble.phyre.simulation.sweeps.store import StoreError, SweepStore
from tumble.phyre.tasks.digest import digest_of_tasks
from tumble.phyre.tasks.task import Task


class StoredSimulator(Simulator):
    """A simulator whose store knows some actions on its tasks; it simulates the rest."""

    def __init__(
        self, tasks: Iterable[Task], tier: str, store: SweepStore, device: str = "cpu", threads: int = 0
    ) -> None:
        super().__init__(tasks, tier, device, threads)
        if store.contents.tier != tier:
            raise StoreError(f"{store.path} is of tier {store.contents.tier}, not {tier}")
        own = {task.id: task for task in self.tasks}
        swept = [own[task_id] for task_id in store.task_ids if task_id in own]
        if len(swept) < len(store.task_ids) or digest_of_tasks(swept) != store.contents.tasks_sha256:
            raise StoreError(f"{store.path} was swept on other tasks; sweep these into another folder")
        self._store = store
        self._swept = frozenset(store.task_ids) - frozenset(store.missing())
        self._column = {action.tobytes(): k for k, action in enumerate(store.actions)}

    def only(self, tasks: Iterable[Task]) -> "StoredSimulator":
        """The same for some of its tasks; of the others it knows nothing."""
        chosen = list(tasks)
        strange = next((task.id for task in chosen if self.task(task.id) != task), None)
        if strange is not None:
            raise ValueError(f"task {strange} is another one than that of the same id in this simulator")
        narrow = object.__new__(StoredSimulator)
        Simulator.__init__(narrow, chosen, self.tier.name, self.options.device, self.options.threads)
        narrow._store, narrow._column = self._store, self._column
        narrow._swept = self._swept & {task.id for task in chosen}
        return narrow

    def sweep(
        self, actions: object, task_ids: Sequence[str] | None = None, progress: Progress | None = None
    ) -> np.ndarray:
        """As of any simulator; the store answers for tasks that were swept, if it has all of the actions."""
        chosen = as_actions(actions, self.tier)
        ids = [task.id for task in self.tasks] if task_ids is None else list(task_ids)
        columns = self._columns(chosen)
        known = self._are_swept(ids) & bool((columns >= 0).all())
        statuses = np.zeros((len(ids), len(chosen)), np.int8)
        if known.any():
            statuses[known] = self._store.statuses([ids[k] for k in np.flatnonzero(known)], columns)
        rest = [ids[k] for k in np.flatnonzero(~known)]
        if rest:
            statuses[~known] = super().sweep(chosen, rest, progress)
        return statuses

    def pairs(
        self, task_ids: Sequence[str], actions: object, stable: bool = False, progress: Progress | None = None
    ) -> np.ndarray:
        """As of any simulator; which solutions are stable the store does not know."""
        if stable:
            return super().pairs(task_ids, actions, stable, progress)
        chosen = as_actions(actions, self.tier)
        columns = self._columns(chosen)
        known = np.flatnonzero((columns >= 0) & self._are_swept(task_ids))
        statuses = np.zeros(len(chosen), np.int8)
        ids, row = np.unique(np.asarray(task_ids, str)[known], return_inverse=True)
        if len(known):
            statuses[known] = self._store.statuses(ids.tolist())[row, columns[known]]
        rest = np.setdiff1d(np.arange(len(chosen)), known)
        if len(rest):
            statuses[rest] = super().pairs([task_ids[k] for k in rest], chosen[rest], progress=progress)
        return statuses

    def outcomes(self, task_ids: Sequence[str], actions: object) -> tuple[np.ndarray, np.ndarray]:
        """As of any simulator; the store does not know steps, which are 0 where it answers."""
        chosen = as_actions(actions, self.tier)
        known = (self._columns(chosen) >= 0) & self._are_swept(task_ids)
        status, steps = np.zeros(len(chosen), np.int8), np.zeros(len(chosen), np.int32)
        for rows, ask in ((np.flatnonzero(known), self._stored), (np.flatnonzero(~known), super().outcomes)):
            if len(rows):
                status[rows], steps[rows] = ask([task_ids[int(k)] for k in rows], chosen[rows])
        return status, steps

    def _stored(self, task_ids: Sequence[str], actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.pairs(task_ids, actions), np.zeros(len(actions), np.int32)

    def _columns(self, actions: np.ndarray) -> np.ndarray:
        """Where the store has each action, or -1."""
        return np.array([self._column.get(action.tobytes(), -1) for action in actions], int)

    def _are_swept(self, task_ids: Sequence[str]) -> np.ndarray:
        return np.array([task_id in self._swept for task_id in task_ids], bool)
