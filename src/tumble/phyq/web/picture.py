"""Small SVG pictures of levels, for the gallery."""

import numpy as np

from tumble.phyq.observation import landscape
from tumble.phyq.observation.appearance import Layer, layers
from tumble.phyq.observation.framing import Camera, fitted_camera
from tumble.phyq.observation.illustration import height_for
from tumble.phyq.observation.objects import objects_of
from tumble.phyq.observation.scenery import GRASS, sling
from tumble.phyq.tasks.constants import GROUND_Y
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.outlines import placed
from tumble.phyq.web.task_data import known_task
from tumble.scene.svg import decimal
from tumble.web.static_files import MEDIA_TYPES, StoredFile

WIDTH = 320
SQUARE, SQUARE_TASK = "square", "11.4:000"
"""The name and the task of the square picture on the first page."""
SKY, SOIL, LAWN = "#cfe6f6", "#966f4e", "#6ab24a"


def picture(name: str) -> StoredFile:
    """The level of a task at its start, by the task's id; or the square picture."""
    if name == SQUARE:
        drawn = level_svg(known_task(SQUARE_TASK).level, WIDTH)
    else:
        drawn = level_svg(known_task(name).level, height_for(WIDTH))
    return StoredFile.of(drawn.encode("ascii"), MEDIA_TYPES["svg"])


def level_svg(level: Level, height: int) -> str:
    """A level at its start as SVG."""
    objects = objects_of(level)
    camera = fitted_camera(objects, level.slingshot, WIDTH, height, whole=True)
    drawn = [_element(layer, camera) for layer in sling(level.slingshot)]
    for one in sorted(objects, key=lambda one: one.kind != "platform"):
        for layer in layers(one):
            points = placed(layer.points, one.x, one.y, one.rotation)
            drawn.append(_element(Layer(points, layer.radius, layer.colour), camera))
    ground = camera.to_pixels(np.array([0.0, GROUND_Y]))[1]
    lawn = f'<path fill="{SOIL}" d="M0 {ground:.1f}h{WIDTH}v99H0z"/>'
    lawn += f'<path fill="{LAWN}" d="M0 {ground:.1f}h{WIDTH}v{GRASS * camera.scale:.1f}H0z"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {camera.height}">'
        f'<path fill="{SKY}" d="M0 0h{WIDTH}v{camera.height}H0z"/>{"".join(drawn)}{lawn}</svg>'
    )


def _element(layer: Layer, camera: Camera) -> str:
    colour = "#" + bytes(landscape.ALL_COLOURS[layer.colour]).hex()
    corners = [f"{decimal(x)} {decimal(y)}" for x, y in np.round(camera.to_pixels(layer.points), 1).tolist()]
    if len(corners) > 1:
        return f'<path fill="{colour}" d="M{"L".join(dict.fromkeys(corners))}z"/>'
    x, y = corners[0].split()
    return f'<circle fill="{colour}" cx="{x}" cy="{y}" r="{decimal(round(layer.radius * camera.scale, 1))}"/>'
