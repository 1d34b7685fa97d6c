"""Enlarged parts of pictures: reading which part a model wants to see, and axes beside it."""

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from tumble.checks import shown
from tumble.llm.puzzle import AnswerError

LONGER_SIDE = 448
"""Pixels of a picture along the longer side of what it shows."""
LEFT, TOP, RIGHT, BOTTOM = 44, 8, 16, 22
"""Margins, with the numbers of the axes at the left and at the bottom."""
LINES = 8
"""Lines of the grid along a side, at most."""
NUMBER_SIZE = 12
LINE, INK, EDGE = (120, 130, 140, 90), (20, 20, 20, 255), (90, 90, 90, 255)
SIDES = ("left", "bottom", "right", "top")


@dataclass(frozen=True)
class Box:
    """A rectangle with its sides along the axes, x to the right and y up."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    def scale(self, longer_side: int = LONGER_SIDE) -> float:
        """Pixels for each unit of the scene, in a picture whose longer side has this many."""
        return longer_side / max(self.width, self.height)

    def pixels(self, longer_side: int = LONGER_SIDE) -> tuple[int, int]:
        """Width and height of its picture."""
        scale = self.scale(longer_side)
        return max(1, round(self.width * scale)), max(1, round(self.height * scale))

    def __str__(self) -> str:
        return f"x {self.left:g} to {self.right:g}, y {self.bottom:g} to {self.top:g}"


def box_properties(whole: Box) -> dict[str, Any]:
    """The properties of a JSON schema for a part of the whole."""
    across = {"type": "number", "minimum": whole.left, "maximum": whole.right}
    up = {"type": "number", "minimum": whole.bottom, "maximum": whole.top}
    return {"left": across, "bottom": up, "right": across, "top": up}


def box_schema(whole: Box) -> dict[str, Any]:
    """The JSON schema of a part of the whole."""
    properties = box_properties(whole)
    return {"type": "object", "properties": properties, "required": list(SIDES), "additionalProperties": False}


def read_box(wanted: Mapping[str, Any], whole: Box, smallest: float, most_aspect: float = 4.0) -> Box:
    """The part of the whole that is wanted, without what lies outside; it has a smallest side.

    One side is at most `most_aspect` times the other.

    >>> read_box({"left": -20, "bottom": 50, "right": 80, "top": 100}, Box(0.0, 0.0, 256.0, 256.0), 8.0)
    Box(left=0.0, bottom=50.0, right=80.0, top=100.0)
    """
    left, bottom, right, top = (read_number(wanted, side) for side in SIDES)
    if left >= right or bottom >= top:
        raise AnswerError('"left" must be less than "right", and "bottom" less than "top"')
    box = Box(max(left, whole.left), max(bottom, whole.bottom), min(right, whole.right), min(top, whole.top))
    if box.width < smallest or box.height < smallest:
        raise AnswerError(f"the part must be at least {smallest:g} wide and high, and inside {whole}")
    if max(box.width, box.height) > most_aspect * min(box.width, box.height):
        raise AnswerError(f"the longer side of the part must be at most {most_aspect:g} times the shorter one")
    return box


def read_number(wanted: Mapping[str, Any], name: str) -> float:
    """A number of the arguments."""
    value = wanted.get(name)
    if name not in wanted:
        raise AnswerError(f'"{name}" is missing')
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise AnswerError(f'"{name}" must be a number, not {shown(value)}')
    return float(value)


def with_axes(image: Image.Image, box: Box, lines: bool = True) -> Image.Image:
    """A picture of what is in a box with numbers on its axes and, unless told otherwise, lines at them."""
    width, height = image.size
    whole = Image.new("RGB", (LEFT + width + RIGHT, TOP + height + BOTTOM), "white")
    whole.paste(image, (LEFT, TOP))
    draw, font = ImageDraw.Draw(whole, "RGBA"), ImageFont.load_default(NUMBER_SIZE)
    step = tick_step(max(box.width, box.height))
    for value in ticks(box.left, box.right, step):
        x = LEFT + (value - box.left) / box.width * width
        if lines:
            draw.line((x, TOP, x, TOP + height), fill=LINE)
        draw.text((x, TOP + height + 4), f"{value:g}", fill=INK, font=font, anchor="ma")
    for value in ticks(box.bottom, box.top, step):
        y = TOP + (box.top - value) / box.height * height
        if lines:
            draw.line((LEFT, y, LEFT + width, y), fill=LINE)
        draw.text((LEFT - 5, y), f"{value:g}", fill=INK, font=font, anchor="rm")
    draw.rectangle((LEFT, TOP, LEFT + width, TOP + height), outline=EDGE)
    return whole


def tick_step(length: float) -> float:
    """The distance of numbers on an axis: 1, 2 or 5 times a power of ten.

    >>> tick_step(256), tick_step(3), tick_step(8)
    (50.0, 0.5, 1.0)
    """
    power = 10.0 ** math.floor(math.log10(length / LINES))
    return next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor * LINES >= length * (1 - 1e-9))


def ticks(low: float, high: float, step: float) -> list[float]:
    """The multiples of a step from one number to another.

    >>> ticks(-0.3, 1.0, 0.5)
    [0.0, 0.5, 1.0]
    """
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 9) + 0.0 for number in range(first, last + 1)]


def png_bytes(image: Image.Image) -> bytes:
    """A picture as a PNG file."""
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()
