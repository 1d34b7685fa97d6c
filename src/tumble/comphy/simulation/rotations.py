"""Rotations as unit quaternions, the real part first."""

import numpy as np


def yaw_quaternions(headings: np.ndarray) -> np.ndarray:
    """[...] angles about the vertical axis to quaternions [..., 4]."""
    zero = np.zeros_like(headings)
    return np.stack([np.cos(headings / 2.0), zero, zero, np.sin(headings / 2.0)], axis=-1)


def rotate(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors [..., 3] rotated by quaternions [..., 4].

    >>> rotate(yaw_quaternions(np.array(np.pi / 2)), np.array([1.0, 0.0, 0.0])).round(6).tolist()
    [0.0, 1.0, 0.0]
    """
    real, imaginary = quaternions[..., :1], quaternions[..., 1:]
    across = 2.0 * np.cross(imaginary, vectors)
    return np.asarray(vectors + real * across + np.cross(imaginary, across))


def multiply(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Quaternions [..., 4] of the rotation by `other`, followed by that by `one`."""
    (a, b, c, d), (e, f, g, h) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    parts = (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )
    return np.stack(parts, axis=-1)
