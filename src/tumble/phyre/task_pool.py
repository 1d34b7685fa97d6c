"""The tasks that an environment draws from."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping

import numpy as np

from tumble.phyre.actions import TIERS
from tumble.phyre.library import task, task_ids
from tumble.phyre.tasks import Task

Tasks = Mapping[str, Task] | Iterable[str | Task]
"""What an environment can be given to draw from."""


class TaskPool:
    """Tasks of one tier by id: those given, or all published ones; published ones are built when first asked for."""

    def __init__(self, tier: str, tasks: Tasks | None = None) -> None:
        if tier not in TIERS:
            raise ValueError(f"no tier {tier!r}; there are {', '.join(TIERS)}")
        if isinstance(tasks, str | Task):
            raise ValueError("tasks must be a list of ids or tasks, not a single one")
        self.tier = tier
        self._built: dict[str, Task] = {}
        published = dict.fromkeys(task_ids(tier))
        given = published if tasks is None else tasks.values() if isinstance(tasks, Mapping) else tasks
        self.ids = tuple(self._admitted(one, published) for one in given)
        self._known = frozenset(self.ids)
        if not self.ids:
            raise ValueError("tasks is empty: give at least one, or None for all published ones")
        task_id, times = Counter(self.ids).most_common(1)[0]
        if times > 1:
            raise ValueError(f"task {task_id} is given {times} times")

    def _admitted(self, given: str | Task, published: Container[str]) -> str:
        """The id of what was given, which is built and kept here unless it is published."""
        if isinstance(given, str) and given in published:
            return given
        own = task(given) if isinstance(given, str) else given
        if not isinstance(own, Task):
            raise ValueError(f"tasks must be ids or tasks, not {own!r}")
        if own.tier != self.tier:
            raise ValueError(f"task {own.id} is of tier {own.tier}, not {self.tier}")
        self._built[own.id] = own
        return own.id

    def __getitem__(self, task_id: object) -> Task:
        if not isinstance(task_id, str) or task_id not in self._known:
            raise ValueError(f"no task {task_id!r} in this environment, which has {self._summary()}")
        if task_id not in self._built:
            self._built[task_id] = task(task_id)
        return self._built[task_id]

    def draw(self, rng: np.random.Generator) -> Task:
        """A random task."""
        return self[self.ids[int(rng.integers(len(self.ids)))]]

    def _summary(self) -> str:
        shown = ", ".join(self.ids[:3]) + (", …" if len(self.ids) > 3 else "")
        return f"{len(self.ids)} of tier {self.tier}: {shown}"
