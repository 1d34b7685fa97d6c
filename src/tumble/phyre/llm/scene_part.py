"""A part of a task's start, enlarged, with axes and the letters of the bodies in it."""

from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw

from tumble.llm.prompt import Picture
from tumble.llm.zoom import Box, png_bytes, with_axes
from tumble.phyre.llm.labels import Labels
from tumble.phyre.llm.scene_picture import GOAL, INK, LETTER_SIZE, SMALL, SMOOTH, font
from tumble.phyre.tasks.task import Task
from tumble.scene import Scene, rasterize, render_rgb

SMALLEST_SIDE = 8.0
"""Pixels of the scene along a part, at least."""
DISC = 10
"""Radius of the disc behind the letter of a body of the goal."""


def scene_box(scene: Scene) -> Box:
    """All of the scene."""
    return Box(0.0, 0.0, scene.width, scene.height)


def scene_part(task: Task, labels: Labels, box: Box) -> Picture:
    """A picture of what is in a box at the start."""
    part = _cut_out(task.scene, box)
    columns, rows = box.pixels()
    image = Image.fromarray(render_rgb(part, size=(rows, columns), smooth=SMOOTH))
    _draw_labels(image, part, task, labels)
    return Picture(png_bytes(with_axes(image, box)), f"the scene, {box}, with x and y in px on its axes")


def _cut_out(scene: Scene, box: Box) -> Scene:
    """The scene that a box is, with all bodies where they are in it, or outside."""
    bodies = [
        replace(body, position=(body.position[0] - box.left, body.position[1] - box.bottom)) for body in scene.bodies
    ]
    return replace(scene, width=box.width, height=box.height, bodies=tuple(bodies))


def _draw_labels(image: Image.Image, part: Scene, task: Task, labels: Labels) -> None:
    """The letters of bodies that are seen: those of the goal on yellow discs, others in white boxes."""
    draw = ImageDraw.Draw(image, "RGBA")
    for index, text in labels.drawn.items():
        seen = rasterize(replace(part, bodies=(part.bodies[index],)), size=(image.height, image.width)) > 0
        if not seen.any():
            continue
        x, y = _label_place(seen)
        if index in (task.body, task.other):
            draw.ellipse((x - DISC, y - DISC, x + DISC, y + DISC), fill=GOAL, outline=INK)
        else:
            left, top, right, bottom = draw.textbbox((x, y), text, font=font(LETTER_SIZE), anchor="mm")
            draw.rectangle((left - 2, top - 1, right + 1, bottom + 1), fill=(255, 255, 255, 255))
        draw.text((x, y), text, fill=INK, font=font(LETTER_SIZE), anchor="mm")


def _label_place(seen: np.ndarray) -> tuple[float, float]:
    """Where the letter of a body stands, given where it is seen [rows, columns]: on it, or beside it if it is small."""
    rows, columns = np.nonzero(seen)
    row, column = rows.mean(), columns.mean()
    if max(np.ptp(rows), np.ptp(columns)) < SMALL:
        row, column = row - DISC - 4, column + DISC + 4
    else:
        nearest = int(np.argmin((rows - row) ** 2 + (columns - column) ** 2))
        row, column = rows[nearest], columns[nearest]
    height, width = seen.shape
    return float(np.clip(column, DISC, width - 1 - DISC)), float(np.clip(row, DISC, height - 1 - DISC))
