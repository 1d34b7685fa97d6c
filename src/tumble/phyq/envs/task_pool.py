"""The tasks that an environment draws from."""

from tumble import envs
from tumble.phyq.tasks.catalogue import task, task_ids
from tumble.phyq.tasks.task import Task

Tasks = envs.Tasks[Task]


class TaskPool(envs.TaskPool[Task]):
    """Tasks by id: those given, or the benchmark's of a scenario or template."""

    def __init__(self, scenario: int | None = None, template: str | None = None, tasks: Tasks | None = None) -> None:
        if sum(given is not None for given in (scenario, template, tasks)) > 1:
            raise ValueError("give a scenario, a template or tasks, not several of them")
        super().__init__(tasks, task_ids(scenario, template), task, Task)
