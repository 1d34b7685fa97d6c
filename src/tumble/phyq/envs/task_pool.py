"""The tasks that an environment draws from."""

from tumble import envs
from tumble.envs.errors import EnvError
from tumble.phyq.tasks.catalogue import task, task_ids
from tumble.phyq.tasks.task import Task

Tasks = envs.Tasks[Task]


class TaskPool(envs.TaskPool[Task]):
    """Tasks by id: the given ones, or those of a scenario, of a template or of the whole benchmark."""

    def __init__(self, scenario: int | None = None, template: str | None = None, tasks: Tasks | None = None) -> None:
        if sum(choice is not None for choice in (scenario, template, tasks)) > 1:
            raise EnvError("give a scenario, a template or tasks, not several of them")
        super().__init__(tasks, task_ids(scenario, template), task, Task)
