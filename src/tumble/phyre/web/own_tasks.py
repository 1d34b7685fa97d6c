"""Tasks that people make on the page: read by the reader of task files, and tasks as such files have them."""

import json
from typing import Any

from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.phyre.tasks.builder import WALLS
from tumble.phyre.tasks.files import own_json
from tumble.phyre.tasks.relations import CODES, goal_words
from tumble.phyre.tasks.shapes import STICKS_ANGLE, THICKNESS
from tumble.phyre.tasks.task import HOLD_STEPS, MATERIAL, UNITS_PER_METRE, Task
from tumble.phyre.web.own_schemas import MOST_BODIES, MOST_MOVING
from tumble.phyre.web.task_data import known_task, scene_data
from tumble.scene import Scene, to_json


def read_task(record: dict[str, Any]) -> Task:
    """The task of a record, which a file with it would hold too; a TaskError in words where it is invalid."""
    (task,) = own_json.read([record]).values()
    return task


def task_record(task_id: str) -> dict[str, Any]:
    """The record of a task of Tumble's, from which a file with it can be made; read again, it is the same task."""
    (record,) = json.loads(own_json.write([known_task(task_id)]))
    return {"task": record}


def own_task_data(record: dict[str, Any]) -> dict[str, Any]:
    """A task that a person made, for the page on which it is played."""
    return {**scene_data(read_task(record)), "template": "own task", "idea": "", "solution": False}


def editor_data() -> dict[str, Any]:
    """What the editor needs to make tasks like PHYRE's: walls, material, measures of shapes, relations in words."""
    walls = json.loads(to_json(Scene(WALLS)))["bodies"]
    seconds = HOLD_STEPS / STEPS_PER_SECOND
    return {
        "units_per_metre": UNITS_PER_METRE,
        "walls": walls,
        "material": MATERIAL,
        "thickness": THICKNESS,
        "sticks_angle": STICKS_ANGLE,
        "relations": {name: goal_words([name], "{A}", "{B}", seconds) for name in CODES},
        "most_bodies": MOST_BODIES,
        "most_moving": MOST_MOVING,
    }
