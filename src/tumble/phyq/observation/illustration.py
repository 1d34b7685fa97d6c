"""Pictures for people: any size, a camera that fits the level, a landscape, smooth edges, and trails of birds.

>>> from tumble.phyq.catalogue.tasks import task
>>> from tumble.phyq.observation.objects import objects_of
>>> level = task("6.4:003").level
>>> illustrated(objects_of(level), level.slingshot, width=640).shape
(360, 640, 3)

A picture is drawn in subpixels, whose mean colours a Warp kernel takes. Keep other kernels out of this file: Warp
compiles all kernels of a Python module together.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
import warp as wp

from tumble.checks import number, whole_number
from tumble.phyq.catalogue.physics import GROUND_Y
from tumble.phyq.observation.camera import GRASS, PUFFS, Camera, fitted_camera, focus_of, shows_all, sling_layers
from tumble.phyq.observation.drawing import DrawingError, PlacedLayers, checked_poses, shared_array
from tumble.phyq.observation.objects import (
    COLOURS,
    GameObject,
    Layer,
    disc,
    layers,
    polygon,
    poses_of,
    rectangle,
)
from tumble.scene import Vec
from tumble.scene.warp_setup import silence_warp

SKY_BANDS = 96
SKY_TOP, SKY_LOW = (146, 200, 240), (238, 247, 252)
"""Colours of the sky at the upper edge of the picture and at the ground."""
MAP_FRAME_COLOUR = (96, 84, 76)
"""The colour of a map's frame."""

_SKY_COLOURS = {
    f"sky {k}": tuple(round(top + (low - top) * k / (SKY_BANDS - 1)) for top, low in zip(SKY_TOP, SKY_LOW, strict=True))
    for k in range(SKY_BANDS)
}
_LANDSCAPE_COLOURS = {
    "trail": (255, 255, 255),
    "far hill": (196, 219, 226),
    "near hill": (176, 209, 190),
    "grass light": (134, 203, 92),
    "soil": (150, 112, 78),
    "soil dark": (128, 93, 63),
}
ALL_COLOURS = {**COLOURS, **_LANDSCAPE_COLOURS, **_SKY_COLOURS}
FLAT_COLOURS = (*COLOURS.values(), *_LANDSCAPE_COLOURS.values())
"""All but those of the sky."""
LANDSCAPE_COLOUR_INDEX = {name: index for index, name in enumerate(ALL_COLOURS)}
LANDSCAPE_PALETTE = np.array([*ALL_COLOURS.values()], np.int32)
"""int [colours, 3]: red, green and blue of every colour index."""

FAR_HILLS = ((-14.0, 7.0, 2.3), (-2.5, 9.5, 3.1), (10.0, 7.5, 2.2), (18.5, 6.0, 3.2))
NEAR_HILLS = ((-18.0, 7.0, 1.6), (-6.0, 6.5, 1.1), (5.5, 8.0, 1.5), (15.5, 6.5, 1.2))
"""x, half width and height of each hill."""
CLOUDS = ((-8.5, 5.9, 1.0), (0.5, 7.2, 1.25), (8.0, 5.4, 0.85), (15.0, 7.5, 1.1), (-15.5, 7.6, 1.1))
"""x, y and size of each cloud."""
TUFT = 0.62
"""Distance between tufts of grass."""
_ELLIPSE_TURNS = np.linspace(0.0, 2.0 * np.pi, 72, endpoint=False)


def landscape_layers(camera: Camera) -> list[Layer]:
    """The layers behind all objects, which fill the picture."""
    left, right = camera.left - 1.0, camera.right + 1.0
    edges = np.linspace(camera.top + 0.1, min(max(GROUND_Y, camera.bottom), camera.top) - 0.1, SKY_BANDS + 1)
    sky = [rectangle(left, float(low), right, float(high), f"sky {k}") for k, (high, low) in enumerate(pairwise(edges))]
    return [*sky, *hills_and_clouds(camera)]


def hills_and_clouds(camera: Camera) -> list[Layer]:
    """The layers in front of the sky: clouds, hills and soil."""
    drawn: list[Layer] = []
    for middle, height, size in CLOUDS:
        drawn += [_ellipse(middle + dx * size, height + dy * size, r * size, 0.62 * r * size) for dx, dy, r in PUFFS]
    for hills, colour in ((FAR_HILLS, "far hill"), (NEAR_HILLS, "near hill")):
        drawn += [_ellipse(middle, GROUND_Y, half, height, colour) for middle, half, height in hills]
    left, right = camera.left - 1.0, camera.right + 1.0
    return [*drawn, rectangle(left, camera.bottom - 1.0, right, GROUND_Y, "soil")]


def ground_layers(camera: Camera) -> list[Layer]:
    """The layers of the ground, which hide what reaches into it."""
    left, right = camera.left - 1.0, camera.right + 1.0
    drawn = [
        rectangle(left, camera.bottom - 1.0, right, GROUND_Y - GRASS, "soil"),
        rectangle(left, GROUND_Y - GRASS, right, GROUND_Y, "grass"),
        rectangle(left, GROUND_Y - 0.06, right, GROUND_Y, "grass light"),
    ]
    for k in range(int(np.floor(left / TUFT)), int(np.ceil(right / TUFT)) + 1):
        x, deep = k * TUFT, GRASS + (0.06, 0.11, 0.08)[k % 3]
        corners = [(x - 0.31, GROUND_Y - GRASS + 0.01), (x + 0.31, GROUND_Y - GRASS + 0.01), (x, GROUND_Y - deep)]
        drawn.append(polygon([corners[0], corners[2], corners[1]], "grass"))
        stone = x + 0.24, GROUND_Y - GRASS - 0.2 - 0.05 * (k % 2)
        drawn.append(_ellipse(*stone, 0.07 + 0.03 * (k % 3), 0.04, "soil dark"))
    return drawn


def _ellipse(x: float, y: float, across: float, up: float, colour: str = "cloud") -> Layer:
    corners = np.stack([x + across * np.cos(_ELLIPSE_TURNS), y + up * np.sin(_ELLIPSE_TURNS)], axis=-1)
    return polygon(corners, colour)


# mypy: disable-error-code="untyped-decorator"


silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.kernel
def mean_colours(
    fine: wp.array[wp.uint8, Literal[3]],
    palette: wp.array[wp.int32, Literal[2]],
    smoothness: int,
    pictures: wp.array[wp.uint8, Literal[4]],
) -> None:
    """Every pixel of pictures [n, rows, columns, 3] is the mean of its smoothness² subpixels in `fine`, rounded."""
    picture, row, column = wp.tid()
    count = smoothness * smoothness
    red = count / 2
    green = count / 2
    blue = count / 2
    for down in range(smoothness):
        for along in range(smoothness):
            index = int(fine[picture, row * smoothness + down, column * smoothness + along])
            red += palette[index, 0]
            green += palette[index, 1]
            blue += palette[index, 2]
    pictures[picture, row, column, 0] = wp.uint8(red / count)
    pictures[picture, row, column, 1] = wp.uint8(green / count)
    pictures[picture, row, column, 2] = wp.uint8(blue / count)


WIDTH = 1280
"""Default width of a picture in pixels."""
WIDTHS = (64, 3840)
ZOOMS = (0.25, 8.0)
SUBPIXELS = 3840
"""Subpixels along a row that a picture has at least, up to 4 in each pixel."""
TRAIL_RADIUS, TRAIL_SPACING = 0.055, 0.45
"""World units: the radius of a trail's dots, and the distance between them."""
MAP_SHARE = 0.3
"""Width of the map of the whole level, where the camera shows only a part, as a share of the picture's."""
MAP_EDGE = 0.0025
"""Width of the map's frame, likewise."""


def height_for(width: int) -> int:
    """The height of a picture: 9 / 16 of its width, and even, as videos need it.

    >>> height_for(1280)
    720
    """
    return 2 * round(width * 9 / 32)


def camera_of(
    objects: Sequence[GameObject],
    slingshot: Vec,
    width: int = WIDTH,
    zoom: float = 1.0,
    flights: np.ndarray | None = None,
    whole: bool = False,
) -> Camera:
    """The camera for objects; a zoom above 1 shows only what is around the pigs, below 1 more than the level.

    `flights` are points [n, 2] that are shown too if they fit; with `whole`, these and all objects are shown, however
    small the pigs are.
    """
    whole_number("width", width, *WIDTHS, error=DrawingError)
    number("zoom", zoom, *ZOOMS, error=DrawingError)
    camera = fitted_camera(objects, slingshot, width, height_for(width), flights, whole)
    return camera if zoom == 1.0 else camera.zoomed(zoom, focus_of(objects))


def illustrated(
    objects: Sequence[GameObject],
    slingshot: Vec,
    width: int = WIDTH,
    zoom: float = 1.0,
    trail: np.ndarray | None = None,
) -> np.ndarray:
    """A picture uint8 [height, width, 3] of objects, with the trail [n, 2] of the last bird."""
    camera = camera_of(objects, slingshot, width, zoom, trail)
    dots = None if trail is None else dots_along(trail)[0]
    return np.asarray(Illustrator(objects, slingshot, camera, dots).paint()[0])


def dots_along(points: np.ndarray, spacing: float = TRAIL_SPACING) -> tuple[np.ndarray, np.ndarray]:
    """Points [m, 2] along a path [n, 2] with equal distances, and where on it they are, as indices [m]."""
    if len(points) < 2:
        return np.empty((0, 2)), np.empty(0)
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = np.arange(spacing, way[-1], spacing)
    dots = np.stack([np.interp(at, way, points[:, axis]) for axis in (0, 1)], axis=-1)
    return dots, np.interp(at, way, np.arange(len(points)))


class Illustrator:
    """Draws the same objects in many poses with one camera, which may show only a part of the level.

    `dots` are points [n, 2] of trails. Where the camera does not show the whole level, the upper left corner has a
    map of it, unless `with_map` is false.
    """

    def __init__(
        self,
        objects: Sequence[GameObject],
        slingshot: Vec,
        camera: Camera,
        dots: np.ndarray | None = None,
        with_map: bool = True,
    ) -> None:
        self._start = poses_of(objects)
        self._dots = np.empty((0, 2)) if dots is None else np.asarray(dots, float)
        self._sheet = _Sheet(objects, slingshot, self._dots, camera)
        self._map: _Sheet | None = None
        if with_map and not shows_all(camera, objects, slingshot):
            columns = max(8, round(MAP_SHARE * camera.width))
            whole = fitted_camera(objects, slingshot, columns, height_for(columns), whole=True)
            self._map = _Sheet(objects, slingshot, self._dots, whole)

    def paint(self, poses: np.ndarray | None = None, dots_shown: np.ndarray | None = None) -> np.ndarray:
        """Pictures uint8 [n, height, width, 3] for poses [n, objects, (x, y, radians)], NaN where an object is absent.

        Without poses, one picture of the objects where they are. `dots_shown` [n, dots] says which dots are drawn; by
        default all.
        """
        given = checked_poses(poses, self._start)
        dots = np.concatenate([self._dots, np.zeros((len(self._dots), 1))], axis=1)[None].repeat(len(given), axis=0)
        if dots_shown is not None:
            dots = np.where(np.asarray(dots_shown)[..., None], dots, np.nan)
        everything = np.concatenate([given, dots, np.zeros((len(given), 1, 3))], axis=1)
        pictures = np.stack([self._sheet.paint(one) for one in everything])
        if self._map is not None:
            for picture, one in zip(pictures, everything, strict=True):
                _paste_map(picture, self._map.paint(one))
        return pictures


class _Sheet:
    """Layers in drawing order, their points in subpixels of one camera, and the background without them."""

    def __init__(self, objects: Sequence[GameObject], slingshot: Vec, dots: np.ndarray, camera: Camera) -> None:
        self.camera = camera
        self._smoothness = max(2, min(4, SUBPIXELS // camera.width))
        first_dot = len(objects)
        world = first_dot + len(dots)  # the slingshot has a fixed pose, which comes last
        fixed = [k for k, one in enumerate(objects) if one.kind == "platform"]
        loose = [k for k, one in enumerate(objects) if one.kind != "platform"]
        drawn = [(first_dot + k, layer) for k in range(len(dots)) for layer in _dot()]
        drawn += [(k, layer) for k in fixed for layer in layers(objects[k])]
        drawn += [(world, layer) for layer in sling_layers(slingshot)]
        drawn += [(k, layer) for k in loose for layer in layers(objects[k])]
        drawn += [(world, layer) for layer in ground_layers(camera)]
        self._layers = self._placed(drawn)

    def paint(self, poses: np.ndarray) -> np.ndarray:
        """A picture uint8 [height, width, 3] for the poses of objects, dots and the world."""
        fine = self._background.copy()
        self._layers.draw(poses[None], fine)
        picture = np.empty((1, self.camera.height, self.camera.width, 3), np.uint8)
        inputs = [shared_array(fine, wp.uint8), shared_array(LANDSCAPE_PALETTE, wp.int32), self._smoothness]
        wp.launch(mean_colours, picture.shape[:3], inputs, [shared_array(picture, wp.uint8)], device="cpu")
        return np.asarray(picture[0])

    @cached_property
    def _background(self) -> np.ndarray:
        """Colour indices of the background: uint8 [1, rows, columns] of subpixels."""
        camera, smoothness = self.camera, self._smoothness
        fine = np.zeros((1, camera.height * smoothness, camera.width * smoothness), np.uint8)
        self._placed([(0, layer) for layer in landscape_layers(camera)]).draw(np.zeros((1, 1, 3)), fine)
        return fine

    def _placed(self, drawn: Sequence[tuple[int, Layer]]) -> PlacedLayers:
        camera = self.camera
        return PlacedLayers(drawn, LANDSCAPE_COLOUR_INDEX, camera.to_pixels, camera.scale, self._smoothness)


def _dot() -> list[Layer]:
    return [disc(0.0, 0.0, TRAIL_RADIUS, "trail")]


def _paste_map(picture: np.ndarray, chart: np.ndarray) -> None:
    """Puts a map into the upper left corner of a picture, in a frame."""
    edge = max(1, round(MAP_EDGE * picture.shape[1]))
    rows, columns = chart.shape[:2]
    start = 3 * edge
    picture[start - edge : start + rows + edge, start - edge : start + columns + edge] = MAP_FRAME_COLOUR
    picture[start : start + rows, start : start + columns] = chart
