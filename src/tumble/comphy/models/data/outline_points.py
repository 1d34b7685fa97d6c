"""A few points of an object's mesh between which its box in the picture lies, as seen from anywhere."""

from functools import lru_cache
from itertools import product

import numpy as np

from tumble.comphy.objects.shape import build_object

POINTS = 26
"""Extreme points of an object: one in each direction to the sides, edges and corners of a cube."""
FORM_POOL = 40
"""Forms of each shape in training: others are replaced by one of these, since a mesh takes long to prepare."""


@lru_cache(maxsize=1024)
def outline_points(shape: str, form: int) -> np.ndarray:
    """float32 [POINTS, 3]: relative to the middle of the base of an object of the div world."""
    directions = np.array([line for line in product((-1.0, 0.0, 1.0), repeat=3) if any(line)])
    vertices = build_object(shape, form).mesh.vertices
    return np.asarray(vertices[(vertices @ directions.T).argmax(axis=0)], np.float32)
