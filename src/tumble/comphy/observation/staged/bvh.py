"""A tree of boxes around the triangles of a mesh, as flat arrays that are traversed without a stack."""

from dataclasses import dataclass

import numpy as np

LEAF = 4
"""The most triangles in a leaf."""
GROWTH = 1.0e-5
"""Boxes are this much larger on each side, so that no ray misses a triangle by rounding."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes in depth-first order: the first child of a node follows it, and `skip` leads past its subtree."""

    lower: np.ndarray
    """float32 [node, 3]."""
    upper: np.ndarray
    """float32 [node, 3]."""
    skip: np.ndarray
    """int32 [node]: the next node where a ray misses this one, or after this one if it is a leaf."""
    first: np.ndarray
    """int32 [node]: the first triangle of a leaf, in the tree's order."""
    count: np.ndarray
    """int32 [node]: triangles of a leaf; 0 for other nodes."""
    order: np.ndarray
    """int64 [triangle]: the triangles of the mesh in the tree's order."""


def build_tree(triangles: np.ndarray) -> Tree:
    """The tree of triangles [n, 3, 3], level by level: all nodes of a level are split at once.

    Each node is split in half along the axis that gives its two parts the least surface.
    """
    lower, upper = triangles.min(axis=1).astype(float), triangles.max(axis=1).astype(float)
    middle = 0.5 * (lower + upper)
    order = np.arange(len(triangles))
    starts = np.array([0, len(triangles)])
    levels = [starts]
    while np.diff(starts).max() > LEAF:
        starts, order = _split(starts, order, lower, upper, middle)
        levels.append(starts)
    return _depth_first(levels, order, lower, upper)


def _split(
    starts: np.ndarray, order: np.ndarray, lower: np.ndarray, upper: np.ndarray, middle: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The ranges of the next level, two for each of this one, and the triangles in their order."""
    sizes = np.diff(starts)
    node = np.repeat(np.arange(len(sizes)), sizes)
    halves = np.empty(2 * len(sizes) + 1, int)
    halves[0::2], halves[1::2] = starts, starts[:-1] + (sizes + 1) // 2
    orders, costs = [], []
    for axis in range(3):
        sorted_order = order[np.lexsort((middle[order, axis], node))]
        low = np.minimum.reduceat(lower[sorted_order], halves[:-1])
        size = np.maximum.reduceat(upper[sorted_order], halves[:-1]) - low
        area = size[:, 0] * size[:, 1] + size[:, 1] * size[:, 2] + size[:, 2] * size[:, 0]
        orders.append(sorted_order)
        costs.append(area[0::2] + area[1::2])
    best = np.argmin(costs, axis=0)
    return halves, np.array(orders)[best[node], np.arange(len(order))]


def _depth_first(levels: list[np.ndarray], order: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> Tree:
    depth = len(levels) - 1
    total = 2 ** (depth + 1) - 1
    boxes_low, boxes_high = np.empty((total, 3), np.float32), np.empty((total, 3), np.float32)
    skip, first, count = (np.zeros(total, np.int32) for _ in range(3))
    places = np.zeros(1, int)
    for level, starts in enumerate(levels):
        subtree = 2 ** (depth - level + 1) - 1
        boxes_low[places] = np.minimum.reduceat(lower[order], starts[:-1]) - GROWTH
        boxes_high[places] = np.maximum.reduceat(upper[order], starts[:-1]) + GROWTH
        skip[places] = places + subtree
        if level == depth:
            first[places], count[places] = starts[:-1], np.diff(starts)
        else:
            children = np.stack([places + 1, places + 1 + subtree // 2], axis=-1)
            places = children.reshape(-1)
    return Tree(boxes_low, boxes_high, skip, first, count, order)
