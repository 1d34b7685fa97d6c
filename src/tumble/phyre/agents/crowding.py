"""How many other actions have balls close to those of an action: which of many are typical."""

import numpy as np

CELL = 6.0
"""The side of a cell of the grid in which balls are counted, in pixels."""


def crowding(balls: np.ndarray, others: np.ndarray) -> np.ndarray:
    """float [n]: how many of some actions' balls are close to those of each action: the mean over its balls of
    log(1 + number).

    Given are the balls [n, numbers] of actions and [m, numbers] of the others. Close are those in the same cell of a
    grid of x, y and radius, and in the cells next to it.
    """
    own, near = ((table.reshape(-1, 3) // CELL).astype(int) + 1 for table in (balls, others))
    shape = np.concatenate([own, near]).max(axis=0, initial=0) + 2
    counts = np.zeros(shape)
    np.add.at(counts, tuple(near.T), 1.0)
    for axis in range(3):  # cells at the edges are empty
        counts = counts + np.roll(counts, 1, axis) + np.roll(counts, -1, axis)
    return np.asarray(np.log1p(counts[tuple(own.T)]).reshape(len(balls), balls.shape[1] // 3).mean(axis=1))
