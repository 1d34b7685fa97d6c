"""The bodies of a task in exact words: a letter and a line for each, or for several equal ones.

A and B are the bodies of the goal; bodies outside the view have no letter.
"""

import math
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from tumble.llm.puzzle import Mode
from tumble.phyre.catalogue.task import Task
from tumble.phyre.catalogue.template import SIZE, STICKS_ANGLE, jar, sticks
from tumble.phyre.observation.view import kind, objects
from tumble.phyre.observation.words import COLOUR_NAMES
from tumble.scene import Body, Circle, Polygon, Scene, Shape, box, colour_index


def number_text(value: float) -> str:
    """A length in pixels or an angle in degrees, with one decimal unless it is whole.

    >>> number_text(12.04), number_text(-0.04), number_text(6.25)
    ('12', '0', '6.2')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def point_text(point: tuple[float, ...]) -> str:
    """A position, as in (12.5, 100)."""
    return f"({', '.join(map(number_text, point))})"


SMALLEST_GROUP = 4
"""Equal bodies that share a letter, with numbers behind it."""


@dataclass(frozen=True)
class Labels:
    """The labels of bodies by index, in the order in which they are listed."""

    of_body: dict[int, str]
    groups: tuple[tuple[int, ...], ...]
    """The bodies of each letter: one, or several equal ones."""

    @property
    def drawn(self) -> dict[int, str]:
        """The labels that pictures show: those of single bodies."""
        return {group[0]: self.of_body[group[0]] for group in self.groups if len(group) == 1}

    def names(self, scene: Scene, mode: Mode) -> dict[int, str]:
        """What labelled bodies are called: by where they are if only a picture is shown, which has no label of them."""
        if mode != "picture":
            return self.of_body
        return {k: self.drawn.get(k) or _place_name(scene.bodies[k]) for k in self.of_body}

    def lettered(self, scene: Scene, mode: Mode) -> Scene:
        """The scene with these names; bodies that repeat another one are left out."""
        names, seen = self.names(scene, mode), set(objects(scene).tolist())
        bodies = [
            replace(body, name=names.get(k, body.name).removeprefix("the "))
            for k, body in enumerate(scene.bodies)
            if k in names or k not in seen
        ]
        return replace(scene, bodies=tuple(bodies))


def labels_of(task: Task) -> Labels:
    """Goal bodies first, then bodies that can move, then fixed ones; a body exactly on another one has no label."""
    bodies = task.scene.bodies
    goal = [task.body, task.other]
    others = [int(k) for k in objects(task.scene) if k not in goal]
    places = {k: (_body_look(bodies[k]), bodies[k].position, bodies[k].angle) for k in others}
    first = {place: k for k, place in reversed(places.items())}
    others = sorted((k for k in others if first[places[k]] == k), key=lambda k: not bodies[k].dynamic)
    counts = Counter(_body_look(bodies[k]) for k in others)
    groups: dict[object, list[int]] = {}
    for k in [*goal, *others]:
        look = _body_look(bodies[k])
        groups.setdefault(look if k not in goal and counts[look] >= SMALLEST_GROUP else k, []).append(k)
    of_body = {}
    for number, members in enumerate(groups.values()):
        for place, k in enumerate(members, 1):
            of_body[k] = letters(number) + (str(place) if len(members) > 1 else "")
    return Labels(of_body, tuple(map(tuple, groups.values())))


def letters(number: int) -> str:
    """A, B, …, Z, AA, AB, …"""
    first, second = divmod(number, 26)
    return (letters(first - 1) if first else "") + chr(65 + second)


def _body_look(body: Body) -> object:
    return kind(body), body.dynamic, body.shapes


def _place_name(body: Body) -> str:
    return f"the {COLOUR_NAMES[colour_index(body)]} {kind(body)} at {point_text(body.position)}"


TOLERANCE = 0.01
"""Pixels by which a shape may differ from the one that its words mean."""


def scene_text(task: Task, labels: Labels) -> str:
    """All bodies with a label, one line for each letter."""
    return "\n".join(_body_line(task.scene, labels, group) for group in labels.groups)


def _body_line(scene: Scene, labels: Labels, group: tuple[int, ...]) -> str:
    body = scene.bodies[group[0]]
    names = labels.of_body[group[0]] + (f" to {labels.of_body[group[-1]]}" if len(group) > 1 else "")
    motion = "dynamic" if body.dynamic else "static"
    noun = kind(body) if len(group) == 1 else f"{kind(body).removesuffix('s')}s"
    begin = f"{names}: {motion} {COLOUR_NAMES[colour_index(body)]} {noun}"
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
    if kind(body) == "bar" and _same_corners(own, (box(width, height),)):
        return f"{number_text(width)} x {number_text(height)}"
    if kind(body) == "jar" and _same_corners(own, jar(height / SIZE).shapes):
        base, thickness = np.ptp(own[0], axis=0)
        return (
            f"height {number_text(height)}, width {number_text(base)} at its base and {number_text(width)} at its "
            f"open top, walls {number_text(thickness)} thick, middle of its base"
        )
    sides = np.linalg.norm(np.roll(own[0], -1, axis=0) - own[0], axis=1)
    if kind(body) == "sticks" and _same_corners(own, sticks(1.5 * sides.max() / SIZE).shapes):
        slope = round(math.degrees(STICKS_ANGLE), 1)
        return f"two bars {number_text(sides.max())} x {number_text(sides.min())} crossed like an X at ±{slope:g}"
    return None


def _same_corners(own: list[np.ndarray], other: tuple[Shape, ...]) -> bool:
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
