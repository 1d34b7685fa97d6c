"""Keeps the simulator of the tasks that a vector environment's episodes are at."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

S = TypeVar("S")

MIN_CACHED = 64
"""Tasks that a simulator may have even if there are fewer episodes."""


class SimulatorCache(Generic[S]):
    """Makes a new simulator only when an episode is at a task that the current one lacks.

    Making one costs a fraction of a rollout for each of its tasks, so it keeps the tasks that it had, unless these
    become more than MIN_CACHED and twice the episodes.
    """

    def __init__(self, make: Callable[[Sequence[Any]], S], num_envs: int) -> None:
        self._make, self._max_tasks = make, max(MIN_CACHED, 2 * num_envs)
        self._tasks: dict[Hashable, Any] = {}
        self._simulator = make([])

    def simulator(self, tasks: dict[Hashable, Any]) -> S:
        """A simulator that has these tasks, given by key."""
        if not tasks.keys() <= self._tasks.keys():
            merged = self._tasks | tasks
            self._tasks = merged if len(merged) <= self._max_tasks else dict(tasks)
            self._simulator = self._make(list(self._tasks.values()))
        return self._simulator

    def index(self, key: Hashable) -> int:
        """The number of a task in the current simulator."""
        return list(self._tasks).index(key)
