"""Tasks by id."""

import re
import warnings
from functools import lru_cache

from tumble.checks import is_a
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.template import Template, TemplateError
from tumble.phyq.tasks.templates import SCENARIOS, template, templates

TASKS_PER_TEMPLATE = 100
"""Tasks of each template that belong to the benchmark; a template can make any number."""

_warned = False


class UncheckedTaskWarning(UserWarning):
    """A task that is drawn from its template without any check."""


def task(task_id: str) -> Task:
    """The task of an id: of the benchmark, or with a number from 100 on, then unchecked.

    Ids with a draw too, as in 6.4:104.2, are those of checked tasks from `phyq.make_tasks`.

    >>> found = task("6.4:017")
    >>> found.template, found.scenario, found.level.birds, found.checked
    ('6.4', 6, ('red',), True)
    """
    parts = re.fullmatch(r"(\d+\.\d+):(\d{1,9})(?:\.(\d{1,4}))?", task_id) if is_a(str, task_id) else None
    if not parts:
        raise TemplateError(f"no task {task_id!r}: an id is a template and a number, as in 6.4:017")
    design, number = template(parts[1]), int(parts[2])
    if parts[3] is not None:
        draw = int(parts[3])
        return Task(made_id(design, number, draw), design.draw(number, draw), design.id, design.scenario, checked=True)
    checked = number < TASKS_PER_TEMPLATE
    if not checked:
        _warn_once(design.task_id(number))
    return Task(design.task_id(number), design.level(number), design.id, design.scenario, checked)


def made_id(design: Template, number: int, draw: int) -> str:
    """The id of a made task: with the draw that was accepted."""
    return f"{design.task_id(number)}.{draw}"


def _warn_once(task_id: str) -> None:
    """Warns of the first unchecked task of this process."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"task {task_id} is unchecked, like all from number {TASKS_PER_TEMPLATE} on: it may have no solution, or be"
            " won by a direct shot; `tumble phyq make` makes checked tasks",
            UncheckedTaskWarning,
            stacklevel=3,
        )


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
