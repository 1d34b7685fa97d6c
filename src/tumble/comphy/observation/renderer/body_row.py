"""Bodies as the device gets them: one row for each body in each frame."""

import numpy as np
import warp as wp

from tumble.comphy.tasks.constants import CUBE_HALF_SIZE, CYLINDER_HALF_HEIGHT, RADIUS
from tumble.scene.warp_log import silence_warp

silence_warp()

ABSENT, SPHERE, CUBE, CYLINDER = -1, 0, 1, 2
SHAPE_CODES = {"sphere": SPHERE, "cube": CUBE, "cylinder": CYLINDER}
BOUNDING_RADII = {
    "sphere": RADIUS,
    "cube": 3.0**0.5 * CUBE_HALF_SIZE,
    "cylinder": (RADIUS**2 + CYLINDER_HALF_HEIGHT**2) ** 0.5,
}
MAX_BODIES = 16
"""In one frame: sets of bodies are integers with one bit for each, two of which share 32 bits."""


@wp.struct
class BodyRow:
    """One body in one frame."""

    center: wp.vec3
    rotation: wp.mat33
    """Its axes as rows."""
    diffuse: wp.vec3
    """Diffuse colour, linear."""
    specular: wp.vec3
    """Specular colour, linear; 0 for rubber."""
    shape: int
    bounding_radius: float


BODY_ROW: np.dtype[np.void] = BodyRow.numpy_dtype()  # type: ignore[attr-defined]
