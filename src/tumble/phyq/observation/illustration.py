"""Pictures for people: any size, a camera that fits the level, smooth edges, and the trails of birds.

>>> from tumble.phyq.tasks.catalogue import task
>>> level = task("6.4:003").level
>>> illustrated(objects_of(level), level.slingshot, width=640).shape
(360, 640, 3)
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import warp as wp

from tumble.checks import number, whole_number
from tumble.phyq.observation import landscape
from tumble.phyq.observation.appearance import Layer, disc, layers
from tumble.phyq.observation.framing import Camera, fitted_camera, focus_of, shows_all
from tumble.phyq.observation.mean_kernel import mean_colours
from tumble.phyq.observation.objects import GameObject, objects_of, poses_of
from tumble.phyq.observation.placed_layers import DrawingError, PlacedLayers, checked_poses, shared
from tumble.phyq.observation.scenery import sling
from tumble.scene import Vec

__all__ = ["Illustrator", "camera_of", "illustrated", "objects_of"]

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
        drawn += [(world, layer) for layer in sling(slingshot)]
        drawn += [(k, layer) for k in loose for layer in layers(objects[k])]
        drawn += [(world, layer) for layer in landscape.ground(camera)]
        self._layers = self._placed(drawn)

    def paint(self, poses: np.ndarray) -> np.ndarray:
        """A picture uint8 [height, width, 3] for the poses of objects, dots and the world."""
        fine = self._background.copy()
        self._layers.draw(poses[None], fine)
        picture = np.empty((1, self.camera.height, self.camera.width, 3), np.uint8)
        inputs = [shared(fine, wp.uint8), shared(landscape.PALETTE, wp.int32), self._smoothness]
        wp.launch(mean_colours, picture.shape[:3], inputs, [shared(picture, wp.uint8)], device="cpu")
        return np.asarray(picture[0])

    @cached_property
    def _background(self) -> np.ndarray:
        """Colour indices of the background: uint8 [1, rows, columns] of subpixels."""
        camera, smoothness = self.camera, self._smoothness
        fine = np.zeros((1, camera.height * smoothness, camera.width * smoothness), np.uint8)
        self._placed([(0, layer) for layer in landscape.background(camera)]).draw(np.zeros((1, 1, 3)), fine)
        return fine

    def _placed(self, drawn: Sequence[tuple[int, Layer]]) -> PlacedLayers:
        camera = self.camera
        return PlacedLayers(drawn, landscape.COLOUR_INDEX, camera.to_pixels, camera.scale, self._smoothness)


def _dot() -> list[Layer]:
    return [disc(0.0, 0.0, TRAIL_RADIUS, "trail")]


def _paste_map(picture: np.ndarray, chart: np.ndarray) -> None:
    """Puts a map into the upper left corner of a picture, in a frame."""
    edge = max(1, round(MAP_EDGE * picture.shape[1]))
    rows, columns = chart.shape[:2]
    start = 3 * edge
    picture[start - edge : start + rows + edge, start - edge : start + columns + edge] = landscape.FRAME
    picture[start : start + rows, start : start + columns] = chart
