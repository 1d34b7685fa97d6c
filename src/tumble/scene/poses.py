"""Poses: x, y and angle of every body, in scene units and radians, NaN where a body is absent."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tumble.scene.checks import PictureError
from tumble.scene.scene import Scene


def initial_poses(scene: Scene) -> NDArray[np.float64]:
    """Where the bodies start, [bodies, 3]; dormant ones are absent."""
    poses = np.full((len(scene.bodies), 3), np.nan)
    for k, body in enumerate(scene.bodies):
        if not body.dormant:
            poses[k] = (*body.position, body.angle)
    return poses


def as_poses(scene: Scene, poses: ArrayLike | None) -> NDArray[np.float64]:
    """Poses of the scene's bodies as float64 [bodies, 3] or [pictures, bodies, 3]; None: the initial ones.

    A pose with a number that is not finite becomes all NaN: the body is absent.
    """
    if poses is None:
        return initial_poses(scene)
    array = np.array(poses, dtype=np.float64)
    expected = (len(scene.bodies), 3)
    if array.ndim not in (2, 3) or array.shape[-2:] != expected:
        raise PictureError(
            f"poses must have the shape {list(expected)} or [pictures, {expected[0]}, 3] "
            f"(x, y, angle of each body of the scene), got {list(array.shape)}"
        )
    array[~np.isfinite(array).all(axis=-1)] = np.nan
    return array
