"""Rows of different lengths in one array."""

import numpy as np

FIRST_ROOM = 64
"""Rows that there is room for at first; the room doubles whenever it is used up."""


class PaddedRows:
    """Rows [k, …] of any lengths as an array [rows, longest, …], filled up with one value; rows can be added."""

    def __init__(self, fill: float, dtype: type, *rest: int) -> None:
        """`rest` are the sizes of the axes after the first."""
        self._fill = fill
        self._room: np.ndarray = np.full((FIRST_ROOM, 0, *rest), fill, dtype)
        self._count = 0

    @property
    def array(self) -> np.ndarray:
        """All rows, to be read only."""
        return self._room[: self._count]

    def append(self, row: np.ndarray) -> None:
        """Adds a row."""
        rows, width = self._room.shape[:2]
        if self._count == rows or len(row) > width:
            shape = (2 * rows if self._count == rows else rows, max(width, len(row)), *self._room.shape[2:])
            grown = np.full(shape, self._fill, self._room.dtype)
            grown[: self._count, :width] = self.array
            self._room = grown
        self._room[self._count, : len(row)] = row
        self._room[self._count, len(row) :] = self._fill
        self._count += 1


def widened(values: np.ndarray, width: int, fill: float) -> np.ndarray:
    """Values [n, k, …] with room for `width` columns or more."""
    missing = max(0, width - values.shape[1])
    return np.pad(values, ((0, 0), (0, missing), *((0, 0),) * (values.ndim - 2)), constant_values=fill)
