"""The published camera of 480 rows of 640 pixels, the scenery that it shows, and cameras for people.

Agents see through the published camera, which shows the whole level and never moves. Cameras for people show a level
as large as possible in a picture of any size.

>>> from tumble.phyq.catalogue.tasks import task
>>> camera = Camera.fit(task("6.4:003").level, 1280, 720)
>>> camera.scale > 53.0
True

Every picture shows sky, hills and earth in the background, the slingshot, and grass in the foreground.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from tumble.phyq.catalogue.level import Box, Level, bounding_box
from tumble.phyq.catalogue.physics import GROUND_Y, HALF_WIDTH, REST_OFFSET
from tumble.phyq.observation.objects import (
    COLOUR_INDEX,
    COLOURS,
    GameObject,
    Layer,
    layers,
    objects_of,
    polygon,
    rectangle,
)
from tumble.scene import Vec

ROWS, COLUMNS = 480, 640
PIXELS_PER_UNIT = COLUMNS / (2.0 * HALF_WIDTH)
TOP = -1.0 + ROWS / PIXELS_PER_UNIT / 2.0
"""World height of the upper edge; the camera looks at (0, -1)."""
GROUND_ROW = (TOP - GROUND_Y) * PIXELS_PER_UNIT
"""Pixels from the upper edge down to the ground."""


def to_pixels(points: np.ndarray) -> np.ndarray:
    """World points [..., 2] as pixels [..., 2] from the upper left corner, y down."""
    x, y = points[..., 0], points[..., 1]
    return np.stack([(x + HALF_WIDTH) * PIXELS_PER_UNIT, (TOP - y) * PIXELS_PER_UNIT], axis=-1)


def to_world(column: float, row: float) -> Vec:
    """The world point of a pixel.

    >>> to_world(320.0, 0.0)
    (0.0, 12.125)
    """
    return column / PIXELS_PER_UNIT - HALF_WIDTH, TOP - row / PIXELS_PER_UNIT


SLING_BOX = (-0.485, -1.005, 0.2, 1.05)
"""Left, bottom, right and top of the slingshot, relative to its position; 12 x 38 whole pixels."""
GRASS = 0.22
"""Height of the grass in world units."""
SKY = tuple((178 + 3 * k, 215 + 3 * k // 2, 242 + k // 2) for k in range(24))
"""Colours of the sky from the top down."""
SCREENSHOT_PALETTE = np.array([*COLOURS.values(), *SKY], np.uint8)
"""uint8 [colours, 3]: red, green and blue of every colour index."""
HILLS = ((-14.0, 6.0, 1.9), (-3.5, 9.0, 2.6), (9.0, 7.0, 1.8), (17.0, 5.0, 2.8))
"""x, half width and height of each hill."""
CLOUDS = ((-9.0, 9.2, 1.0), (1.5, 10.4, 1.25), (11.0, 8.6, 0.9))
"""x, y and size of each cloud."""
PUFFS = ((-0.9, 0.0, 0.5), (0.0, 0.25, 0.75), (0.9, 0.0, 0.55))
"""x, y and radius of the parts of a cloud of size 1."""


def sling_layers(slingshot: Vec) -> list[Layer]:
    """The layers of the slingshot."""
    x, y = slingshot
    left, bottom, right, top = SLING_BOX
    fork = y + 0.3
    rest_x, rest_y = x + REST_OFFSET[0], y + REST_OFFSET[1]
    return [
        rectangle(x - 0.2, y + bottom, x, fork, "sling"),
        rectangle(x - 0.16, y + bottom, x - 0.1, fork, "sling light"),
        polygon([(x - 0.2, fork), (x, fork), (x + left + 0.16, y + top), (x + left, y + top)], "sling"),
        polygon([(x - 0.2, fork - 0.1), (x, fork), (x + right, y + top), (x + right - 0.16, y + top)], "sling"),
        polygon([(x + left, y + top - 0.2), (rest_x, rest_y - 0.14), (rest_x, rest_y - 0.06)], "rubber"),
        polygon([(rest_x, rest_y - 0.14), (x + right, y + top - 0.2), (rest_x, rest_y - 0.06)], "rubber"),
    ]


def grass_layers() -> list[Layer]:
    """The layers of the upper edge of the ground, which hide what reaches into it."""
    return [
        rectangle(-HALF_WIDTH, GROUND_Y - 1.7, HALF_WIDTH, GROUND_Y - GRASS, "earth"),
        rectangle(-HALF_WIDTH, GROUND_Y - GRASS, HALF_WIDTH, GROUND_Y, "grass"),
        rectangle(-HALF_WIDTH, GROUND_Y - GRASS, HALF_WIDTH, GROUND_Y - 0.7 * GRASS, "grass dark"),
    ]


@cache
def scenery_background(smoothness: int) -> np.ndarray:
    """Colour indices [480 * smoothness, 640 * smoothness] of the background."""
    rows, columns = ROWS * smoothness, COLUMNS * smoothness
    scale = PIXELS_PER_UNIT * smoothness
    horizon = GROUND_ROW * smoothness
    y, x = np.mgrid[0:rows, 0:columns] + 0.5
    bands = np.minimum(y / horizon * len(SKY), len(SKY) - 1).astype(np.uint8)
    picture = bands + np.uint8(len(COLOURS))
    across, up = x / scale - HALF_WIDTH, (horizon - y) / scale
    for middle, half, height in HILLS:
        picture[((across - middle) / half) ** 2 + (up / height) ** 2 < 1.0] = COLOUR_INDEX["hill"]
    for middle, height, size in CLOUDS:
        for dx, dy, r in PUFFS:
            away = (across - middle - dx * size) ** 2 + ((up - height - dy * size + GROUND_Y) / 0.7) ** 2
            picture[away < (r * size) ** 2] = COLOUR_INDEX["cloud"]
    picture[up < 0.0] = COLOUR_INDEX["earth"]
    picture[(up < -1.7) & (np.floor(up / 1.7) % 2 == 0)] = COLOUR_INDEX["earth dark"]
    for layer in grass_layers():
        (_, low), (_, high) = layer.points.min(axis=0) - (0.0, GROUND_Y), layer.points.max(axis=0) - (0.0, GROUND_Y)
        picture[(up > low) & (up < high)] = COLOUR_INDEX[layer.colour]
    return np.asarray(picture)


PIG_PIXELS, PIG_PICTURE = 24.0, 1280
"""The smallest pig is at least this high, in pixels, in a picture of this width; in proportion for other widths."""
MARGIN = 0.15
"""World units that are shown around everything."""
SOIL = 0.55
"""World units that are shown below the ground."""
NEARBY = 1.0
"""World units left and right of a pig that are shown with it."""
NARROWEST = 12.0
"""World units that a fitted picture shows at least, in x."""
SKY_LIMIT = 12.0
"""Flights are followed up to this height."""


@dataclass(frozen=True)
class Camera:
    """A picture of `width` x `height` pixels with `scale` pixels per world unit; `left` and `top` are its corner."""

    left: float
    top: float
    scale: float
    width: int
    height: int

    @property
    def right(self) -> float:
        """World x of the right edge."""
        return self.left + self.width / self.scale

    @property
    def bottom(self) -> float:
        """World y of the lower edge."""
        return self.top - self.height / self.scale

    def to_pixels(self, points: np.ndarray) -> np.ndarray:
        """World points [..., 2] as pixels [..., 2] from the upper left corner, y down."""
        return np.stack([(points[..., 0] - self.left) * self.scale, (self.top - points[..., 1]) * self.scale], axis=-1)

    def shows(self, box: Box) -> bool:
        """Whether a box is inside the picture."""
        inside = self.left <= box.left and box.right <= self.right
        return inside and self.bottom <= box.bottom and box.top <= self.top

    def zoomed(self, factor: float, towards: Vec) -> "Camera":
        """The camera with a scale multiplied by `factor`; a point stays at the same place, if possible in the middle.

        Above 1 it never shows what this camera does not show.
        """
        scale = self.scale * factor
        wide, high = self.width / scale, self.height / scale
        left, bottom = towards[0] - wide / 2.0, towards[1] - high / 2.0
        if factor >= 1.0:
            left = min(max(left, self.left), self.right - wide)
            bottom = min(max(bottom, self.bottom), self.top - high)
        else:
            bottom = self.bottom
        return Camera(left, bottom + high, scale, self.width, self.height)

    def below(self, top: float) -> "Camera":
        """The camera of a lower picture, in which nothing above a height is shown; never of a higher one."""
        height = min(self.height, max(1, round((top - self.bottom) * self.scale)))
        return Camera(self.left, self.bottom + height / self.scale, self.scale, self.width, height)

    @classmethod
    def fit(cls, level: Level, width: int, height: int) -> "Camera":
        """The camera for a level at its start."""
        return fitted_camera(objects_of(level), level.slingshot, width, height)


def fitted_camera(
    objects: Sequence[GameObject],
    slingshot: Vec,
    width: int,
    height: int,
    flights: np.ndarray | None = None,
    whole: bool = False,
) -> Camera:
    """The camera that shows objects and the slingshot as large as possible, and points [n, 2] of flights if they fit.

    Where a level is so wide that its smallest pig would be lower than PIG_PIXELS, the pigs and what is near them are
    shown; with `whole`, all of it, however small the pigs are.
    """
    wanted = _boxes_by_importance(objects, slingshot, flights)
    needed = _around(wanted[:4])
    most = _scale_for(needed, width, height)
    least = 0.0 if whole else least_scale(objects, width)
    scale = max(least, min(most, _scale_for(_around(wanted), width, height)))
    wide, high = width / scale, height / scale
    left = _window_start([(box.left, box.right) for box in wanted], wide, middle=True)
    bottom = _window_start([(box.bottom, box.top) for box in wanted], high, middle=False)
    return Camera(left, bottom + high, scale, width, height)


def least_scale(objects: Sequence[GameObject], width: int) -> float:
    """The scale in which the smallest pig is as high as it must be; 0 without pigs."""
    heights = [_drawn_height(one.name) for one in objects if one.kind == "pig"]
    return PIG_PIXELS * width / PIG_PICTURE / min(heights) if heights else 0.0


def focus_of(objects: Sequence[GameObject]) -> Vec:
    """The middle of the pigs, or of all objects if there are none."""
    shown = [one for one in objects if one.kind == "pig"] or list(objects)
    box = _around([bounding_box(one.corners) for one in shown])
    return (box.left + box.right) / 2.0, (box.bottom + box.top) / 2.0


def shows_all(camera: Camera, objects: Sequence[GameObject], slingshot: Vec) -> bool:
    """Whether the slingshot and the middles of all pieces inside the world are in the picture."""
    left, bottom, right, top = SLING_BOX
    x, y = slingshot
    middles = [(one.x, one.y) for one in objects if one.kind not in ("bird", "egg")]
    inside = [Box(px, py, px, py) for px, py in middles if abs(px) <= HALF_WIDTH and py >= GROUND_Y]
    return all(map(camera.shows, [Box(x + left, y + bottom, x + right, y + top), *inside]))


@cache
def _drawn_height(size: str) -> float:
    """The height of a pig as it is drawn."""
    drawn = layers(GameObject("pig", size))
    top = max(float(layer.points[:, 1].max()) + layer.radius for layer in drawn)
    return top - min(float(layer.points[:, 1].min()) - layer.radius for layer in drawn)


def _boxes_by_importance(objects: Sequence[GameObject], slingshot: Vec, flights: np.ndarray | None) -> list[Box]:
    """Boxes around the pigs, all loose pieces, the slingshot, and all pieces; then around waiting birds and flights."""
    boxes = {kind: [_inside(bounding_box(one.corners)) for one in objects if one.kind == kind] for kind in _KINDS}
    loose = [*boxes["pig"], *boxes["block"], *boxes["tnt"]]
    pieces = [*loose, *boxes["platform"]]
    left, bottom, right, top = SLING_BOX
    x, y = slingshot
    sling = Box(x + left, y + bottom, x + right, y + top)
    ground = Box(sling.left, GROUND_Y - SOIL + MARGIN, sling.right, sling.top)
    parts = [[_wider(box) for box in boxes["pig"]], loose, [ground], pieces, boxes["bird"]]
    found = [_with_margin(_around(part)) if part else _with_margin(sling) for part in parts]
    if flights is not None and len(flights):
        inside = np.clip(flights, (-HALF_WIDTH, GROUND_Y), (HALF_WIDTH, SKY_LIMIT))
        found.append(_with_margin(bounding_box(inside)))
    return found


_KINDS = ("pig", "block", "tnt", "platform", "bird", "egg")


def _inside(box: Box) -> Box:
    """The part of a box inside the world."""
    low, high = (min(max(x, -HALF_WIDTH), HALF_WIDTH) for x in (box.left, box.right))
    return Box(low, max(box.bottom, GROUND_Y), high, max(box.top, GROUND_Y))


def _wider(box: Box) -> Box:
    """The box of a pig with what is left and right of it."""
    return _inside(Box(box.left - NEARBY, box.bottom, box.right + NEARBY, box.top))


def _with_margin(box: Box) -> Box:
    return Box(box.left - MARGIN, box.bottom - MARGIN, box.right + MARGIN, box.top + MARGIN)


def _around(boxes: Sequence[Box]) -> Box:
    """The box around boxes."""
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return Box(min(lefts), min(bottoms), max(rights), max(tops))


def _scale_for(box: Box, width: int, height: int) -> float:
    return min(width / max(box.right - box.left, NARROWEST), height / (box.top - box.bottom))


def _window_start(ranges: Sequence[Vec], size: float, middle: bool) -> float:
    """Where a window of a size starts so that it contains the ranges, the first ones if not all.

    Where several starts do, the middle of all ranges decides, or else the greatest start is taken.
    """
    low, high = -np.inf, np.inf
    for begin, end in ranges:
        first, last = min(end - size, begin), max(begin, end - size) if end - begin > size else begin
        if last < low or first > high:
            return float(low if last < low else high)
        low, high = max(low, first), min(high, last)
    if not middle:
        return float(high)
    begin, end = min(one for one, _ in ranges), max(one for _, one in ranges)
    return float(min(max((begin + end - size) / 2.0, low), high))
