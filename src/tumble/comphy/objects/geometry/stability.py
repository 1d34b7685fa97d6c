"""How far an object can be tilted before it falls over."""

import math

import numpy as np

TOUCHING = 1e-6
"""Height below which a point is on the table."""


def tipping_angle(points: np.ndarray, height: float) -> float:
    """Degrees by which an object can be tilted in its worst direction before it falls over.

    `points` [k, 3] are those of the object; those at height 0 carry it. Its centre of mass is `height` above the
    origin. Negative: it falls over by itself.

    >>> square = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    >>> round(tipping_angle(square, 1.0), 6)
    45.0
    """
    support = convex_outline(points[points[:, 2] < TOUCHING, :2])
    margin = math.inf
    for (x, y), (next_x, next_y) in zip(support, np.roll(support, -1, axis=0), strict=True):
        across, along = next_x - x, next_y - y
        margin = min(margin, float((x * next_y - y * next_x) / math.hypot(across, along)))
    return math.degrees(math.atan2(margin, height))


def convex_outline(points: np.ndarray) -> np.ndarray:
    """[k, 2] points to the corners of their convex hull, counter-clockwise."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        raise ValueError("an object needs three points to stand on")
    halves = []
    for sequence in (ordered, ordered[::-1]):
        half: list[tuple[float, float]] = []
        for x, y in sequence:
            while len(half) > 1 and _turn(half[-2], half[-1], (x, y)) <= 0.0:
                half.pop()
            half.append((x, y))
        halves.append(half[:-1])
    return np.array(halves[0] + halves[1])


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Positive where the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
