"""Convex polygons in the plane: hulls, cuts through convex parts, and what lies within what."""

import numpy as np

TOLERANCE = 0.0005
"""Units by which an outline may stand out of another and still count as within it."""


def convex_hull(points: np.ndarray) -> np.ndarray:
    """[corner, 2]: the corners of the convex hull of points [k, 2], counter-clockwise from the leftmost one.

    >>> convex_hull(np.array([[0, 0], [1, 0], [0.5, 0.2], [1, 1], [0, 1]], float)).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    ordered = sorted(set(map(tuple, points.tolist())))
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1])


def fewer_corners(corners: np.ndarray, most: int, flat: float = 0.0) -> np.ndarray:
    """The polygon [corner, 2] without its flattest corners, until it has at most a number of them and none stands out
    by less than `flat` from the line between its neighbours.

    >>> fewer_corners(np.array([[0, 0], [1, -0.001], [2, 0], [1, 1]]), 8, flat=0.01).tolist()
    [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]]
    """
    while True:
        before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
        heights = np.abs(_cross(corners - before, after - before)) / np.sqrt(((after - before) ** 2).sum(axis=1))
        flattest = int(heights.argmin())
        if len(corners) <= most and heights[flattest] >= flat:
            return corners
        corners = np.delete(corners, flattest, axis=0)


def cut_through(vertices: np.ndarray, height: float) -> np.ndarray:
    """[k, 2]: points whose hull is the cut through the convex hull of vertices [n, 3] at a height."""
    low, high = vertices[vertices[:, 2] <= height], vertices[vertices[:, 2] >= height]
    rise = high[None, :, 2] - low[:, None, 2]
    share = np.where(rise > 0.0, (height - low[:, None, 2]) / np.where(rise > 0.0, rise, 1.0), 0.0)
    points = low[:, None, :2] + share[..., None] * (high[None, :, :2] - low[:, None, :2])
    return np.asarray(points.reshape(-1, 2))


def is_within(inner: np.ndarray, inner_radius: float, outer: np.ndarray, outer_radius: float) -> bool:
    """Whether an outline is within another, up to TOLERANCE; each is a polygon of radius 0, or a disc with one corner.

    >>> is_within(np.array([[0.1, 0.0]]), 0.1, np.array([[0.0, 0.0]]), 0.2)
    True
    """
    if len(outer) == 1:
        reach = np.hypot(*(inner - outer[0]).T).max() + inner_radius
        return bool(reach <= outer_radius + TOLERANCE)
    distances = (inner[:, None] - outer) @ side_normals(outer).T
    return bool(np.diagonal(distances, axis1=1, axis2=2).max() + inner_radius <= TOLERANCE)


def side_normals(corners: np.ndarray) -> np.ndarray:
    """[corner, 2]: the outward unit normal of the side from each corner to the next."""
    sides = np.roll(corners, -1, axis=0) - corners
    return np.asarray(np.column_stack([sides[:, 1], -sides[:, 0]]) / np.sqrt((sides**2).sum(axis=1))[:, None])


def _chain(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The lower half of a hull, from points sorted from left to right."""
    chain: list[tuple[float, float]] = []
    for x, y in points:
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-9:
                break
            chain.pop()
        chain.append((x, y))
    return chain


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
