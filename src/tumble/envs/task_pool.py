"""The tasks that an environment draws from."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Generic, Protocol, TypeVar

import numpy as np


class HasId(Protocol):
    """Whatever is a task."""

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=HasId)
Tasks = Mapping[str, T] | Iterable[str | T]
"""What an environment can be given to draw from."""


class TaskPool(Generic[T]):
    """Tasks by id: those given, or all published ones; published ones are built when first asked for."""

    def __init__(
        self,
        tasks: Tasks[T] | None,
        published: Iterable[str],
        build: Callable[[str], T],
        kind: type[T],
        described: str = "",
    ) -> None:
        if isinstance(tasks, str | kind):
            raise ValueError("tasks must be a list of ids or tasks, not a single one")
        self._build, self._kind, self._described = build, kind, described
        self._built: dict[str, T] = {}
        known = dict.fromkeys(published)
        given = known if tasks is None else tasks.values() if isinstance(tasks, Mapping) else tasks
        self.ids = tuple(self._admitted(one, known) for one in given)
        self._known = frozenset(self.ids)
        if not self.ids:
            raise ValueError("tasks is empty: give at least one, or None for all published ones")
        task_id, times = Counter(self.ids).most_common(1)[0]
        if times > 1:
            raise ValueError(f"task {task_id} is given {times} times")

    def check(self, task: T) -> None:
        """Refuses a task that does not belong here."""

    def _admitted(self, given: str | T, published: Container[str]) -> str:
        """The id of what was given, which is built and kept here unless it is published."""
        if isinstance(given, str) and given in published:
            return given
        own = self._build(given) if isinstance(given, str) else given
        if not isinstance(own, self._kind):
            raise ValueError(f"tasks must be ids or tasks, not {own!r}")
        self.check(own)
        self._built[own.id] = own
        return own.id

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, task_id: object) -> T:
        if not isinstance(task_id, str) or task_id not in self._known:
            raise ValueError(f"no task {task_id!r} in this environment, which has {self._summary()}")
        if task_id not in self._built:
            self._built[task_id] = self._build(task_id)
        return self._built[task_id]

    def draw(self, rng: np.random.Generator) -> T:
        """A random task."""
        return self[self.ids[int(rng.integers(len(self.ids)))]]

    def _summary(self) -> str:
        shown = ", ".join(self.ids[:3]) + (", …" if len(self.ids) > 3 else "")
        return f"{len(self.ids)}{self._described}: {shown}"
