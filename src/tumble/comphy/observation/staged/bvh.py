"""A complete binary tree of boxes around the triangles of a mesh, which can be traversed without a stack."""

from dataclasses import dataclass

import numpy as np

LEAF = 4
"""The most triangles in a leaf."""
GROWTH = 1.0e-5
"""Boxes are this much larger on each side, so that no ray misses a triangle by rounding."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes level by level: node k, counted from 1, has the children 2 k and 2 k + 1; the last level are leaves."""

    boxes: np.ndarray
    """float32 [node, 2, 3]: lower and upper corner of each node's box, of node 1 first."""
    starts: np.ndarray
    """int32 [leaf + 1]: the first triangle of each leaf in the tree's order, and the number of triangles."""
    order: np.ndarray
    """int64 [triangle]: the triangles of the mesh in the tree's order."""

    @property
    def leaves(self) -> int:
        """The number of leaves, a power of 2."""
        return len(self.starts) - 1


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
    lower, upper = lower[order] - GROWTH, upper[order] + GROWTH
    boxes = [
        np.stack([np.minimum.reduceat(lower, one[:-1]), np.maximum.reduceat(upper, one[:-1])], axis=1) for one in levels
    ]
    return Tree(np.concatenate(boxes).astype(np.float32), starts.astype(np.int32), order)


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
