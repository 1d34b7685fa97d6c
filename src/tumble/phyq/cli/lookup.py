"""Looks up tasks by an id, a template, or a level file."""

import warnings
from pathlib import Path

from tumble.phyq.tasks.catalogue import UncheckedTaskWarning
from tumble.phyq.tasks.catalogue import task as task_by_id
from tumble.phyq.tasks.files.formats import FORMATS, load_level
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.templates import template, templates


def find_task(text: str) -> Task:
    """The task with an id like "6.4:003", with the base level of a template like "6.4", or with the level of a file."""
    path = Path(text)
    if path.is_file() or path.suffix.lower() in FORMATS or len(path.parts) > 1:
        return Task(path.name, load_level(path))
    if text in templates():
        design = template(text)
        return Task(design.id, design.base, design.id, design.scenario)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncheckedTaskWarning)  # the title of the task says it
        return task_by_id(text)
