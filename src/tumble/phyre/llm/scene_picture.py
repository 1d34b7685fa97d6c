"""A picture of a task's start: a grid with numbers on its axes, or labelled cells, and letters on bodies."""

import io
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tumble.phyre.llm.grid import Grid, cell_name, column_name
from tumble.phyre.llm.labels import Labels
from tumble.phyre.observation.view import diameter, kind
from tumble.phyre.tasks.task import Task
from tumble.scene import Body, Polygon, Scene, render_rgb

SIDE = 448
"""Pixels of the picture along the scene."""
LEFT, TOP, RIGHT, BOTTOM = 34, 8, 14, 22
"""Margins, with the numbers of the axes at the left and at the bottom."""
SPACING = 32
"""Pixels of the scene between lines of the grid."""
SMOOTH = 2
LINE = (120, 130, 140, 90)
CELL_TEXT = (90, 100, 110, 170)
INK = (20, 20, 20, 255)
GOAL = (255, 212, 59, 255)
"""The disc behind the letters of the goal's bodies."""
LETTER_SIZE = 14
SMALL_BALL = 16.0
"""Radius in the picture below which a disc would hide a ball."""
SMALL = 18.0
"""Pixels of the picture along a body that its letter would hide."""
NUMBER_SIZE = 12


def scene_picture(task: Task, labels: Labels, grid: Grid | None = None) -> bytes:
    """A PNG file of the scene at its start."""
    scene = task.scene
    image = Image.new("RGB", (LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM), "white")
    image.paste(Image.fromarray(render_rgb(scene, size=(SIDE, SIDE), smooth=SMOOTH)), (LEFT, TOP))
    covered = np.asarray(image.convert("L")) < 255
    draw = ImageDraw.Draw(image, "RGBA")
    if grid is None:
        _draw_axes(draw, scene)
    else:
        _draw_cells(draw, scene, grid)
    draw.rectangle((LEFT, TOP, LEFT + SIDE, TOP + SIDE), outline=(90, 90, 90, 255))
    _draw_labels(draw, task, labels, covered)
    return png_bytes(image)


def png_bytes(image: Image.Image) -> bytes:
    """A picture as a PNG file."""
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that comes with Pillow."""
    return ImageFont.load_default(size)


def _at(scene: Scene, x: float, y: float) -> tuple[float, float]:
    """Where a point of the scene is in the picture."""
    return LEFT + x / scene.width * SIDE, TOP + SIDE - y / scene.height * SIDE


def _draw_axes(draw: ImageDraw.ImageDraw, scene: Scene) -> None:
    for value in np.arange(0.0, scene.width + 1.0, SPACING):
        x, y = _at(scene, value, 0.0)
        draw.line((x, TOP, x, y), fill=LINE)
        draw.text((x, y + 4), f"{value:g}", fill=INK, font=font(NUMBER_SIZE), anchor="ma")
    for value in np.arange(0.0, scene.height + 1.0, SPACING):
        x, y = _at(scene, 0.0, value)
        draw.line((x, y, x + SIDE, y), fill=LINE)
        draw.text((x - 5, y), f"{value:g}", fill=INK, font=font(NUMBER_SIZE), anchor="rm")
    draw.text((LEFT - 22, TOP + SIDE + 4), "px", fill=INK, font=font(NUMBER_SIZE), anchor="ma")


def _draw_cells(draw: ImageDraw.ImageDraw, scene: Scene, grid: Grid) -> None:
    """Lines between cells, their names in them where there is room, letters and numbers on the axes."""
    columns, rows = grid.borders
    for border in columns:
        draw.line((*_at(scene, border, 0.0), *_at(scene, border, rows[-1])), fill=LINE)
    for border in rows:
        draw.line((*_at(scene, 0.0, border), *_at(scene, columns[-1], border)), fill=LINE)
    small = font(10)
    across, up = np.diff(columns) / 2.0 + columns[:-1], np.diff(rows) / 2.0 + rows[:-1]
    room_across = draw.textlength(cell_name(grid.columns - 1, grid.rows - 1), font=small) + 6
    roomy = SIDE / grid.columns >= room_across and SIDE / grid.rows >= 16
    every_column, every_row = _label_step(grid.columns), _label_step(grid.rows)
    for column in range(0, grid.columns, every_column):
        x, y = _at(scene, across[column], 0.0)
        draw.text((x, y + 4), column_name(column), fill=INK, font=font(NUMBER_SIZE), anchor="ma")
    for row in range(0, grid.rows, every_row):
        x, y = _at(scene, 0.0, up[row])
        draw.text((x - 6, y), str(row + 1), fill=INK, font=font(NUMBER_SIZE), anchor="rm")
    if roomy:
        for column in range(grid.columns):
            for row in range(grid.rows):
                x, y = _at(scene, columns[column], rows[row + 1])
                draw.text((x + 3, y + 2), cell_name(column, row), fill=CELL_TEXT, font=small, anchor="la")


def _label_step(count: int) -> int:
    """How many cells share a label on an axis, so that labels keep apart."""
    return max(1, -(-count * 18 // SIDE))


def _draw_labels(draw: ImageDraw.ImageDraw, task: Task, labels: Labels, covered: np.ndarray) -> None:
    """The letters of bodies: those of the goal on yellow discs, others in white boxes; equal bodies have none.

    `covered` is bool [rows, columns]: where the picture shows a body.
    """
    scene, goal = task.scene, (task.body, task.other)
    taken: list[tuple[float, float]] = []
    for index, text in labels.drawn.items():
        x, y = _free_place(_label_place(scene.bodies[index], scene, index in goal, covered), taken)
        taken.append((x, y))
        if index in goal:
            draw.ellipse((x - 10, y - 10, x + 10, y + 10), fill=GOAL, outline=INK)
        else:
            left, top, right, bottom = draw.textbbox((x, y), text, font=font(LETTER_SIZE), anchor="mm")
            draw.rectangle((left - 2, top - 1, right + 1, bottom + 1), fill=(255, 255, 255, 255))
        draw.text((x, y), text, fill=INK, font=font(LETTER_SIZE), anchor="mm")


def _label_place(body: Body, scene: Scene, disc: bool, covered: np.ndarray) -> tuple[float, float]:
    """Where a body's letter stands in the picture: in the middle of what is seen of it, or beside a small body.

    The middle of a jar is that of its base.
    """
    scale = SIDE / scene.width
    size = diameter(body) * scale
    if size < (2.0 * SMALL_BALL if disc and kind(body) == "ball" else SMALL):
        return _beside(_at(scene, *body.position), 0.35 * size + 9.0, covered)
    first, width = body.shapes[0], 0.0
    if len(body.shapes) == 1 and isinstance(first, Polygon):
        width = float(np.ptp(np.array(first.vertices)[:, 0]))
    along = np.linspace(-width / 2.0, width / 2.0, 65)
    points = np.stack([along * np.cos(body.angle), along * np.sin(body.angle)], axis=1) + body.position
    seen = points[((points > 0.0) & (points < (scene.width, scene.height))).all(axis=1)]
    middle = seen[len(seen) // 2] if len(seen) else np.array(body.position)
    return _at(scene, float(middle[0]), float(middle[1]))


def _beside(place: tuple[float, float], shift: float, covered: np.ndarray) -> tuple[float, float]:
    """The place diagonally beside another where a letter hides least."""

    def hidden(there: tuple[float, float]) -> int:
        column, row = (max(10, round(value)) for value in there)
        return int(covered[row - 10 : row + 11, column - 10 : column + 11].sum())

    signs = ((1, -1), (-1, -1), (1, 1), (-1, 1))
    return min(((place[0] + shift * right, place[1] + shift * down) for right, down in signs), key=hidden)


def _free_place(wanted: tuple[float, float], taken: list[tuple[float, float]]) -> tuple[float, float]:
    """The wanted place, or the next one beside it that is not taken by another letter."""
    x, y = wanted
    shifts = [(0, 0), (20, 0), (-20, 0), (0, -20), (0, 20), (20, -20), (-20, -20), (20, 20), (-20, 20)]
    places = [
        (min(max(x + dx, LEFT + 10), LEFT + SIDE - 10), min(max(y + dy, TOP + 10), TOP + SIDE - 10))
        for dx, dy in shifts
    ]
    free = (place for place in places if all(max(abs(place[0] - a), abs(place[1] - b)) >= 18 for a, b in taken))
    return next(free, wanted)
