"""The landscape in pictures for people: sky, clouds, hills, and the ground with its grass."""

from itertools import pairwise

import numpy as np

from tumble.phyq.observation.appearance import COLOURS, Layer, polygon, rectangle
from tumble.phyq.observation.framing import Camera
from tumble.phyq.observation.scenery import GRASS, PUFFS
from tumble.phyq.tasks.constants import GROUND_Y

SKY_BANDS = 96
SKY_TOP, SKY_LOW = (146, 200, 240), (238, 247, 252)
"""Colours of the sky at the upper edge of the picture and at the ground."""
FRAME = (96, 84, 76)
"""The colour of a map's frame."""

_SKY = {
    f"sky {k}": tuple(round(top + (low - top) * k / (SKY_BANDS - 1)) for top, low in zip(SKY_TOP, SKY_LOW, strict=True))
    for k in range(SKY_BANDS)
}
_OWN = {
    "trail": (255, 255, 255),
    "far hill": (196, 219, 226),
    "near hill": (176, 209, 190),
    "grass light": (134, 203, 92),
    "soil": (150, 112, 78),
    "soil dark": (128, 93, 63),
}
ALL_COLOURS = {**COLOURS, **_OWN, **_SKY}
FLAT_COLOURS = (*COLOURS.values(), *_OWN.values())
"""All but those of the sky."""
COLOUR_INDEX = {name: index for index, name in enumerate(ALL_COLOURS)}
PALETTE = np.array([*ALL_COLOURS.values()], np.int32)
"""int [colours, 3]: red, green and blue of every colour index."""

FAR_HILLS = ((-14.0, 7.0, 2.3), (-2.5, 9.5, 3.1), (10.0, 7.5, 2.2), (18.5, 6.0, 3.2))
NEAR_HILLS = ((-18.0, 7.0, 1.6), (-6.0, 6.5, 1.1), (5.5, 8.0, 1.5), (15.5, 6.5, 1.2))
"""x, half width and height of each hill."""
CLOUDS = ((-8.5, 5.9, 1.0), (0.5, 7.2, 1.25), (8.0, 5.4, 0.85), (15.0, 7.5, 1.1), (-15.5, 7.6, 1.1))
"""x, y and size of each cloud."""
TUFT = 0.62
"""Distance between tufts of grass."""
_TURNS = np.linspace(0.0, 2.0 * np.pi, 72, endpoint=False)


def background(camera: Camera) -> list[Layer]:
    """The layers behind all objects, which fill the picture."""
    left, right = camera.left - 1.0, camera.right + 1.0
    edges = np.linspace(camera.top + 0.1, min(max(GROUND_Y, camera.bottom), camera.top) - 0.1, SKY_BANDS + 1)
    sky = [rectangle(left, float(low), right, float(high), f"sky {k}") for k, (high, low) in enumerate(pairwise(edges))]
    return [*sky, *scenery(camera)]


def scenery(camera: Camera) -> list[Layer]:
    """The layers in front of the sky: clouds, hills and soil."""
    drawn: list[Layer] = []
    for middle, height, size in CLOUDS:
        drawn += [_ellipse(middle + dx * size, height + dy * size, r * size, 0.62 * r * size) for dx, dy, r in PUFFS]
    for hills, colour in ((FAR_HILLS, "far hill"), (NEAR_HILLS, "near hill")):
        drawn += [_ellipse(middle, GROUND_Y, half, height, colour) for middle, half, height in hills]
    left, right = camera.left - 1.0, camera.right + 1.0
    return [*drawn, rectangle(left, camera.bottom - 1.0, right, GROUND_Y, "soil")]


def ground(camera: Camera) -> list[Layer]:
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
    corners = np.stack([x + across * np.cos(_TURNS), y + up * np.sin(_TURNS)], axis=-1)
    return polygon(corners, colour)
