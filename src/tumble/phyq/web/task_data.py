"""Tasks as the pages need them: the gallery by scenario, and a task with what is told after playing."""

import re
from functools import cache
from typing import Any

from tumble.phyq.evaluation.metrics import published_broad
from tumble.phyq.evaluation.published_results import HUMAN
from tumble.phyq.generation.solutions import solutions
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE, cached_task, task_ids
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.templates import SCENARIOS, template, templates
from tumble.phyq.web.level_data import level_data
from tumble.web.errors import WebError

TASK_ID = r"[0-9]{1,2}\.[0-9]{1,2}:[0-9]{3}"


def is_id(text: str) -> bool:
    """Whether a text is the id of one of the benchmark's tasks."""
    if re.fullmatch(TASK_ID, text, re.ASCII) is None:
        return False
    key, _, number = text.partition(":")
    return key in templates() and int(number) < TASKS_PER_TEMPLATE


def known_task(task_id: str) -> Task:
    """A task by its id; a WebError with status 404 if there is none."""
    if not is_id(task_id):
        raise WebError(404, "no such task: an id is a template and a number from 000 to 099, as in 6.4:017")
    return cached_task(task_id)


def gallery() -> dict[str, Any]:
    """All scenarios with their templates. It says nothing about how they are solved."""
    rows = []
    for number, name in SCENARIOS.items():
        designs = [design for design in templates().values() if design.scenario == number]
        facts = [{"id": one.id, "birds": len(one.base.birds), "pigs": len(one.base.pigs)} for one in designs]
        rows.append({"number": number, "name": name, "templates": facts})
    return {"scenarios": rows, "tasks": TASKS_PER_TEMPLATE}


def task_data(task_id: str) -> dict[str, Any]:
    """A task for the page; `rule` and `rates` are for after playing."""
    task = known_task(task_id)
    ids, place = _order()
    at = place[task_id]
    return {
        "id": task_id,
        "scenario": task.scenario,
        "title": SCENARIOS[task.scenario],
        "rule": template(task.template).idea,
        "rates": {"people": HUMAN[task.scenario][0], "random": published_broad("Random")[task.scenario]},
        "previous": ids[at - 1],
        "next": ids[(at + 1) % len(ids)],
        "solution": task_id in solutions(),
        **level_data(task.level),
    }


@cache
def _order() -> tuple[list[str], dict[str, int]]:
    ids = task_ids()
    return ids, {task_id: k for k, task_id in enumerate(ids)}
