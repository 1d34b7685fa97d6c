"""How far bodies overlap each other, in many worlds at a time: circles and convex polygons at given poses."""

from collections.abc import Iterator

import numpy as np

from tumble.scene import Body, Circle, Shape

TOLERANCE = 0.1
"""Pixels by which two bodies may overlap and still count as touching; resting bodies overlap by about 0.03."""


def overlaps(bodies: tuple[Body, ...], poses: np.ndarray, body: int) -> np.ndarray:
    """float [worlds, bodies]: pixels by which a body overlaps each other one, 0 where it doesn't.

    `poses` is [worlds, bodies, (x, y, angle)], NaN for absent bodies; the worlds have the same bodies.
    """
    depth = np.zeros((len(poses), len(bodies)))
    low, high = _boxes(bodies, poses)
    for other in range(len(bodies)):
        if other == body or not bodies[other].mask & bodies[body].layer or not bodies[body].mask & bodies[other].layer:
            continue
        near = ((low[:, body] <= high[:, other]) & (low[:, other] <= high[:, body])).all(axis=1)
        rows = np.flatnonzero(near)
        if len(rows):
            own, theirs = poses[rows, body].astype(float), poses[rows, other].astype(float)
            for a in bodies[body].shapes:
                for b in bodies[other].shapes:
                    depth[rows, other] = np.maximum(depth[rows, other], -_separation(a, own, b, theirs))
    return depth


def distance_to_point(body: Body, pose: np.ndarray, point: tuple[float, float]) -> float:
    """Pixels from a body at a pose [3] to a point, negative inside."""
    spot = np.array([[*point, 0.0]])
    return float(min(_separation(shape, pose[None].astype(float), Circle(1e-9), spot)[0] for shape in body.shapes))


def _boxes(bodies: tuple[Body, ...], poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """float [worlds, bodies, 2] twice: low and high corners of squares around the bodies, NaN for absent ones."""
    reach = np.array([max(_reach(shape) for shape in body.shapes) for body in bodies])[:, None]
    return poses[..., :2] - reach, poses[..., :2] + reach


def _reach(shape: Shape) -> float:
    """The greatest distance of a shape's points from its body's origin."""
    if isinstance(shape, Circle):
        return float(np.hypot(*shape.centre)) + shape.radius
    return float(np.hypot(*np.array(shape.vertices).T).max())


def _separation(a: Shape, pose_a: np.ndarray, b: Shape, pose_b: np.ndarray) -> np.ndarray:
    """float [worlds]: the signed distance between two shapes at poses [worlds, 3], below 0 where they overlap."""
    if isinstance(a, Circle):
        centre = _points(a, pose_a)[:, 0]
        if isinstance(b, Circle):
            return np.asarray(np.hypot(*(centre - _points(b, pose_b)[:, 0]).T) - a.radius - b.radius)
        return _from_polygon(_points(b, pose_b), centre) - a.radius
    if isinstance(b, Circle):
        return _from_polygon(_points(a, pose_a), _points(b, pose_b)[:, 0]) - b.radius
    points_a, points_b = _points(a, pose_a), _points(b, pose_b)
    axes = np.stack([*_gaps(points_a, points_b), *_gaps(points_b, points_a)])
    return np.asarray(axes.max(axis=0))


def _points(shape: Shape, poses: np.ndarray) -> np.ndarray:
    """float [worlds, points, 2]: the vertices of a polygon or the centre of a circle."""
    local = np.array([shape.centre] if isinstance(shape, Circle) else shape.vertices)
    cosine, sine = np.cos(poses[:, 2:]), np.sin(poses[:, 2:])
    x, y = local.T
    return np.stack([poses[:, :1] + x * cosine - y * sine, poses[:, 1:2] + x * sine + y * cosine], axis=2)


def _normals(polygon: np.ndarray) -> np.ndarray:
    """float [worlds, edges, 2]: outward normals of polygons given anticlockwise."""
    edges = np.roll(polygon, -1, axis=1) - polygon
    normals = np.stack([edges[..., 1], -edges[..., 0]], axis=2)
    return np.asarray(normals / np.hypot(normals[..., :1], normals[..., 1:]))


def _gaps(polygon: np.ndarray, other: np.ndarray) -> Iterator[np.ndarray]:
    """For each edge of a polygon, float [worlds]: how far the other polygon's points all lie beyond it."""
    normals = _normals(polygon)
    for k in range(polygon.shape[1]):
        yield ((other - polygon[:, k : k + 1]) * normals[:, k : k + 1]).sum(axis=2).min(axis=1)


def _from_polygon(polygon: np.ndarray, point: np.ndarray) -> np.ndarray:
    """float [worlds]: the signed distance of points [worlds, 2] from polygons."""
    offset = point[:, None] - polygon
    inside = (offset * _normals(polygon)).sum(axis=2).max(axis=1)
    edges = np.roll(polygon, -1, axis=1) - polygon
    along = np.clip((offset * edges).sum(axis=2) / (edges**2).sum(axis=2), 0.0, 1.0)
    distance = np.sqrt(((offset - along[..., None] * edges) ** 2).sum(axis=2)).min(axis=1)
    return np.asarray(np.where(inside < 0.0, inside, distance))
