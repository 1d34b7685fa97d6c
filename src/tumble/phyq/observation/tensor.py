"""The tensor that symbolic agents learn from: the kinds of objects on a coarse grid (appendix I of the paper)."""

from collections.abc import Iterable

import numpy as np

from tumble.phyq.observation.camera import COLUMNS, ROWS, to_pixels
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.scenery import SLING_BOX
from tumble.phyq.tasks.level import Level
from tumble.scene import Vec

CELL = 4
"""Side of a cell in pixels."""
SHAPE = (ROWS // CELL, COLUMNS // CELL, 12)
CHANNELS = ("slingshot", "red", "yellow", "blue", "white", "black", "pig", "wood", "ice", "stone", "tnt", "platform")


def state_tensor(objects: Iterable[GameObject], slingshot: Vec = Level.slingshot, platforms: bool = True) -> np.ndarray:
    """uint8 [120, 160, 12]: 1 in the cells of an object's bounding box, in the channel of its kind.

    An egg counts as a white bird. The published agents did not see `platforms`.
    """
    tensor = np.zeros(SHAPE, np.uint8)
    left, bottom, right, top = SLING_BOX
    _fill(tensor, "slingshot", np.array([(left, bottom), (right, top)]) + slingshot)
    for obj in objects:
        if platforms or obj.kind != "platform":
            _fill(tensor, channel_of(obj), obj.corners)
    return tensor


def channel_of(obj: GameObject) -> str:
    """The channel of an object."""
    if obj.kind == "egg":
        return "white"
    return obj.material or (obj.name if obj.kind == "bird" else obj.kind)


def _fill(tensor: np.ndarray, channel: str, corners: np.ndarray) -> None:
    pixels = to_pixels(corners) / CELL
    (left, top), (right, bottom) = np.floor(pixels.min(axis=0)), np.ceil(pixels.max(axis=0))
    rows = slice(int(max(top, 0.0)), int(max(bottom, 0.0)))
    columns = slice(int(max(left, 0.0)), int(max(right, 0.0)))
    tensor[rows, columns, CHANNELS.index(channel)] = 1
