"""Observations as RGB pictures."""

from collections.abc import Iterable, Sequence

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.catalogue.template import SIZE
from tumble.phyre.observation.view import COLOURS
from tumble.scene import PALETTE
from tumble.scene.drawing import OBJECT, PLACED

NUM_COLORS = COLOURS
SCENE_WIDTH = SCENE_HEIGHT = int(SIZE)
STRIP_ROWS = 5
"""Rows of the strip that shows whether a task is solved."""


def observations_to_uint8_rgb(
    scene: np.ndarray, user_input: Iterable[Sequence[float]] | None = None, is_solved: bool | None = None
) -> np.ndarray:
    """uint8 [256, 256, 3]: a picture of colour indices [256, 256] whose bottom row is first; its top row is first.

    `user_input` are points (x, y) in pixels to mark in red. If `is_solved` is given, a strip on top is green or red.
    """
    indices = np.asarray(scene)
    if indices.shape != (SCENE_HEIGHT, SCENE_WIDTH):
        raise TumbleError(f"an observation has the shape [{SCENE_HEIGHT}, {SCENE_WIDTH}], not {list(indices.shape)}")
    if indices.dtype.kind not in "iu" or indices.min() < 0 or indices.max() >= NUM_COLORS:
        raise TumbleError(f"an observation has whole numbers from 0 to {NUM_COLORS - 1}")
    points = np.array([] if user_input is None else list(user_input), float).reshape(-1, 2).astype(int)
    inside = ((points >= 0) & (points < (SCENE_WIDTH, SCENE_HEIGHT))).all(axis=1)
    marked = indices.copy()
    marked[points[inside, 1], points[inside, 0]] = PLACED
    picture = PALETTE[marked[::-1]]
    if is_solved is not None:
        picture[:STRIP_ROWS] = PALETTE[OBJECT if is_solved else PLACED]
    return np.asarray(picture)


def observations_to_float_rgb(
    scene: np.ndarray, user_input: Iterable[Sequence[float]] | None = None, is_solved: bool | None = None
) -> np.ndarray:
    """float32 [256, 256, 3]: `observations_to_uint8_rgb`, from 0 to 1."""
    return np.asarray(observations_to_uint8_rgb(scene, user_input, is_solved).astype(np.float32) / 255.0)
