"""Normals at the corners of triangles: smooth across flat edges, sharp across others."""

import numpy as np

CREASE = 0.75
"""Triangles that share a vertex are shaded as one surface if the cosine of the angle between them is above this."""


def face_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """[m, 3]: the normal of each triangle, as long as twice its area."""
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a)


def corner_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """[m, 3, 3]: unit normals at the three corners of each triangle.

    A corner's normal is the mean of the triangles that share its vertex, by area, without those behind a crease.
    """
    scaled = face_normals(vertices, faces)
    units = _unit(scaled)
    corners = faces.ravel()
    order = np.argsort(corners, kind="stable")
    degree = np.bincount(corners, minlength=len(vertices))
    first = np.cumsum(degree) - degree
    total = np.zeros((len(corners), 3))
    own = np.repeat(units, 3, axis=0)
    for step in range(int(degree.max())):
        (corner,) = np.nonzero(step < degree[corners])
        face = order[first[corners[corner]] + step] // 3
        x, y, z = (own[corner] * units[face]).T
        same = x + y + z > CREASE
        total[corner[same]] += scaled[face[same]]
    return _unit(total).reshape(-1, 3, 3)


def _unit(vectors: np.ndarray) -> np.ndarray:
    x, y, z = vectors.T
    return np.asarray(vectors / np.sqrt(x * x + y * y + z * z)[:, None])
