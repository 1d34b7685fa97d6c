"""Statuses in 2 bits each, four to a byte, the first in the lowest bits: status + 1, or 3 for unused bits."""

import numpy as np

_UNUSED = 3
_SHIFTS = np.arange(0, 8, 2, dtype=np.uint8)
_CODES = np.arange(256, dtype=np.uint8)[:, None] >> _SHIFTS & 3
"""uint8 [256, 4]: the four codes in each byte."""
_STATUSES = _CODES.astype(np.int8) - np.int8(1)
STATUS_COUNTS = (_CODES[:, :, None] == np.arange(3)).sum(axis=1)
"""int [256, 3]: how often each status (-1, 0, 1) occurs in each byte."""


class PackingError(ValueError):
    """A number that is not a status."""


def pack(statuses: np.ndarray) -> np.ndarray:
    """uint8 [task, byte] of statuses [task, action], four to a byte.

    >>> pack(np.array([[-1, 0, 1, -1, 1]])).tolist()
    [[36, 254]]
    """
    wrong = np.argwhere((statuses != -1) & (statuses != 0) & (statuses != 1))
    if len(wrong):
        row, column = wrong[0]
        raise PackingError(f"a status is -1, 0 or 1, not {statuses[row, column]} (row {row}, action {column})")
    tasks, actions = statuses.shape
    width = -(-actions // 4)
    codes = np.full((tasks, 4 * width), _UNUSED, np.uint8)
    codes[:, :actions] = statuses + 1
    return np.asarray(np.bitwise_or.reduce(codes.reshape(tasks, width, 4) << _SHIFTS, axis=2))


def unpack(packed: np.ndarray, count: int) -> np.ndarray:
    """int8 [task, action]: the first `count` statuses of packed rows."""
    tasks, width = packed.shape
    return np.asarray(_STATUSES[packed].reshape(tasks, 4 * width)[:, :count])


def unpack_columns(packed: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """int8 [task, column]: the statuses of the actions with these numbers."""
    return np.asarray(_STATUSES[packed[:, columns // 4], columns % 4])
