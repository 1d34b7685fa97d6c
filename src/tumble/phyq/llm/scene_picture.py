"""Pictures of a level for vision models: a grid of units with numbers, letters on pigs and numbers on birds."""

import io
import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tumble.phyq.llm.words import pig_letter
from tumble.phyq.observation.framing import Camera
from tumble.phyq.observation.illustration import Illustrator, camera_of, dots_along
from tumble.phyq.observation.objects import GameObject, objects_of
from tumble.phyq.observation.view import View
from tumble.phyq.tasks.constants import GROUND_Y
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.outlines import bounding_box

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
    for x in _whole(camera.left, camera.right, every):
        at = round((x - camera.left) * camera.scale)
        draw.line([(at, 0), (at, camera.height)], fill=_line_colour(x))
    for y in _whole(camera.bottom, camera.top, every):
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
    for x in _whole(camera.left, camera.right, every):
        at = LEFT + (x - camera.left) * camera.scale
        draw.text((at, camera.height + 3.0), str(x), fill=NUMBER_COLOUR, font=font, anchor="mt")
    for y in _whole(max(camera.bottom, GROUND_Y), camera.top, every):
        at = (camera.top - y) * camera.scale
        if at > FONT / 2.0:
            draw.text((LEFT - 4.0, at), str(y), fill=NUMBER_COLOUR, font=font, anchor="rm")
    return whole


def _whole(low: float, high: float, every: int = 1) -> list[int]:
    """The multiples of a whole number between two numbers."""
    return [value for value in range(math.ceil(low), math.floor(high) + 1) if value % every == 0]


def _line_colour(value: int) -> tuple[int, int, int, int]:
    return STRONG_LINE if value % STRONG_EVERY == 0 else FINE_LINE


def png(image: Image.Image) -> bytes:
    """The bytes of a PNG file, the same for the same picture."""
    file = io.BytesIO()
    image.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG", compress_level=6)
    return file.getvalue()
