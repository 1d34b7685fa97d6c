"""Rotations as unit quaternions, the real part first."""

import numpy as np


def turned(headings: np.ndarray) -> np.ndarray:
    """[...] angles about the vertical to quaternions [..., 4]."""
    level = np.zeros_like(headings)
    return np.stack([np.cos(headings / 2.0), level, level, np.sin(headings / 2.0)], axis=-1)


def rotate(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors [..., 3] rotated by quaternions [..., 4]."""
    real, imaginary = quaternions[..., :1], quaternions[..., 1:]
    across = 2.0 * np.cross(imaginary, vectors)
    return np.asarray(vectors + real * across + np.cross(imaginary, across))
