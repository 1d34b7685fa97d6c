"""A cache of statuses: the original's interface to a sweep store of any size."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import numpy as np

from tumble.phyre.compat.metrics import tier_of
from tumble.phyre.simulation.shipped_sweeps import shipped_store
from tumble.phyre.simulation.sweep_files import StoreError, SweepStore, open_store

CACHE_FOLDER = "TUMBLE_PHYRE_CACHE"
"""The environment variable with the folder of sweep stores, one in a sub-folder for each tier: ball and two_balls."""
DEFAULT_ACTIONS = 100_000


class Sample(TypedDict):
    """Statuses [tasks, n] of actions [n, numbers] on tasks."""

    task_ids: tuple[str, ...]
    actions: np.ndarray
    simulation_statuses: np.ndarray


class SimulationCache:
    """The statuses of a fixed set of actions on many tasks: -1 not solved, 0 invalid, 1 solved."""

    def __init__(self, store: SweepStore) -> None:
        self._store = store
        self.action_array = store.actions
        """float [n, numbers]."""
        self.task_ids = frozenset(store.task_ids)

    def __len__(self) -> int:
        """The number of actions."""
        return len(self.action_array)

    def load_simulation_states(self, task_id: str) -> np.ndarray:
        """int8 [n]: the status of each action on a task."""
        return np.asarray(self._store.statuses([task_id])[0])

    def get_sample(self, task_ids: Sequence[str] | None = None, num_actions: int | None = None) -> Sample:
        """The statuses of the first `num_actions` actions on some tasks; by default of all actions on all tasks."""
        ids = tuple(self._store.task_ids if task_ids is None else task_ids)
        count = len(self) if num_actions is None else num_actions
        if not 0 <= count <= len(self):
            raise StoreError(f"{self._store.path} has {len(self):,} actions, not {count:,}")
        statuses = self._store.statuses(ids, np.arange(count))
        return {"task_ids": ids, "actions": self.action_array[:count], "simulation_statuses": statuses}


def get_default_100k_cache(tier: str, path: str | Path | None = None) -> SimulationCache:
    """The cache of a tier ("ball" or "two_balls").

    It is the sweep store in `path`, else in the folder of the tier's name below $TUMBLE_PHYRE_CACHE. If neither is
    given, it warns and opens the store that is shipped with Tumble, which has 1,000 actions instead of 100,000.
    """
    ours = tier_of(tier).name
    folder = os.environ.get(CACHE_FOLDER)
    where = Path(path) if path is not None else Path(folder) / tier if folder else None
    if where is None:
        store = shipped_store(ours)
        make = _command(f"FOLDER/{tier}", ours)
        warnings.warn(
            f"this cache has {len(store.actions):,} actions instead of {DEFAULT_ACTIONS:,}: Tumble downloads nothing. "
            f"Make a larger one with `{make}` and set {CACHE_FOLDER}=FOLDER",
            stacklevel=2,
        )
        return SimulationCache(store)
    try:
        store = open_store(where)
    except StoreError as error:
        raise StoreError(f"{error}. To make one: {_command(str(where), ours)}") from None
    if store.contents.tier != ours:
        raise StoreError(f"{where} is of tier {store.contents.tier}, not {ours} ({tier})")
    return SimulationCache(store)


def _command(folder: str, tier: str) -> str:
    """The command that makes a store."""
    return f"tumble phyre sweep {folder} --tier {tier} --actions {DEFAULT_ACTIONS}"
