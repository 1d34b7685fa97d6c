"""Where bodies are in the picture: boxes, as the published tracks have them and as models take them.

In files a box is (left, top, right, bottom) in pixels, and a body that isn't seen has the whole picture as its box.
Models take (middle x, middle y, width, height), each from 0 to 1, and -1 four times for a body that isn't seen.
"""

import numpy as np

from tumble.comphy.bodies import Body
from tumble.comphy.camera import CAMERA
from tumble.comphy.constants import CUBE_HALF, CYLINDER_HALF_HEIGHT, RADIUS
from tumble.comphy.motion import Motion
from tumble.comphy.rotations import rotate

ABSENT = -1.0
_ANGLES = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)


def boxes_of(mask: np.ndarray, bodies: int) -> np.ndarray:
    """float32 [frame, body, 4]: the boxes in pixels of what a mask [frame, height, width] shows of each body."""
    frames, height, width = mask.shape
    boxes = np.empty((frames, bodies, 4), np.float32)
    boxes[:] = (0, 0, width, height)
    for body in range(bodies):
        seen = mask == body + 1
        across, down = seen.any(axis=1), seen.any(axis=2)
        shown = across.any(axis=1)
        corners = [across.argmax(1), down.argmax(1), width - across[:, ::-1].argmax(1), height - down[:, ::-1].argmax(1)]
        boxes[shown, body] = np.stack(corners, axis=-1)[shown]
    return boxes


def normalised(boxes: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """float32 [frame, body, 4]: boxes in pixels of a picture of this width and height, as models take them."""
    scaled = np.asarray(boxes, np.float32) / np.array([*size, *size], np.float32)
    left, top, right, bottom = np.moveaxis(scaled, -1, 0)
    found = np.stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top], axis=-1)
    found[(boxes == (0, 0, *size)).all(axis=-1)] = ABSENT
    return found


def projected(bodies: tuple[Body, ...], motion: Motion) -> np.ndarray:
    """float32 [frame, body, 4]: boxes as models take them, of each body alone, from where it is and how it is turned."""
    found = np.full((motion.frames, len(bodies), 4), ABSENT, np.float32)
    for k, body in enumerate(bodies):
        turned = rotate(motion.orientations[:, k, None], _SURFACES[body.shape][None])
        points = CAMERA.project(motion.positions[:, k, None] + turned)[..., :2]
        low, high = np.clip(points.min(axis=1), 0.0, 1.0), np.clip(points.max(axis=1), 0.0, 1.0)
        shown = (high > low).all(axis=-1)
        found[shown, k] = np.concatenate([(low + high) / 2, high - low], axis=-1)[shown]
    return found


def _sphere() -> np.ndarray:
    heights = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 13))
    rings = np.sqrt(1.0 - heights**2)
    x, y = np.multiply.outer(rings, np.cos(_ANGLES)), np.multiply.outer(rings, np.sin(_ANGLES))
    z = np.broadcast_to(heights[:, None], x.shape)
    return RADIUS * np.stack([x, y, z], axis=-1).reshape(-1, 3)


def _cylinder() -> np.ndarray:
    ring = np.stack([RADIUS * np.cos(_ANGLES), RADIUS * np.sin(_ANGLES)], axis=-1)
    ends = (-CYLINDER_HALF_HEIGHT, CYLINDER_HALF_HEIGHT)
    return np.concatenate([np.column_stack([ring, np.full(len(ring), end)]) for end in ends])


_SURFACES = {
    "cube": CUBE_HALF * np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), axis=-1).reshape(-1, 3),
    "sphere": _sphere(),
    "cylinder": _cylinder(),
}
"""Points on the surface of each shape, [point, 3]."""
