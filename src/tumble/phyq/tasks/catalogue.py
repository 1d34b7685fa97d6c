"""Tasks by id."""

import re
from functools import lru_cache

from tumble.checks import is_a
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.template import TemplateError
from tumble.phyq.tasks.templates import SCENARIOS, template, templates

TASKS_PER_TEMPLATE = 100
"""Tasks of each template that belong to the benchmark; a template can make any number."""


def task(task_id: str) -> Task:
    """The task of an id.

    >>> found = task("6.4:017")
    >>> found.template, found.scenario, found.level.birds
    ('6.4', 6, ('red',))
    """
    parts = re.fullmatch(r"(\d+\.\d+):(\d{1,9})", task_id) if is_a(str, task_id) else None
    if not parts:
        raise TemplateError(f"no task {task_id!r}: an id is a template and a number, as in 6.4:017")
    design = template(parts[1])
    number = int(parts[2])
    return Task(design.task_id(number), design.level(number), design.id, design.scenario)


def task_ids(scenario: int | None = None, template_id: str | None = None) -> list[str]:
    """The ids of the benchmark's tasks: of a template, of a scenario, or all 7,500.

    >>> task_ids(scenario=14)[-1], len(task_ids())
    ('14.2:099', 7500)
    """
    if scenario is not None and scenario not in SCENARIOS:
        raise TemplateError(f"no scenario {scenario}; there are 1 to {len(SCENARIOS)}")
    designs = list(templates().values()) if template_id is None else [template(template_id)]
    if template_id is not None and scenario not in (None, designs[0].scenario):
        raise TemplateError(f"template {template_id} is of scenario {designs[0].scenario}, not {scenario}")
    return [
        design.task_id(number)
        for design in designs
        if scenario in (None, design.scenario)
        for number in range(TASKS_PER_TEMPLATE)
    ]


@lru_cache(maxsize=8192)
def cached_task(task_id: str) -> Task:
    """The task of an id; its level is built once."""
    return task(task_id)
