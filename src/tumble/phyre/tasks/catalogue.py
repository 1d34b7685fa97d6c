"""The tasks of our templates, by id."""

import re
from functools import lru_cache

from tumble.checks import is_a
from tumble.phyre.tasks.errors import TemplateError
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.templates import published_numbers, template
from tumble.phyre.tasks.tier import tier_named


def task(task_id: str) -> Task:
    """The task of an id like "00013:042", published or not.

    >>> task("00013:042").tier
    'B'
    """
    parts = re.fullmatch(r"(\w+):(\d{1,9})", task_id) if is_a(str, task_id) else None
    if not parts:
        raise TemplateError(f"no task {task_id!r}: an id is a template and a number, as in 00013:042")
    return template(parts[1]).task(int(parts[2]))


def task_ids(tier: str | None = None) -> list[str]:
    """The ids of the published tasks of a tier, or of both."""
    if tier is not None:
        tier_named(tier)
    return [
        f"{key}:{number:03d}"
        for key, numbers in published_numbers().items()
        if tier is None or template(key).tier == tier
        for number in numbers
    ]


def tasks(tier: str | None = None) -> dict[str, Task]:
    """The published tasks of a tier, or of both, by id."""
    return {task_id: task(task_id) for task_id in task_ids(tier)}


@lru_cache(maxsize=2)
def published_tasks(tier: str) -> dict[str, Task]:
    """The published tasks of a tier by id, built once per process."""
    return tasks(tier)
