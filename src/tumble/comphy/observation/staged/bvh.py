"""A complete binary tree of boxes around the triangles of a mesh, which can be traversed without a stack."""

from dataclasses import dataclass

import numpy as np

LEAF = 6
"""The most triangles in a leaf."""
MEAN_LEAF = 3.0
"""Leaves have fewer triangles than this on average."""
SHARES = (0.35, 0.5, 0.65)
"""Shares of a node's triangles that its first child may have."""
GROWTH = 1.0e-5
"""Boxes are this much larger on each side, so that no ray misses a triangle by rounding."""
FAR = 1.0e9
"""The box of a leaf without triangles reaches from FAR to -FAR, so that no ray meets it."""


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
    """The tree of triangles [n, 3, 3], level by level: all nodes of a level are split at once."""
    lower, upper = triangles.min(axis=1) - GROWTH, triangles.max(axis=1) + GROWTH
    order = np.arange(len(triangles))
    starts = np.array([0, len(triangles)])
    levels = [starts]
    depth = max(0, int(np.ceil(np.log2(len(triangles) / MEAN_LEAF))))
    for level in range(depth):
        starts, order = _split(starts, order, lower, upper, LEAF << (depth - level - 1))
        levels.append(starts)
    boxes = [np.stack(_boxes(lower[order], upper[order], bounds), axis=1) for bounds in levels]
    return Tree(np.concatenate(boxes).astype(np.float32), starts.astype(np.int32), order)


def _split(
    starts: np.ndarray, order: np.ndarray, lower: np.ndarray, upper: np.ndarray, capacity: int
) -> tuple[np.ndarray, np.ndarray]:
    """The ranges of the next level, two for each of this one, and the triangles in their order.

    Each node is split along the axis and at the place that give the least sum of surface times number of triangles; no
    child gets more than its leaves can hold.
    """
    sizes = np.diff(starts)
    node = np.repeat(np.arange(len(sizes)), sizes)
    middle = lower + upper
    orders, costs, cuts = [], [], []
    for axis in range(3):
        sorted_order = order[np.lexsort((middle[order, axis], node))]
        low, high = lower[sorted_order], upper[sorted_order]
        orders.append(sorted_order)
        for share in SHARES:
            cut = np.clip(np.rint(share * sizes).astype(int), np.minimum(sizes, 1), np.maximum(sizes - 1, 0))
            cut = np.clip(cut, np.maximum(sizes - capacity, 0), capacity)
            bounds = _halves(starts, cut)
            first, last = _boxes(low, high, bounds)
            size = np.maximum(last - first, 0.0)
            area = size[:, 0] * size[:, 1] + size[:, 1] * size[:, 2] + size[:, 2] * size[:, 0]
            cost = area * np.diff(bounds)
            costs.append(cost[0::2] + cost[1::2])
            cuts.append(cut)
    best = np.argmin(costs, axis=0)
    chosen = np.array(cuts)[best, np.arange(len(sizes))]
    return _halves(starts, chosen), np.array(orders)[(best // len(SHARES))[node], np.arange(len(order))]


def _halves(starts: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """The ranges of children, whose first ones have `cut` triangles."""
    bounds = np.empty(2 * len(starts) - 1, int)
    bounds[0::2], bounds[1::2] = starts, starts[:-1] + cut
    return bounds


def _boxes(lower: np.ndarray, upper: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corners [range, 3] of the boxes around ranges of triangles."""
    padding = np.zeros((1, 3), lower.dtype)  # a range may start at the end
    first = np.minimum.reduceat(np.concatenate([lower, padding]), bounds[:-1])
    last = np.maximum.reduceat(np.concatenate([upper, padding]), bounds[:-1])
    if bounds[-2] < bounds[-1] == len(lower):
        first[-1], last[-1] = lower[bounds[-2] :].min(axis=0), upper[bounds[-2] :].max(axis=0)
    empty = np.diff(bounds) == 0
    first[empty], last[empty] = FAR, -FAR
    return first, last
