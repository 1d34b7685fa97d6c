"""Small SVG pictures of tasks, for the gallery."""

import math

from tumble.phyre.observation.view import objects
from tumble.phyre.web.task_data import known_task
from tumble.scene import Body, Circle, colour_index
from tumble.scene.svg import decimal, hex_colour
from tumble.web.static_files import MEDIA_TYPES, StoredFile

DIGITS = 1
"""After the point: a tenth of a pixel of 256."""


def picture(task_id: str) -> StoredFile:
    """A task at its start, without the walls outside the view; about a kilobyte."""
    scene = known_task(task_id).scene
    bodies = "".join(_group(scene.bodies[index]) for index in objects(scene))
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {scene.width:g} {scene.height:g}">'
        f'<path fill="{hex_colour(0)}" d="M0 0h{scene.width:g}v{scene.height:g}H0z"/>'
        f'<g transform="matrix(1 0 0 -1 0 {scene.height:g})">{bodies}</g></svg>'
    )
    return StoredFile.of(text.encode("ascii"), MEDIA_TYPES["svg"])


def _group(body: Body) -> str:
    """A body in its colour, with its shapes where they start."""
    colour = f'fill="{hex_colour(colour_index(body))}"'
    circles = [shape for shape in body.shapes if isinstance(shape, Circle)]
    drawn = []
    for circle in circles:
        x, y = _placed(body, circle.centre)
        drawn.append(f'<circle {colour} cx="{x}" cy="{y}" r="{_short(circle.radius)}"/>')
    rings = [[_placed(body, vertex) for vertex in s.vertices] for s in body.shapes if not isinstance(s, Circle)]
    if rings:
        path = "".join("M" + "L".join(f"{x} {y}" for x, y in ring) + "z" for ring in rings)
        drawn.append(f'<path {colour} d="{path}"/>')
    return "".join(drawn)


def _placed(body: Body, point: tuple[float, float]) -> tuple[str, str]:
    c, s = math.cos(body.angle), math.sin(body.angle)
    x, y = point
    return _short(body.position[0] + x * c - y * s), _short(body.position[1] + x * s + y * c)


def _short(value: float) -> str:
    return decimal(round(value, DIGITS))
