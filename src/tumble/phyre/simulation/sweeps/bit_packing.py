"""Statuses in 2 bits each, four to a byte, the first in the lowest bits: status + 1, or 3 for an unused place."""

import numpy as np

_UNUSED = 3
_SHIFTS = np.arange(0, 8, 2, dtype=np.uint8)
_CODES_OF = np.arange(256, dtype=np.uint8)[:, None] >> _SHIFTS & 3
"""The four codes in each byte."""
_STATUSES_OF = _CODES_OF.astype(np.int8) - np.int8(1)
COUNTS_OF = (_CODES_OF[:, :, None] == np.arange(3)).sum(axis=1)
"""How often each status is in each byte."""


class PackingError(ValueError):
    """A number that is no status."""


def pack(statuses: np.ndarray) -> np.ndarray:
    """uint8 [task, byte] of statuses [task, action], four to a byte."""
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
    """int8 [task, action]: the first so many statuses of packed rows."""
    tasks, width = packed.shape
    return np.asarray(_STATUSES_OF[packed].reshape(tasks, 4 * width)[:, :count])


def pick(packed: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """int8 [task, column]: the statuses of some actions."""
    return np.asarray(_STATUSES_OF[packed[:, columns // 4], columns % 4])
