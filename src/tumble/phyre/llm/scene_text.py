"""The bodies of a task in exact words: a line for each, or for several equal ones."""

import math

import numpy as np

from tumble.phyre.llm.labels import Labels
from tumble.phyre.llm.numbers import number_text, point_text
from tumble.phyre.observation.body_names import COLOURS
from tumble.phyre.observation.view import kind
from tumble.phyre.tasks import shapes
from tumble.phyre.tasks.task import Task
from tumble.scene import Body, Circle, Polygon, Scene, Shape, box, colour_index

TOLERANCE = 0.01
"""Pixels by which a shape may differ from the one that its words mean."""


def scene_text(task: Task, labels: Labels) -> str:
    """All bodies with a label, one line for each letter."""
    return "\n".join(_line(task.scene, labels, group) for group in labels.groups)


def _line(scene: Scene, labels: Labels, group: tuple[int, ...]) -> str:
    body = scene.bodies[group[0]]
    names = labels.of_body[group[0]] + (f" to {labels.of_body[group[-1]]}" if len(group) > 1 else "")
    motion = "dynamic" if body.dynamic else "static"
    noun = kind(body) if len(group) == 1 else f"{kind(body).removesuffix('s')}s"
    begin = f"{names}: {motion} {COLOURS[colour_index(body)]} {noun}"
    size = _size_text(body)
    if size is None:
        return "; ".join(f"{begin}, corners {_corners_text(scene.bodies[k])}" for k in group)
    if len(group) == 1:
        degrees = _degrees(body)
        angle = f", angle {number_text(degrees)}" if number_text(degrees) != "0" else ""
        return f"{begin}, {size} at {point_text(body.position)}{angle}"
    if kind(body) == "ball":
        return f"{begin}, {size} at {' '.join(point_text(scene.bodies[k].position) for k in group)}"
    places = [point_text((*scene.bodies[k].position, _degrees(scene.bodies[k]))) for k in group]
    return f"{begin}, {size} at (x, y, angle) {' '.join(places)}"


def _degrees(body: Body) -> float:
    """The angle of a body, 0 for balls, which look the same at any; from -90 to 90 for bars."""
    if kind(body) == "ball":
        return 0.0
    turn = 180.0 if kind(body) in ("bar", "sticks") else 360.0
    degrees = math.degrees(body.angle) % turn
    return degrees - turn if round(degrees, 1) > turn / 2.0 else degrees


def _size_text(body: Body) -> str | None:
    """The size of a body that is exactly a ball, a bar, a jar or sticks; None for any other shape."""
    first = body.shapes[0]
    if isinstance(first, Circle):
        is_ball = len(body.shapes) == 1 and first.centre == (0.0, 0.0)
        return f"radius {number_text(first.radius)}" if is_ball else None
    points = np.concatenate([shape.vertices for shape in body.shapes if isinstance(shape, Polygon)])
    width, height = np.ptp(points, axis=0)
    own = [np.array(shape.vertices) for shape in body.shapes if isinstance(shape, Polygon)]
    if len(own) != len(body.shapes):
        return None
    if kind(body) == "bar" and _same(own, (box(width, height),)):
        return f"{number_text(width)} x {number_text(height)}"
    if kind(body) == "jar" and _same(own, shapes.jar(height / shapes.SIZE).shapes):
        base, thickness = np.ptp(own[0], axis=0)
        return (
            f"height {number_text(height)}, width {number_text(base)} at its base and {number_text(width)} at its "
            f"open top, walls {number_text(thickness)} thick, middle of its base"
        )
    sides = np.linalg.norm(np.roll(own[0], -1, axis=0) - own[0], axis=1)
    if kind(body) == "sticks" and _same(own, shapes.sticks(1.5 * sides.max() / shapes.SIZE).shapes):
        slope = round(math.degrees(shapes.STICKS_ANGLE), 1)
        return f"two bars {number_text(sides.max())} x {number_text(sides.min())} crossed like an X at ±{slope:g}"
    return None


def _same(own: list[np.ndarray], other: tuple[Shape, ...]) -> bool:
    """Whether polygons have the same corners, in any order."""
    corners = [np.array(shape.vertices) for shape in other if isinstance(shape, Polygon)]
    if [len(points) for points in own] != [len(points) for points in corners]:
        return False
    gaps = [np.linalg.norm(a[:, None] - b[None], axis=2).min(axis=1).max() for a, b in zip(own, corners, strict=True)]
    return bool(max(gaps) < TOLERANCE)


def _corners_text(body: Body) -> str:
    """The corners of a body's shapes where they are in the scene; circles by centre and radius."""
    cosine, sine = math.cos(body.angle), math.sin(body.angle)
    turn = np.array([[cosine, sine], [-sine, cosine]])
    parts = []
    for shape in body.shapes:
        local = [shape.centre] if isinstance(shape, Circle) else shape.vertices
        points = np.array(local) @ turn + body.position
        text = " ".join(point_text(tuple(point)) for point in points)
        parts.append(f"circle {text} radius {number_text(shape.radius)}" if isinstance(shape, Circle) else text)
    return " and ".join(parts)
