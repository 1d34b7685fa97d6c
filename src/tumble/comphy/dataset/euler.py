"""Orientations as in the published files: rotations about the world's x, then y, then z axis."""

import numpy as np


def euler_angles(quaternions: np.ndarray) -> np.ndarray:
    """[..., 4] unit quaternions, the real part first, to [..., 3] angles in radians."""
    w, x, y, z = np.moveaxis(np.asarray(quaternions, float), -1, 0)
    about_y = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    about_x = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    about_z = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    is_locked = np.abs(2.0 * (w * y - z * x)) > 1.0 - 1e-9  # gimbal lock: the rotation about z is given to x
    about_x = np.where(is_locked, 2.0 * np.arctan2(x, w), about_x)
    return np.stack([about_x, about_y, np.where(is_locked, 0.0, about_z)], axis=-1)


def quaternions(euler: np.ndarray) -> np.ndarray:
    """[..., 3] angles in radians to [..., 4] unit quaternions, the real part first."""
    half = np.asarray(euler, float) / 2.0
    (cx, cy, cz), (sx, sy, sz) = np.moveaxis(np.cos(half), -1, 0), np.moveaxis(np.sin(half), -1, 0)
    return np.stack(
        [
            cx * cy * cz + sx * sy * sz,
            sx * cy * cz - cx * sy * sz,
            cx * sy * cz + sx * cy * sz,
            cx * cy * sz - sx * sy * cz,
        ],
        axis=-1,
    )
