"""Pictures for models: a task's start with axes or cells and letters, a part of it, and frames of an attempt."""

import io
from dataclasses import replace
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tumble.llm.puzzle import Picture
from tumble.llm.zoom import Box, png_bytes, with_axes
from tumble.phyre.catalogue.task import Task
from tumble.phyre.llm.answer import Grid, cell_name, column_name
from tumble.phyre.llm.scene_text import Labels
from tumble.phyre.observation.picture_files import STEPS_PER_SECOND
from tumble.phyre.observation.view import diameter, kind
from tumble.scene import Body, Polygon, Scene, rasterize, render_rgb

SCENE_SIDE = 448
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
    image = Image.new("RGB", (LEFT + SCENE_SIDE + RIGHT, TOP + SCENE_SIDE + BOTTOM), "white")
    image.paste(Image.fromarray(render_rgb(scene, size=(SCENE_SIDE, SCENE_SIDE), smooth=SMOOTH)), (LEFT, TOP))
    covered = np.asarray(image.convert("L")) < 255
    draw = ImageDraw.Draw(image, "RGBA")
    if grid is None:
        _draw_axes(draw, scene)
    else:
        _draw_cells(draw, scene, grid)
    draw.rectangle((LEFT, TOP, LEFT + SCENE_SIDE, TOP + SCENE_SIDE), outline=(90, 90, 90, 255))
    _draw_labels(draw, task, labels, covered)
    return png_file(image)


def png_file(image: Image.Image) -> bytes:
    """A picture as a PNG file."""
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that comes with Pillow."""
    return ImageFont.load_default(size)


def _point_in_picture(scene: Scene, x: float, y: float) -> tuple[float, float]:
    """Where a point of the scene is in the picture."""
    return LEFT + x / scene.width * SCENE_SIDE, TOP + SCENE_SIDE - y / scene.height * SCENE_SIDE


def _draw_axes(draw: ImageDraw.ImageDraw, scene: Scene) -> None:
    for value in np.arange(0.0, scene.width + 1.0, SPACING):
        x, y = _point_in_picture(scene, value, 0.0)
        draw.line((x, TOP, x, y), fill=LINE)
        draw.text((x, y + 4), f"{value:g}", fill=INK, font=font(NUMBER_SIZE), anchor="ma")
    for value in np.arange(0.0, scene.height + 1.0, SPACING):
        x, y = _point_in_picture(scene, 0.0, value)
        draw.line((x, y, x + SCENE_SIDE, y), fill=LINE)
        draw.text((x - 5, y), f"{value:g}", fill=INK, font=font(NUMBER_SIZE), anchor="rm")
    draw.text((LEFT - 22, TOP + SCENE_SIDE + 4), "px", fill=INK, font=font(NUMBER_SIZE), anchor="ma")


def _draw_cells(draw: ImageDraw.ImageDraw, scene: Scene, grid: Grid) -> None:
    """Lines between cells, their names in them where there is room, letters and numbers on the axes."""
    columns, rows = grid.borders
    for border in columns:
        draw.line((*_point_in_picture(scene, border, 0.0), *_point_in_picture(scene, border, rows[-1])), fill=LINE)
    for border in rows:
        draw.line((*_point_in_picture(scene, 0.0, border), *_point_in_picture(scene, columns[-1], border)), fill=LINE)
    small = font(10)
    across, up = np.diff(columns) / 2.0 + columns[:-1], np.diff(rows) / 2.0 + rows[:-1]
    room_across = draw.textlength(cell_name(grid.columns - 1, grid.rows - 1), font=small) + 6
    roomy = SCENE_SIDE / grid.columns >= room_across and SCENE_SIDE / grid.rows >= 16
    every_column, every_row = _label_step(grid.columns), _label_step(grid.rows)
    for column in range(0, grid.columns, every_column):
        x, y = _point_in_picture(scene, across[column], 0.0)
        draw.text((x, y + 4), column_name(column), fill=INK, font=font(NUMBER_SIZE), anchor="ma")
    for row in range(0, grid.rows, every_row):
        x, y = _point_in_picture(scene, 0.0, up[row])
        draw.text((x - 6, y), str(row + 1), fill=INK, font=font(NUMBER_SIZE), anchor="rm")
    if roomy:
        for column in range(grid.columns):
            for row in range(grid.rows):
                x, y = _point_in_picture(scene, columns[column], rows[row + 1])
                draw.text((x + 3, y + 2), cell_name(column, row), fill=CELL_TEXT, font=small, anchor="la")


def _label_step(count: int) -> int:
    """How many cells share a label on an axis, so that labels keep apart."""
    return max(1, -(-count * 18 // SCENE_SIDE))


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
    scale = SCENE_SIDE / scene.width
    size = diameter(body) * scale
    if size < (2.0 * SMALL_BALL if disc and kind(body) == "ball" else SMALL):
        return _beside(_point_in_picture(scene, *body.position), 0.35 * size + 9.0, covered)
    first, width = body.shapes[0], 0.0
    if len(body.shapes) == 1 and isinstance(first, Polygon):
        width = float(np.ptp(np.array(first.vertices)[:, 0]))
    along = np.linspace(-width / 2.0, width / 2.0, 65)
    points = np.stack([along * np.cos(body.angle), along * np.sin(body.angle)], axis=1) + body.position
    seen = points[((points > 0.0) & (points < (scene.width, scene.height))).all(axis=1)]
    middle = seen[len(seen) // 2] if len(seen) else np.array(body.position)
    return _point_in_picture(scene, float(middle[0]), float(middle[1]))


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
        (min(max(x + dx, LEFT + 10), LEFT + SCENE_SIDE - 10), min(max(y + dy, TOP + 10), TOP + SCENE_SIDE - 10))
        for dx, dy in shifts
    ]
    free = (place for place in places if all(max(abs(place[0] - a), abs(place[1] - b)) >= 18 for a, b in taken))
    return next(free, wanted)


SMALLEST_PART_SIDE = 8.0
"""Pixels of the scene along a part, at least."""
PART_DISC_RADIUS = 10
"""Radius of the disc behind the letter of a body of the goal."""


def scene_box(scene: Scene) -> Box:
    """All of the scene."""
    return Box(0.0, 0.0, scene.width, scene.height)


def scene_part(task: Task, labels: Labels, box: Box) -> Picture:
    """A picture of what is in a box at the start."""
    part = _cut_out(task.scene, box)
    columns, rows = box.pixels()
    image = Image.fromarray(render_rgb(part, size=(rows, columns), smooth=SMOOTH))
    _draw_part_labels(image, part, task, labels)
    return Picture(png_bytes(with_axes(image, box)), f"the scene, {box}, with x and y in px on its axes")


def _cut_out(scene: Scene, box: Box) -> Scene:
    """The scene that a box is, with all bodies where they are in it, or outside."""
    bodies = [
        replace(body, position=(body.position[0] - box.left, body.position[1] - box.bottom)) for body in scene.bodies
    ]
    return replace(scene, width=box.width, height=box.height, bodies=tuple(bodies))


def _draw_part_labels(image: Image.Image, part: Scene, task: Task, labels: Labels) -> None:
    """The letters of bodies that are seen: those of the goal on yellow discs, others in white boxes."""
    draw = ImageDraw.Draw(image, "RGBA")
    for index, text in labels.drawn.items():
        seen = rasterize(replace(part, bodies=(part.bodies[index],)), size=(image.height, image.width)) > 0
        if not seen.any():
            continue
        x, y = _part_label_place(seen)
        if index in (task.body, task.other):
            draw.ellipse(
                (x - PART_DISC_RADIUS, y - PART_DISC_RADIUS, x + PART_DISC_RADIUS, y + PART_DISC_RADIUS),
                fill=GOAL,
                outline=INK,
            )
        else:
            left, top, right, bottom = draw.textbbox((x, y), text, font=font(LETTER_SIZE), anchor="mm")
            draw.rectangle((left - 2, top - 1, right + 1, bottom + 1), fill=(255, 255, 255, 255))
        draw.text((x, y), text, fill=INK, font=font(LETTER_SIZE), anchor="mm")


def _part_label_place(seen: np.ndarray) -> tuple[float, float]:
    """Where the letter of a body stands, given where it is seen [rows, columns]: on it, or beside it if it is small."""
    rows, columns = np.nonzero(seen)
    row, column = rows.mean(), columns.mean()
    if max(np.ptp(rows), np.ptp(columns)) < SMALL:
        row, column = row - PART_DISC_RADIUS - 4, column + PART_DISC_RADIUS + 4
    else:
        nearest = int(np.argmin((rows - row) ** 2 + (columns - column) ** 2))
        row, column = rows[nearest], columns[nearest]
    height, width = seen.shape
    return float(np.clip(column, PART_DISC_RADIUS, width - 1 - PART_DISC_RADIUS)), float(
        np.clip(row, PART_DISC_RADIUS, height - 1 - PART_DISC_RADIUS)
    )


FRAMES = 6
FRAME_COLUMNS = 3
FRAME_SIDE = 164
"""Pixels of the picture along each frame."""
FRAME_GAP = 5
FRAME_TITLE = 16
"""Pixels above a frame, for its time."""
FRAME_REST = 0.5
"""Pixels by which bodies may still move in a frame from which on all is at rest."""


def chosen_steps(poses: np.ndarray, important: int) -> list[int]:
    """Steps of at most 6 frames of poses [steps + 1, bodies, 3]: from the start to rest, an important one included."""
    away = np.abs(poses[..., :2] - poses[-1, :, :2]).max(axis=(1, 2))
    moving = np.flatnonzero(away > FRAME_REST)
    last = min(len(poses) - 1, int(moving[-1]) + 1) if len(moving) else len(poses) - 1
    last = max(last, important)
    steps = np.linspace(0, last, FRAMES).round().astype(int).tolist()
    if important not in steps:
        inner = range(1, FRAMES - 1)
        steps[min(inner, key=lambda k: abs(steps[k] - important))] = important
    return sorted(set(steps))


def frame_strip(scene: Scene, poses: np.ndarray, steps: list[int]) -> bytes:
    """A PNG file of the frames at steps of poses [steps + 1, bodies, 3], three in a row."""
    rows = -(-len(steps) // FRAME_COLUMNS)
    width, height = FRAME_COLUMNS * (FRAME_SIDE + FRAME_GAP) + FRAME_GAP, rows * (FRAME_SIDE + FRAME_TITLE + FRAME_GAP)
    image = Image.new("RGB", (width, height), (235, 235, 235))
    draw = ImageDraw.Draw(image)
    pictures = render_rgb(scene, poses[steps], size=(FRAME_SIDE, FRAME_SIDE), smooth=2)
    for k, (step, pixels) in enumerate(zip(steps, pictures, strict=True)):
        x, y = (
            FRAME_GAP + k % FRAME_COLUMNS * (FRAME_SIDE + FRAME_GAP),
            FRAME_TITLE + k // FRAME_COLUMNS * (FRAME_SIDE + FRAME_TITLE + FRAME_GAP),
        )
        image.paste(Image.fromarray(pixels), (x, y))
        draw.text((x + 2, y - 2), f"{step / STEPS_PER_SECOND:.1f} s", fill=(20, 20, 20), font=font(12), anchor="ls")
    return png_file(image)
