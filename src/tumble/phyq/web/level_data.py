"""Levels as the page draws them: objects with the layers of their pictures, the slingshot, and the law of flight."""

from functools import cache
from typing import Any

from tumble.phyq.evaluation.run_spec import ATTEMPTS
from tumble.phyq.observation.appearance import COLOURS, Layer, layers
from tumble.phyq.observation.framing import NARROWEST, SOIL
from tumble.phyq.observation.objects import GameObject, objects_of, poses_of
from tumble.phyq.observation.scenery import sling
from tumble.phyq.simulation.episode_views import objects_and_bodies
from tumble.phyq.simulation.shots import LONGEST_WAIT, SHORTEST_PULL
from tumble.phyq.simulation.world import world_of
from tumble.phyq.tasks.constants import (
    FALL,
    GROUND_Y,
    HALF_WIDTH,
    LAUNCH_SPEED,
    STEP,
    STRETCH_LIMIT,
    TAP_CLEARANCE,
)
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.outlines import bounding_box
from tumble.phyq.tasks.pieces import BIRDS

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
        "sling": [layer_data(layer) for layer in sling(level.slingshot)],
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
