"""Tasks as the pages need them: bodies with their shapes and colours, the goal in words, SVG pictures."""

import math
import re
from bisect import bisect_left, bisect_right
from functools import cache, lru_cache
from typing import Any

from tumble.phyre.catalogue import tasks_by_id
from tumble.phyre.catalogue.task import HOLD_STEPS, MAX_ATTEMPTS, MAX_STEPS, TIERS, Task, TaskError, goal_words
from tumble.phyre.catalogue.tasks_by_id import solutions
from tumble.phyre.catalogue.templates import NAMES, published_numbers, template
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.observation.view import kind, objects
from tumble.phyre.observation.words import body_name, template_idea
from tumble.scene import Body, Circle, Scene, colour_index
from tumble.scene.svg import decimal, hex_colour
from tumble.web.responses import MEDIA_TYPES, StoredFile, WebError

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
        return tasks_by_id.task(task_id)
    except TaskError as error:
        raise WebError(404, str(error)) from None


@cache
def published_ids() -> list[str]:
    """The ids of all published tasks, sorted."""
    return sorted(tasks_by_id.task_ids())


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


PICTURE_DIGITS = 1
"""After the point: a tenth of a pixel of 256."""


def task_picture(task_id: str) -> StoredFile:
    """A task at its start, without the walls outside the view; about a kilobyte."""
    scene = known_task(task_id).scene
    bodies = "".join(_body_svg(scene.bodies[index]) for index in objects(scene))
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {scene.width:g} {scene.height:g}">'
        f'<path fill="{hex_colour(0)}" d="M0 0h{scene.width:g}v{scene.height:g}H0z"/>'
        f'<g transform="matrix(1 0 0 -1 0 {scene.height:g})">{bodies}</g></svg>'
    )
    return StoredFile.of(text.encode("ascii"), MEDIA_TYPES["svg"])


def _body_svg(body: Body) -> str:
    """A body in its colour, with its shapes where they start."""
    colour = f'fill="{hex_colour(colour_index(body))}"'
    circles = [shape for shape in body.shapes if isinstance(shape, Circle)]
    drawn = []
    for circle in circles:
        x, y = _placed_point(body, circle.centre)
        drawn.append(f'<circle {colour} cx="{x}" cy="{y}" r="{_short_number(circle.radius)}"/>')
    rings = [[_placed_point(body, vertex) for vertex in s.vertices] for s in body.shapes if not isinstance(s, Circle)]
    if rings:
        path = "".join("M" + "L".join(f"{x} {y}" for x, y in ring) + "z" for ring in rings)
        drawn.append(f'<path {colour} d="{path}"/>')
    return "".join(drawn)


def _placed_point(body: Body, point: tuple[float, float]) -> tuple[str, str]:
    c, s = math.cos(body.angle), math.sin(body.angle)
    x, y = point
    return _short_number(body.position[0] + x * c - y * s), _short_number(body.position[1] + x * s + y * c)


def _short_number(value: float) -> str:
    return decimal(round(value, PICTURE_DIGITS))
