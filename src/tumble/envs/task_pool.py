"""The tasks that an environment draws from."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Generic, Protocol, TypeVar

import numpy as np

from tumble.envs.errors import EnvError


class HasId(Protocol):
    """A task."""

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=HasId)
Tasks = Mapping[str, T] | Iterable[str | T]
"""Tasks as an environment accepts them: a mapping by id, or ids and tasks."""


class TaskPool(Generic[T]):
    """Tasks by id: those passed in, or all published ones. A task named by its id is built on first use."""

    def __init__(
        self,
        tasks: Tasks[T] | None,
        published_ids: Iterable[str],
        build: Callable[[str], T],
        task_type: type[T],
        qualifier: str = "",
    ) -> None:
        """`build` makes a task from its id; `qualifier` follows the number of tasks in messages."""
        if isinstance(tasks, str | task_type):
            raise EnvError("tasks must be a list of ids or tasks, not a single one")
        self._build, self._task_type, self._qualifier = build, task_type, qualifier
        self._built: dict[str, T] = {}
        published = dict.fromkeys(published_ids)
        entries = published if tasks is None else tasks.values() if isinstance(tasks, Mapping) else tasks
        self.ids = tuple(self._add(entry, published) for entry in entries)
        self._id_set = frozenset(self.ids)
        if not self.ids:
            raise EnvError("tasks is empty: give at least one, or None for all published ones")
        task_id, times = Counter(self.ids).most_common(1)[0]
        if times > 1:
            raise EnvError(f"task {task_id} is given {times} times")

    def check(self, task: T) -> None:
        """Raises an EnvError for a task that does not belong here; for subclasses to override."""

    def _add(self, entry: str | T, published: Container[str]) -> str:
        """The id of a task; tasks that are not published are built and checked at once."""
        if isinstance(entry, str) and entry in published:
            return entry
        task = self._build(entry) if isinstance(entry, str) else entry
        if not isinstance(task, self._task_type):
            raise EnvError(f"tasks must be ids or tasks, not {task!r}")
        self.check(task)
        self._built[task.id] = task
        return task.id

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, task_id: object) -> T:
        if not isinstance(task_id, str) or task_id not in self._id_set:
            raise EnvError(f"no task {task_id!r} in this environment, which has {self._summary()}")
        if task_id not in self._built:
            self._built[task_id] = self._build(task_id)
        return self._built[task_id]

    def draw(self, rng: np.random.Generator) -> T:
        """A random task."""
        return self[self.ids[int(rng.integers(len(self.ids)))]]

    def _summary(self) -> str:
        first_ids = ", ".join(self.ids[:3]) + (", …" if len(self.ids) > 3 else "")
        return f"{len(self.ids)}{self._qualifier}: {first_ids}"
