"""Outlines of a level's pieces in world units, bounding boxes, and overlap."""

import math
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tumble.phyq.tasks.constants import GROUND_Y
from tumble.phyq.tasks.level import Level, Piece, Platform
from tumble.scene import Circle, Shape

CIRCLE_CORNERS = 24


class Box(NamedTuple):
    """The bounding box of an outline."""

    left: float
    bottom: float
    right: float
    top: float


def outline(piece: Piece) -> np.ndarray:
    """Corners [n, 2] of a placed piece, counter-clockwise."""
    return placed(shape_corners(piece.outline), piece.x, piece.y, piece.rotation)


@lru_cache(maxsize=4096)
def shape_corners(shape: Shape) -> np.ndarray:
    """Corners [n, 2] of a shape in local coordinates, read-only; a circle has CIRCLE_CORNERS of them."""
    if isinstance(shape, Circle):
        turns = np.linspace(0.0, 2.0 * math.pi, CIRCLE_CORNERS, endpoint=False)
        corners = np.asarray(shape.centre) + shape.radius * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    else:
        corners = np.array(shape.vertices)
    corners.flags.writeable = False
    return corners


def placed(corners: np.ndarray, x: float, y: float, degrees: float) -> np.ndarray:
    """Corners [n, 2] rotated about the origin, then moved by (x, y)."""
    turn = math.radians(degrees)
    c, s = math.cos(turn), math.sin(turn)
    return np.asarray(corners @ np.array([[c, s], [-s, c]]) + (x, y))


def bounding_box(corners: np.ndarray) -> Box:
    """The bounding box of corners [n, 2]."""
    (left, bottom), (right, top) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return Box(left, bottom, right, top)


def overlap_depth(a: np.ndarray, b: np.ndarray) -> float:
    """Penetration depth of two convex outlines [n, 2] and [m, 2]; negative where they are apart."""
    return min(_depth_along_normals(a, b), _depth_along_normals(b, a))


def _depth_along_normals(a: np.ndarray, b: np.ndarray) -> float:
    """The smallest depth of `b` behind an edge of `a`."""
    edges = np.roll(a, -1, axis=0) - a
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=-1) / np.hypot(*edges.T)[:, None]
    gaps = (b @ normals.T).min(axis=0) - (a * normals).sum(axis=-1)
    return -float(gaps.max())


def overlaps(level: Level, slop: float) -> list[tuple[Piece, Piece | None, float]]:
    """Pairs of pieces (None: the ground) that overlap by more than `slop`, with the depth.

    Platforms are static, so they may overlap each other and the ground.
    """
    pieces = level.pieces
    outlines = [outline(piece) for piece in pieces]
    boxes = [bounding_box(corners) for corners in outlines]
    found: list[tuple[Piece, Piece | None, float]] = []
    for k, piece in enumerate(pieces):
        if not isinstance(piece, Platform) and GROUND_Y - boxes[k].bottom > slop:
            found.append((piece, None, GROUND_Y - boxes[k].bottom))
    for i, j in combinations(range(len(pieces)), 2):
        if (isinstance(pieces[i], Platform) and isinstance(pieces[j], Platform)) or _apart(boxes[i], boxes[j]):
            continue
        depth = overlap_depth(outlines[i], outlines[j])
        if depth > slop:
            found.append((pieces[i], pieces[j], depth))
    return found


def _apart(a: Box, b: Box) -> bool:
    return a.right < b.left or b.right < a.left or a.top < b.bottom or b.top < a.bottom
