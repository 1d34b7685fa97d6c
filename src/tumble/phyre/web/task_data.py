"""Tasks as the page needs them: bodies with their shapes and colours, and the goal in words."""

import re
from bisect import bisect_left, bisect_right
from functools import cache, lru_cache
from typing import Any

from tumble.phyre.generation.solutions import solutions
from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.observation.body_names import body_name
from tumble.phyre.observation.describe import template_idea
from tumble.phyre.observation.view import kind
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.relations import goal_words
from tumble.phyre.tasks.task import HOLD_STEPS, MAX_ATTEMPTS, MAX_STEPS, Task
from tumble.phyre.tasks.templates import NAMES, published_numbers, template
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Circle, Scene, colour_index
from tumble.web.errors import WebError

TASK_ID = r"[0-9]{5}:[0-9]{3}"


def is_id(text: str) -> bool:
    """Whether a text is the id of a task that may exist: of a known template, with a number below 1000."""
    return re.fullmatch(TASK_ID, text) is not None and text[:5] in NAMES


@lru_cache(maxsize=5000)
def known_task(task_id: str) -> Task:
    """A task by its id, published or not; a WebError with status 404 if there is none."""
    if not is_id(task_id):
        raise WebError(404, "no such task: an id is a template and a number, as in 00013:042")
    try:
        return catalogue.task(task_id)
    except TaskError as error:
        raise WebError(404, str(error)) from None


@cache
def published_ids() -> list[str]:
    """The ids of all published tasks, sorted."""
    return sorted(catalogue.task_ids())


@cache
def gallery() -> dict[str, Any]:
    """All templates with the ids of their published tasks."""
    rows = []
    for key, name in NAMES.items():
        design = template(key)
        rows.append(
            {
                "id": key,
                "name": name.replace("_", " "),
                "tier": design.tier,
                "idea": template_idea(design.description),
                "numbers": [f"{number:03d}" for number in published_numbers()[key]],
            }
        )
    return {"templates": rows}


def task_data(task_id: str) -> dict[str, Any]:
    """A task by its id for the canvas, with its neighbours."""
    ids = published_ids()
    key = task_id.partition(":")[0]
    return {
        **scene_data(known_task(task_id)),
        "template": NAMES[key].replace("_", " "),
        "idea": template_idea(template(key).description),
        "previous": ids[bisect_left(ids, task_id) - 1],
        "next": ids[bisect_right(ids, task_id) % len(ids)],
        "solution": task_id in solutions(),
    }


def scene_data(task: Task) -> dict[str, Any]:
    """A task for the canvas; lengths are in pixels, y points up."""
    return {
        "id": task.id,
        "tier": task.tier,
        "balls": TIERS[task.tier].balls,
        "attempts": MAX_ATTEMPTS,
        "steps": MAX_STEPS,
        "hold": task.hold_steps,
        "goal": _goal(task),
        "width": task.scene.width,
        "height": task.scene.height,
        "bodies": [_body(task.scene, index) for index in range(len(task.scene.bodies))],
    }


def _goal(task: Task) -> dict[str, Any]:
    """The goal: its words with {A} and {B} for the two bodies, and what these are."""
    words = goal_words(task.relations, "{A}", "{B}", HOLD_STEPS / STEPS_PER_SECOND)
    return {"words": words, "A": task.body, "B": task.other}


def _body(scene: Scene, index: int) -> dict[str, Any]:
    body = scene.bodies[index]
    return {
        "name": body_name(scene, index),
        "kind": kind(body),
        "colour": colour_index(body),
        "dynamic": body.dynamic,
        "pose": [*body.position, body.angle],
        "shapes": [
            [*shape.centre, shape.radius] if isinstance(shape, Circle) else [list(vertex) for vertex in shape.vertices]
            for shape in body.shapes
        ],
    }
