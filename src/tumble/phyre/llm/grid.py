"""Grids of actions: columns, rows and radius levels of which an answer names one, as protocols of other people do.

Cells are named like squares in chess: "a1" is at the bottom left; columns beyond z are aa, ab, …
"""

import re
from dataclasses import dataclass

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.simulation.actions import MIN_RADIUS, SCALE
from tumble.phyre.tasks.tier import Tier, as_tier

MOST_CELLS = 100
"""Along each side."""
MOST_ACTIONS = 100_000_000


class GridError(TumbleError):
    """A grid that can't be made, or a cell that it does not have."""


@dataclass(frozen=True)
class Grid:
    """The unit cube of actions cut into equal cells; the centre of each is an action."""

    columns: int
    rows: int
    levels: int

    @classmethod
    def parse(cls, text: str) -> "Grid":
        """A grid of a text.

        >>> Grid.parse("8x8x4")
        Grid(columns=8, rows=8, levels=4)
        """
        parts = re.fullmatch(r"(\d{1,3})x(\d{1,3})x(\d{1,3})", text.strip().lower())
        counts = [int(part) for part in parts.groups()] if parts else [0]
        if not all(1 <= count <= MOST_CELLS for count in counts):
            raise GridError(
                f"no grid {text!r}: give columns, rows and radius levels, as in 5x5x5, each from 1 to {MOST_CELLS}"
            )
        return cls(*counts)

    @property
    def name(self) -> str:
        return f"{self.columns}x{self.rows}x{self.levels}"

    @property
    def borders(self) -> tuple[np.ndarray, np.ndarray]:
        """The borders between columns and between rows, in pixels, the outer ones included."""
        return np.linspace(0.0, SCALE[0], self.columns + 1), np.linspace(0.0, SCALE[1], self.rows + 1)

    @property
    def radii(self) -> np.ndarray:
        """The radius of each level in pixels, the smallest first."""
        return np.asarray(MIN_RADIUS + (np.arange(self.levels) + 0.5) / self.levels * SCALE[2])

    def cell(self, name: str) -> tuple[int, int]:
        """The column and row of a cell's name, both from 0.

        >>> Grid(5, 5, 5).cell("C2")
        (2, 1)
        """
        parts = re.fullmatch(r"([a-z]{1,2})(\d{1,3})", name.strip().lower())
        column, row = (_column_index(parts[1]), int(parts[2]) - 1) if parts else (-1, -1)
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            last = cell_name(self.columns - 1, self.rows - 1)
            raise GridError(f"there is no cell {name[:20]!r}; cells are a1 (bottom left) to {last} (top right)")
        return column, row

    def action(self, column: int, row: int, level: int) -> np.ndarray:
        """float [3]: the centre of a cell as an action; all counted from 0."""
        counts = np.array([self.columns, self.rows, self.levels])
        return np.asarray((np.array([column, row, level]) + 0.5) / counts)

    def actions(self, tier: Tier | str) -> np.ndarray:
        """float [n, numbers]: all actions of a tier, valid or not."""
        balls = as_tier(tier).balls
        total = (self.columns * self.rows * self.levels) ** balls
        if total > MOST_ACTIONS:
            raise GridError(f"a grid {self.name} has {total:,} actions of {balls} balls: more than {MOST_ACTIONS:,}")
        axes = [(np.arange(count) + 0.5) / count for count in (self.columns, self.rows, self.levels)] * balls
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(total, 3 * balls)


def column_name(column: int) -> str:
    """The letters of a column, counted from 0.

    >>> column_name(0), column_name(25), column_name(26)
    ('a', 'z', 'aa')
    """
    first, second = divmod(column, 26)
    return (chr(96 + first) if first else "") + chr(97 + second)


def cell_name(column: int, row: int) -> str:
    """The name of a cell whose column and row are counted from 0."""
    return f"{column_name(column)}{row + 1}"


def _column_index(letters: str) -> int:
    index = 0
    for letter in letters:
        index = 26 * index + ord(letter) - 96
    return index - 1
