"""Keeps the simulator of the tasks that a vector environment's episodes are at."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from tumble.envs.task_pool import TaskPool

S = TypeVar("S")

MIN_CACHED = 64
"""Tasks that a simulator may have even if there are fewer episodes."""


class SimulatorCache(Generic[S]):
    """Makes a new simulator only when an episode is at a task that the current one lacks.

    Making one costs a fraction of a rollout for each of its tasks. So it has all tasks of a small pool; of a large one
    it keeps the tasks that it had, unless these become more than MIN_CACHED and twice the episodes.
    """

    def __init__(self, make: Callable[[Sequence[Any]], S], pool: TaskPool[Any], num_envs: int) -> None:
        self._make, self._pool, self._max_tasks = make, pool, max(MIN_CACHED, 2 * num_envs)
        self._tasks: dict[str, Any] = {}
        self._indices: dict[str, int] = {}
        self._simulator = make([])

    def simulator(self, tasks: Sequence[Any]) -> S:
        """A simulator that has these tasks."""
        if any(task.id not in self._tasks for task in tasks):
            wanted = {task.id: task for task in tasks}
            if len(self._pool) <= MIN_CACHED:
                merged = {task_id: self._pool[task_id] for task_id in self._pool.ids}
            else:
                merged = self._tasks | wanted
            self._tasks = merged if len(merged) <= self._max_tasks else wanted
            self._indices = {task_id: k for k, task_id in enumerate(self._tasks)}
            self._simulator = self._make(list(self._tasks.values()))
        return self._simulator

    def index(self, task: Any) -> int:
        """The number of a task in the current simulator."""
        return self._indices[task.id]
