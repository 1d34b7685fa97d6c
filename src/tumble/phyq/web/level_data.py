"""Levels and tasks as the pages need them: objects with their layers, the law of flight, and small pictures.

Tasks of the benchmark come with what is told after playing, and by scenario for the gallery, which shows SVG pictures
of levels. Levels that people bring are read from the text of a file, with limits, by the readers of level files.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from tumble.phyq.catalogue import level_json, science_birds_xml
from tumble.phyq.catalogue.level import Level, LevelError, bounding_box, placed_corners
from tumble.phyq.catalogue.physics import (
    BIRDS,
    FALL,
    GROUND_Y,
    HALF_WIDTH,
    LAUNCH_SPEED,
    STEP,
    STRETCH_LIMIT,
    TAP_CLEARANCE,
)
from tumble.phyq.catalogue.tasks import TASKS_PER_TEMPLATE, Task, cached_task, task_ids
from tumble.phyq.catalogue.templates import SCENARIOS, template, templates
from tumble.phyq.evaluation.metrics import published_broad
from tumble.phyq.evaluation.published_results import HUMAN
from tumble.phyq.evaluation.run_spec import ATTEMPTS
from tumble.phyq.generation.solutions import solutions
from tumble.phyq.observation.camera import GRASS, NARROWEST, SOIL, Camera, fitted_camera, sling_layers
from tumble.phyq.observation.illustration import ALL_COLOURS, height_for
from tumble.phyq.observation.objects import COLOURS, GameObject, Layer, layers, objects_of, poses_of
from tumble.phyq.simulation.episode_views import objects_and_bodies
from tumble.phyq.simulation.shots import LONGEST_WAIT, SHORTEST_PULL
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.simulation.world import world_of
from tumble.scene.svg import decimal
from tumble.web.responses import MEDIA_TYPES, StoredFile, WebError

DIGITS = 4
"""After the point, of lengths in pictures."""
SLING_ROOM, FLIGHT_ROOM, MARGIN = 1.7, 6.5, 0.5
"""World units that are seen left of and above the bird on the sling, and around all objects."""
RULES = {
    "step": STEP,
    "fall": FALL,
    "launch_speed": LAUNCH_SPEED,
    "stretch_limit": STRETCH_LIMIT,
    "shortest_pull": SHORTEST_PULL,
    "tap_clearance": TAP_CLEARANCE,
    "longest_wait": LONGEST_WAIT,
    "ground": GROUND_Y,
    "half_width": HALF_WIDTH,
}
"""What the page needs to draw the first part of a flight, and to know when a tap has an effect."""
POWERS = {
    "red": "",
    "yellow": "it flies faster",
    "blue": "it splits into three",
    "white": "it drops an egg that explodes",
    "black": "it explodes",
}
"""What a tap does, by the colour of the bird."""


def level_data(level: Level, shown_as: Level | None = None) -> dict[str, Any]:
    """A level for the canvas, drawn with the poses of `shown_as` if it is given: the same level at rest.

    Objects are in the order of `episode_views.motion`; those that may appear later have no pose.
    """
    objects, _ = objects_and_bodies(world_of(level))
    styles: dict[tuple[object, ...], int] = {}
    drawn: list[list[Any]] = []
    rows = []
    poses = poses_of(objects_of(shown_as or level)).tolist()
    for k, one in enumerate(objects):
        key = (one.kind, one.name, one.material, one.size)
        if key not in styles:
            styles[key] = len(drawn)
            drawn.append([layer_data(layer) for layer in layers(one)])
        rows.append({**_names(one), "style": styles[key], "pose": poses[k] if k < len(poses) else None})
    return {
        "objects": rows,
        "styles": drawn,
        "birds": [_bird(colour) for colour in level.birds],
        "first_bird": len(level.pieces),
        "pigs": len(level.pigs),
        "attempts": ATTEMPTS,
        "sling": [layer_data(layer) for layer in sling_layers(level.slingshot)],
        "rest": list(level.rest_point),
        "view": _view(shown_as or level),
        "rules": RULES,
        "colours": colours(),
    }


def layer_data(layer: Layer) -> list[Any]:
    """A layer: its colour and a circle [x, y, radius], or its colour and the corners of a polygon."""
    points = [[round(x, DIGITS), round(y, DIGITS)] for x, y in layer.points.tolist()]
    return [layer.colour, [*points[0], round(layer.radius, DIGITS)] if len(points) == 1 else points]


def _names(one: GameObject) -> dict[str, str]:
    return {name: value for name in ("kind", "name", "material") if (value := getattr(one, name))}


def _bird(colour: str) -> dict[str, Any]:
    return {"colour": colour, "power": POWERS[colour], "radius": BIRDS[colour].circle.radius}


def _view(level: Level) -> list[float]:
    """Left, bottom, right and top of what is seen at first: all objects, with room to draw the sling and to fly."""
    boxes = [bounding_box(one.corners) for one in objects_of(level)]
    rest = level.rest_point
    left = min(*(box.left - MARGIN for box in boxes), rest[0] - SLING_ROOM)
    right = max(*(box.right + MARGIN for box in boxes), left + NARROWEST)
    top = max(*(box.top + MARGIN for box in boxes), rest[1] + FLIGHT_ROOM)
    inside = max(left, -HALF_WIDTH), GROUND_Y - SOIL, min(right, HALF_WIDTH + MARGIN), top
    return [round(edge, DIGITS) for edge in inside]


@cache
def colours() -> dict[str, str]:
    return {name: "#" + bytes(colour).hex() for name, colour in COLOURS.items()}


TASK_ID = r"[0-9]{1,2}\.[0-9]{1,2}:[0-9]{3}"


def is_task_id(text: str) -> bool:
    """Whether a text is the id of one of the benchmark's tasks."""
    if re.fullmatch(TASK_ID, text, re.ASCII) is None:
        return False
    key, _, number = text.partition(":")
    return key in templates() and int(number) < TASKS_PER_TEMPLATE


def known_task(task_id: str) -> Task:
    """A task by its id; a WebError with status 404 if there is none."""
    if not is_task_id(task_id):
        raise WebError(404, "no such task: an id is a template and a number from 000 to 099, as in 6.4:017")
    return cached_task(task_id)


def gallery_data() -> dict[str, Any]:
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
    ids, place = _task_order()
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
def _task_order() -> tuple[list[str], dict[str, int]]:
    ids = task_ids()
    return ids, {task_id: k for k, task_id in enumerate(ids)}


MOST_CHARACTERS = 200_000
MOST_PIECES = 200
MOST_BIRDS = 10
"""More would keep the server busy for long; the commands of `tumble phyq` take larger levels."""


def read_level(text: str) -> Level:
    """The level of a text in Science Birds' XML or in our JSON; a LevelError in words where it is invalid."""
    body = text.lstrip("\ufeff \t\r\n")
    if not body:
        raise LevelError("this file is empty")
    level = science_birds_xml.from_xml(body) if body.startswith("<") else level_json.from_json(body)
    if len(level.pieces) > MOST_PIECES:
        raise LevelError(f"a level on this page can have {MOST_PIECES} pieces, this one has {len(level.pieces)}")
    if len(level.birds) > MOST_BIRDS:
        raise LevelError(f"a level on this page can have {MOST_BIRDS} birds, this one has {len(level.birds)}")
    return level


def own_levels_data(levels: Sequence[Level]) -> list[dict[str, Any]]:
    """The levels for the page, as they are at rest; `text` is a level's JSON, which attempts at it send."""
    found = []
    for level in levels:
        (settled,) = Simulator([level], threads=1).settled_levels()
        found.append({"text": level_json.to_json(level), **level_data(level, settled)})
    return found


PICTURE_WIDTH = 320
SQUARE, SQUARE_TASK = "square", "11.4:000"
"""The name and the task of the square picture on the first page."""
SKY_COLOUR, SOIL_COLOUR, LAWN_COLOUR = "#cfe6f6", "#966f4e", "#6ab24a"


def task_picture(name: str) -> StoredFile:
    """The level of a task at its start, by the task's id; or the square picture."""
    if name == SQUARE:
        drawn = level_svg(known_task(SQUARE_TASK).level, PICTURE_WIDTH)
    else:
        drawn = level_svg(known_task(name).level, height_for(PICTURE_WIDTH))
    return StoredFile.of(drawn.encode("ascii"), MEDIA_TYPES["svg"])


def level_svg(level: Level, height: int) -> str:
    """A level at its start as SVG."""
    objects = objects_of(level)
    camera = fitted_camera(objects, level.slingshot, PICTURE_WIDTH, height, whole=True)
    drawn = [_svg_element(layer, camera) for layer in sling_layers(level.slingshot)]
    for one in sorted(objects, key=lambda one: one.kind != "platform"):
        for layer in layers(one):
            points = placed_corners(layer.points, one.x, one.y, one.rotation)
            drawn.append(_svg_element(Layer(points, layer.radius, layer.colour), camera))
    ground = camera.to_pixels(np.array([0.0, GROUND_Y]))[1]
    lawn = f'<path fill="{SOIL_COLOUR}" d="M0 {ground:.1f}h{PICTURE_WIDTH}v99H0z"/>'
    lawn += f'<path fill="{LAWN_COLOUR}" d="M0 {ground:.1f}h{PICTURE_WIDTH}v{GRASS * camera.scale:.1f}H0z"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PICTURE_WIDTH} {camera.height}">'
        f'<path fill="{SKY_COLOUR}" d="M0 0h{PICTURE_WIDTH}v{camera.height}H0z"/>{"".join(drawn)}{lawn}</svg>'
    )


def _svg_element(layer: Layer, camera: Camera) -> str:
    colour = "#" + bytes(ALL_COLOURS[layer.colour]).hex()
    corners = [f"{decimal(x)} {decimal(y)}" for x, y in np.round(camera.to_pixels(layer.points), 1).tolist()]
    if len(corners) > 1:
        return f'<path fill="{colour}" d="M{"L".join(dict.fromkeys(corners))}z"/>'
    x, y = corners[0].split()
    return f'<circle fill="{colour}" cx="{x}" cy="{y}" r="{decimal(round(layer.radius * camera.scale, 1))}"/>'
