"""Symbolic states: the published JSON list of polygons in pixels, and the tensor that symbolic agents see.

The list has one feature collection:

    [{"type": "FeatureCollection", "features": [
        {"type": "Feature", "geometry": {},
         "properties": {"id": "-1", "label": "Ground", "yindex": 286, "colormap": []}},
        {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[97, 249], …]]},
         "properties": {"id": "-3", "label": "Object", "colormap": [{"color": 125, "percent": 0.5}]}}, …]}]

y counts down from the upper edge. Colours have 8 bits, RRRGGGBB. Rings are not closed, and a hole is a second ring.
The corners of a rectangle are its lower left, upper left, upper right and lower right one, turned with the object.

The tensor has the kinds of objects on a coarse grid (appendix I of the paper).
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tumble.phyq.catalogue.level import Level, placed_corners
from tumble.phyq.catalogue.physics import BLOCKS, PIGS, TNT
from tumble.phyq.observation.camera import COLUMNS, GROUND_ROW, ROWS, SLING_BOX, to_pixels
from tumble.phyq.observation.objects import GameObject
from tumble.scene import Vec

NOISE_RADIUS = 2.0
"""The largest shift of a ring by noise, in pixels."""
ENDLESS = 3.402823e38
"""The life of objects that cannot be destroyed."""
STAGES = 4
"""Stages of damage in the labels of pigs and blocks, from 1 (whole) to 4."""

COLOUR_SHARES: dict[str, dict[int, float]] = {
    "red": {0: 0.27, 250: 0.24, 244: 0.09},
    "yellow": {248: 0.59},
    "blue": {119: 0.40, 0: 0.22},
    "white": {36: 0.32, 255: 0.22, 21: 0.18},
    "black": {73: 0.68, 36: 0.15},
    "pig": {125: 0.50},
    "wood": {240: 0.40, 136: 0.20, 204: 0.13, 172: 0.12},
    "stone": {182: 0.45, 146: 0.27, 73: 0.21},
    "ice": {123: 0.38, 87: 0.28, 19: 0.16},
    "platform": {36: 0.56, 68: 0.34},
    "tnt": {205: 0.15, 68: 0.12},
    "egg": {255: 1.0},
}
"""The main colours of the published pictures with their shares; the rest of each picture has other colours. The
published Datalab, a linear classifier of these numbers, recognises objects by them as they are here."""

_PIGS = ("pig small", "pig big", "pig medium")
_ORDER = (*_PIGS, "bird", "egg", "circle", "triangle", "square_hole", "rect", "tnt", "platform")
_RECTANGLES = ("rect", "tnt", "platform")


def symbolic_state(
    objects: Iterable[GameObject],
    slingshot: Vec = Level.slingshot,
    labels: bool = False,
    noise: np.random.Generator | None = None,
    platforms: bool = True,
    trail: np.ndarray | None = None,
) -> list[dict[str, Any]]:
    """The state of some objects, ready for JSON.

    With `labels`, features have the object's name and life, as in the published development mode; else all are
    "Object". `noise` shifts every ring but those of slingshot and birds. The published agents did not see `platforms`.
    `trail` are positions [n, 2] of the last bird during its flight.
    """
    features = [_feature({}, "-1", "Ground", yindex=round(GROUND_ROW)), _sling(slingshot)]
    if trail is not None and len(trail):
        dots = np.rint(to_pixels(np.asarray(trail, float))).astype(int).tolist()
        features.append(_feature({"type": "MultiPoint", "coordinates": dots}, "-3", "Trajectory"))
    shown = [obj for obj in objects if platforms or obj.kind != "platform"]
    for obj in sorted(shown, key=lambda obj: _ORDER.index(_group(obj))):
        rings = [to_pixels(ring) for ring in _rings(obj)]
        if noise is not None and obj.kind not in ("bird", "egg"):
            rings = [ring + _shift(noise) for ring in rings]
        if not _is_visible(rings[0]):
            continue
        life = {"currentLife": _life(obj)} if labels else {}
        label = _label(obj) if labels else "Object"
        features.append(_feature(_polygon(rings), str(-4 - obj.number), label, _colours(obj), **life))
    return [{"type": "FeatureCollection", "features": features}]


def _feature(
    geometry: dict[str, Any], number: str, label: str, colours: list[dict[str, float]] | None = None, **more: float
) -> dict[str, Any]:
    properties = {"id": number, "label": label, **more, "colormap": colours or []}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _shift(noise: np.random.Generator) -> np.ndarray:
    """A point [2] of the disc of NOISE_RADIUS, uniformly distributed."""
    turn, away = 2.0 * math.pi * noise.random(), NOISE_RADIUS * math.sqrt(noise.random())
    return np.array([away * math.cos(turn), away * math.sin(turn)])


def _sling(slingshot: Vec) -> dict[str, Any]:
    return _feature(_polygon([to_pixels(sling_corners(slingshot))]), "-2", "Slingshot")


def sling_corners(slingshot: Vec) -> np.ndarray:
    """Corners [4, 2] of the slingshot's box in world units, in the order of the state."""
    left, bottom, right, top = SLING_BOX
    return np.array([(left, bottom), (left, top), (right, top), (right, bottom)]) + slingshot


def _polygon(rings: list[np.ndarray]) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [whole_pixels(ring).tolist() for ring in rings]}


def whole_pixels(ring: np.ndarray) -> np.ndarray:
    """int [n, 2]: pixels [n, 2] as the state has them."""
    return np.asarray(np.rint(ring), int)


def _group(obj: GameObject) -> str:
    """The group that an object is sorted by."""
    if obj.kind == "pig":
        return f"pig {obj.name}"
    if obj.kind != "block":
        return obj.kind
    return next((group for group in ("circle", "triangle", "square_hole") if obj.name.startswith(group)), "rect")


def _rings(obj: GameObject) -> list[np.ndarray]:
    holes = BLOCKS[obj.name, obj.material].holes if obj.kind == "block" else ()
    outline = obj.corners[[2, 1, 0, 3]] if _group(obj) in _RECTANGLES else obj.corners
    return [outline, *(placed_corners(np.array(hole), obj.x, obj.y, obj.rotation) for hole in holes)]


def _is_visible(ring: np.ndarray) -> bool:
    (left, top), (right, bottom) = ring.min(axis=0), ring.max(axis=0)
    return bool(right >= 0.0 and left < COLUMNS and bottom >= 0.0 and top < min(GROUND_ROW, ROWS))


def _life(obj: GameObject) -> float:
    if obj.kind == "pig":
        return PIGS[obj.name].life * obj.life
    if obj.kind == "block":
        return BLOCKS[obj.name, obj.material].life * obj.life
    return TNT.life * obj.life if obj.kind == "tnt" else ENDLESS


def _label(obj: GameObject) -> str:
    stage = 1 + min(int((1.0 - obj.life) * STAGES), STAGES - 1)
    if obj.kind == "pig":
        return f"pig_basic_{obj.name}_{stage}"
    if obj.kind == "block":
        return f"{obj.material}_{obj.name.replace('triangle', 'triang')}_{stage}"
    if obj.kind == "bird":
        return f"bird_{obj.name}_1"
    return {"tnt": "TNT", "platform": "Platform", "egg": "bird_egg_1"}[obj.kind]


def _colours(obj: GameObject) -> list[dict[str, float]]:
    shares = COLOUR_SHARES[obj.material or (obj.name if obj.kind == "bird" else obj.kind)]
    return [{"color": colour, "percent": share} for colour, share in shares.items()]


CELL = 4
"""Side of a cell in pixels."""
TENSOR_SHAPE = (ROWS // CELL, COLUMNS // CELL, 12)
CHANNELS = ("slingshot", "red", "yellow", "blue", "white", "black", "pig", "wood", "ice", "stone", "tnt", "platform")


def state_tensor(objects: Iterable[GameObject], slingshot: Vec = Level.slingshot, platforms: bool = True) -> np.ndarray:
    """uint8 [120, 160, 12]: 1 in the cells of an object's bounding box, in the channel of its kind.

    An egg counts as a white bird. The published agents did not see `platforms`.
    """
    tensor = np.zeros(TENSOR_SHAPE, np.uint8)
    left, bottom, right, top = SLING_BOX
    _fill_cells(tensor, "slingshot", np.array([(left, bottom), (right, top)]) + slingshot)
    for obj in objects:
        if platforms or obj.kind != "platform":
            _fill_cells(tensor, channel_of(obj), obj.corners)
    return tensor


def channel_of(obj: GameObject) -> str:
    """The channel of an object."""
    if obj.kind == "egg":
        return "white"
    return obj.material or (obj.name if obj.kind == "bird" else obj.kind)


def _fill_cells(tensor: np.ndarray, channel: str, corners: np.ndarray) -> None:
    pixels = to_pixels(corners) / CELL
    (left, top), (right, bottom) = np.floor(pixels.min(axis=0)), np.ceil(pixels.max(axis=0))
    rows = slice(int(max(top, 0.0)), int(max(bottom, 0.0)))
    columns = slice(int(max(left, 0.0)), int(max(right, 0.0)))
    tensor[rows, columns, CHANNELS.index(channel)] = 1
