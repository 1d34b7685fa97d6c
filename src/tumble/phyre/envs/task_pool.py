"""The tasks that an environment draws from."""

from tumble import envs
from tumble.phyre.tasks.catalogue import task, task_ids
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS

Tasks = envs.Tasks[Task]


class TaskPool(envs.TaskPool[Task]):
    """Tasks of one tier by id: those given, or all published ones."""

    def __init__(self, tier: str, tasks: Tasks | None = None) -> None:
        if tier not in TIERS:
            raise ValueError(f"no tier {tier!r}; there are {', '.join(TIERS)}")
        self.tier = tier
        super().__init__(tasks, task_ids(tier), task, Task, f" of tier {tier}")

    def check(self, task: Task) -> None:
        """Refuses tasks of the other tier."""
        if task.tier != self.tier:
            raise ValueError(f"task {task.id} is of tier {task.tier}, not {self.tier}")
