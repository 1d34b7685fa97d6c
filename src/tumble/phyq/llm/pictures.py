"""Pictures for vision models: a level, an enlarged part of it, and a strip of frames of a shot.

All have lines of a grid or axes with numbers; pigs have letters, and birds numbers. A strip shows the level at a
few moments, with the path of the bird.
"""

import io
import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tumble.llm.puzzle import Picture
from tumble.llm.zoom import Box, with_axes
from tumble.phyq.catalogue.level import Level, bounding_box
from tumble.phyq.catalogue.physics import GROUND_Y, HALF_WIDTH, STEP
from tumble.phyq.llm.scene_text import digits, pig_letter
from tumble.phyq.llm.shot_report import ShotReport
from tumble.phyq.observation.camera import Camera
from tumble.phyq.observation.illustration import Illustrator, camera_of, dots_along
from tumble.phyq.observation.objects import GameObject, moved, objects_of
from tumble.phyq.observation.view import Motion, View

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

LEFT, BOTTOM = 30, 20
"""Pixels of the margins with the numbers of the axes."""
FONT, LABEL_FONT = 12.0, 15.0
MARGIN_COLOUR, NUMBER_COLOUR = (255, 255, 255), (30, 30, 30)
FINE_LINE, STRONG_LINE = (20, 30, 60, 38), (20, 30, 60, 95)
"""Lines of the grid, and every fifth of them."""
PIG_COLOUR, BIRD_COLOUR, EDGE_COLOUR = (150, 0, 90), (20, 20, 160), (255, 255, 255)
STRONG_EVERY = 5
CROWDED = 26.0
"""Pixels of a unit below which only every second line has its number."""


def scene_picture(level: Level, view: View, width: int) -> bytes:
    """A PNG of what is seen; the camera shows where objects were at the start, too."""
    objects = view.objects
    camera = level_camera(level, objects, width - LEFT)
    dots = None if view.trail is None else dots_along(view.trail)[0]
    drawn = np.asarray(Illustrator(objects, view.slingshot, camera, dots).paint()[0])
    return png(framed(labelled(with_grid(drawn, camera), camera, objects, level), camera))


def level_camera(level: Level, objects: Sequence[GameObject], width: int, flights: np.ndarray | None = None) -> Camera:
    """The camera that shows the level at its start, the objects as they are now, and points [n, 2] of flights."""
    begin = objects_of(level)
    later = [one for one in objects if one.kind != "bird"]
    return camera_of((*begin, *later), level.slingshot, width, flights=flights, whole=True)


def with_grid(picture: np.ndarray, camera: Camera, every: int = 1) -> Image.Image:
    """A picture with a line at each whole unit, or at each multiple of some."""
    lines = Image.new("RGBA", (camera.width, camera.height), (255, 255, 255, 0))
    draw = ImageDraw.Draw(lines)
    for x in _multiples(camera.left, camera.right, every):
        at = round((x - camera.left) * camera.scale)
        draw.line([(at, 0), (at, camera.height)], fill=_line_colour(x))
    for y in _multiples(camera.bottom, camera.top, every):
        at = round((camera.top - y) * camera.scale)
        draw.line([(0, at), (camera.width, at)], fill=_line_colour(y))
    base = Image.fromarray(picture).convert("RGBA")
    base.alpha_composite(lines)
    return base.convert("RGB")


def labelled(image: Image.Image, camera: Camera, objects: Sequence[GameObject], level: Level) -> Image.Image:
    """A picture with the letters of pigs and the numbers of birds that wait."""
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(LABEL_FONT)
    first_bird = len(level.pieces)
    for one in objects:
        if one.kind == "pig":
            _label(draw, camera, one, pig_letter(one.number), PIG_COLOUR, font)
        elif one.kind == "bird" and one.number < first_bird + len(level.birds):
            _label(draw, camera, one, str(one.number - first_bird + 1), BIRD_COLOUR, font)
    return image


def _label(
    draw: ImageDraw.ImageDraw, camera: Camera, one: GameObject, text: str, colour: tuple[int, int, int], font: Font
) -> None:
    """Text just above an object."""
    box = bounding_box(one.corners)
    column, row = camera.to_pixels(np.array([(box.left + box.right) / 2.0, box.top])).tolist()
    at = column, max(LABEL_FONT, row - 3.0)
    draw.text(at, text, fill=colour, font=font, anchor="mb", stroke_width=2, stroke_fill=EDGE_COLOUR)


def framed(image: Image.Image, camera: Camera, every: int = 0) -> Image.Image:
    """A picture with margins on the left and below, which have the numbers of the axes."""
    whole = Image.new("RGB", (camera.width + LEFT, camera.height + BOTTOM), MARGIN_COLOUR)
    whole.paste(image, (LEFT, 0))
    draw, font = ImageDraw.Draw(whole), ImageFont.load_default(FONT)
    every = every or (1 if camera.scale >= CROWDED else 2)
    for x in _multiples(camera.left, camera.right, every):
        at = LEFT + (x - camera.left) * camera.scale
        draw.text((at, camera.height + 3.0), str(x), fill=NUMBER_COLOUR, font=font, anchor="mt")
    for y in _multiples(max(camera.bottom, GROUND_Y), camera.top, every):
        at = (camera.top - y) * camera.scale
        if at > FONT / 2.0:
            draw.text((LEFT - 4.0, at), str(y), fill=NUMBER_COLOUR, font=font, anchor="rm")
    return whole


def _multiples(low: float, high: float, every: int = 1) -> list[int]:
    """The multiples of a whole number between two numbers."""
    return [value for value in range(math.ceil(low), math.floor(high) + 1) if value % every == 0]


def _line_colour(value: int) -> tuple[int, int, int, int]:
    return STRONG_LINE if value % STRONG_EVERY == 0 else FINE_LINE


def png(image: Image.Image) -> bytes:
    """The bytes of a PNG file, the same for the same picture."""
    file = io.BytesIO()
    image.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG", compress_level=6)
    return file.getvalue()


VISIBLE_BOX = Box(-HALF_WIDTH, GROUND_Y - 0.5, HALF_WIDTH, 12.0)
"""What can be looked at, in units."""
SMALLEST_SIDE = 0.5
"""Units along a part, at least."""
LONGER_SIDE = 768
"""Pixels along the longer side of a part."""


def scene_part(level: Level, view: View, box: Box) -> Picture:
    """A picture of what is in a box."""
    width, height = box.pixels(LONGER_SIDE)
    camera = Camera(box.left, box.top, box.scale(LONGER_SIDE), width, height)
    dots = None if view.trail is None else dots_along(view.trail)[0]
    drawn = np.asarray(Illustrator(view.objects, view.slingshot, camera, dots, with_map=False).paint()[0])
    inside = [one for one in view.objects if box.left <= one.x <= box.right and box.bottom <= one.y <= box.top]
    image = labelled(Image.fromarray(drawn), camera, inside, level)
    return Picture(png(with_axes(image, box)), f"The level now, {box}, in units")


STRIP_COLUMNS = 2
GAP = 4
"""Pixels between frames."""
SKY = 0.8
"""Units of sky that are shown above everything."""
PATH_COLOUR = (200, 30, 30)
STRIP_FONT = 13.0
AFTER_HIT = (0.3, 1.0)
"""Seconds after the first hit, of two frames."""
TIME_COLOUR, GAP_COLOUR = (20, 20, 20), (255, 255, 255)
STRIP_GRID = 5


def strip_frames(report: ShotReport) -> list[int]:
    """Four to six frames: half the flight, just before the hit, soon after it, half of the rest, the end."""
    contact = report.contact_frame
    wanted = [(report.first_frame + contact) // 2, max(report.first_frame, contact - 1)]
    wanted += [contact + round(seconds / STEP) for seconds in AFTER_HIT]
    wanted += [(contact + report.last_frame) // 2, report.last_frame]
    return sorted({min(frame, report.last_frame) for frame in wanted})


def shot_strip(level: Level, motion: Motion, report: ShotReport, width: int) -> bytes:
    """A PNG of the frames of a shot, two in a row, each with its time after the launch."""
    frames = strip_frames(report)
    each = (width - GAP) // STRIP_COLUMNS
    camera = _strip_camera(level, motion, report, each)
    pictures = Illustrator(motion.objects, motion.slingshot, camera).paint(motion.poses[frames])
    rows = -(-len(frames) // STRIP_COLUMNS)
    whole = Image.new("RGB", (STRIP_COLUMNS * each + GAP, rows * (camera.height + GAP) - GAP), GAP_COLOUR)
    for k, (frame, picture) in enumerate(zip(frames, pictures, strict=True)):
        image = with_grid(picture, camera, STRIP_GRID)
        for path in report.paths[:, : frame - report.first_frame + 1]:
            _add_path(image, camera, path[np.isfinite(path[:, 0])])
        _add_words(image, camera, f"{digits((frame - report.first_frame) * STEP)} s")
        whole.paste(image, ((k % STRIP_COLUMNS) * (each + GAP), (k // STRIP_COLUMNS) * (camera.height + GAP)))
    return png(whole)


def _strip_camera(level: Level, motion: Motion, report: ShotReport, width: int) -> Camera:
    """The camera that shows the level, where objects are after the shot, and the flight, with little sky above."""
    start, end = objects_of(level), moved(motion.objects, motion.poses[report.last_frame])
    highest = max(float(report.points[:, 1].max()), *(float(one.corners[:, 1].max()) for one in (*start, *end)))
    return level_camera(level, end, width, report.points).below(highest + SKY)


def _add_path(image: Image.Image, camera: Camera, path: np.ndarray) -> None:
    """Draws a path [n, 2] as a line."""
    pixels = [(x, y) for x, y in camera.to_pixels(path).tolist()]
    if len(pixels) > 1:
        ImageDraw.Draw(image).line(pixels, fill=PATH_COLOUR, width=1)


def _add_words(image: Image.Image, camera: Camera, time: str) -> None:
    """Writes the time into the upper right corner, and the numbers of the lines beside them."""
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(STRIP_FONT)
    draw.text(
        (camera.width - 5.0, 4.0),
        time,
        fill=TIME_COLOUR,
        font=font,
        anchor="ra",
        stroke_width=2,
        stroke_fill=GAP_COLOUR,
    )
    small = ImageFont.load_default(STRIP_FONT - 3.0)
    for x in range(-15, 16, STRIP_GRID):
        column = (x - camera.left) * camera.scale
        if 8.0 < column < camera.width - 8.0:
            draw.text((column, camera.height - 2.0), str(x), fill=GAP_COLOUR, font=small, anchor="mb")
    for y in range(0, 16, STRIP_GRID):
        row = (camera.top - y) * camera.scale
        if 8.0 < row < camera.height - 8.0:
            draw.text((3.0, row), str(y), fill=TIME_COLOUR, font=small, anchor="lm")
