"""Closed surfaces, all made by one function: rings of points are joined by triangles, and both ends are closed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Surface:
    """A closed surface; triangles are counter-clockwise as seen from outside."""

    vertices: np.ndarray
    """[n, 3]."""
    faces: np.ndarray
    """int [m, 3]: indices of vertices."""

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> "Surface":
        """The same surface elsewhere."""
        return Surface(self.vertices + np.array([x, y, z]), self.faces)


def skin(rings: np.ndarray, ends: np.ndarray | None = None) -> Surface:
    """The surface around rings of points [k, s, 3], each counter-clockwise as seen from the next one.

    `ends` [2, 3] are the middles of the two caps. Without them the last ring is joined to the first, as in a torus.
    """
    count, sides, _ = rings.shape
    index = np.arange(count * sides).reshape(count, sides)
    if ends is None:
        index = np.concatenate([index, index[:1]])
    here, right = index[:-1], np.roll(index[:-1], -1, axis=1)
    above, above_right = index[1:], np.roll(index[1:], -1, axis=1)
    faces = [
        np.stack(corners, axis=-1).reshape(-1, 3)
        for corners in ((here, right, above_right), (here, above_right, above))
    ]
    vertices = rings.reshape(-1, 3)
    if ends is not None:
        first, last = np.full(sides, count * sides), np.full(sides, count * sides + 1)
        faces += [
            np.stack([first, right[0], here[0]], axis=-1),
            np.stack([last, index[-1], np.roll(index[-1], -1)], axis=-1),
        ]
        vertices = np.concatenate([vertices, ends])
    return Surface(vertices, np.concatenate(faces))


def join(surfaces: Sequence[Surface]) -> Surface:
    """Surfaces as one; they stay closed, and may reach into each other."""
    starts = np.cumsum([0, *(len(surface.vertices) for surface in surfaces)])
    faces = [surface.faces + start for surface, start in zip(surfaces, starts[:-1], strict=True)]
    return Surface(np.concatenate([surface.vertices for surface in surfaces]), np.concatenate(faces))


def is_closed(faces: np.ndarray) -> bool:
    """Whether every edge belongs to exactly two triangles, which go along it in opposite directions.

    >>> pyramid = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    >>> is_closed(pyramid), is_closed(pyramid[1:]), is_closed(np.concatenate([pyramid[:3], pyramid[3:, ::-1]]))
    (True, False, False)
    """
    edges = np.concatenate([faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]])
    if (edges[:, 0] == edges[:, 1]).any():
        return False
    there, count = np.unique(edges, axis=0, return_counts=True)
    return bool((count == 1).all()) and np.array_equal(there, np.unique(edges[:, ::-1], axis=0))
