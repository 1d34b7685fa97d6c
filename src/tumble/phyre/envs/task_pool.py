"""The tasks that an environment draws from."""

from tumble import envs
from tumble.phyre.tasks.catalogue import task, task_ids
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import tier_named

Tasks = envs.Tasks[Task]


class TaskPool(envs.TaskPool[Task]):
    """Tasks of one tier by id: those passed in, or all published ones."""

    def __init__(self, tier: str, tasks: Tasks | None = None) -> None:
        self.tier = tier_named(tier).name
        super().__init__(tasks, task_ids(tier), task, Task, f" of tier {tier}")

    def check(self, task: Task) -> None:
        """Raises an EnvError for a task of the other tier."""
        if task.tier != self.tier:
            raise envs.EnvError(f"task {task.id} is of tier {task.tier}, not {self.tier}")
