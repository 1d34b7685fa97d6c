"""What a model answers: positions and radii in pixels, or cells of a grid; its schema, and how it is read.

A grid cuts actions into columns, rows and radius levels, of which an answer names one, as protocols of other people
do. Cells are named like squares in chess: "a1" is at the bottom left; columns beyond z are aa, ab, …
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tumble.checks import shown
from tumble.errors import TumbleError
from tumble.llm.puzzle import AnswerError
from tumble.phyre.catalogue.task import Tier, as_tier
from tumble.phyre.simulation.actions import MAX_RADIUS, MIN_RADIUS, SCALE, SIZE, from_balls

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


MOST_NUMBER = 1e6
"""Numbers beyond it are no positions of any scene."""


def answer_schema(tier: Tier, grid: Grid | None) -> dict[str, Any]:
    """The JSON schema of an answer: a ball, or a list of two."""
    ball = _object_schema(_ball_properties(grid))
    if tier.balls == 1:
        return ball
    return _object_schema({"balls": {"type": "array", "items": ball, "minItems": tier.balls, "maxItems": tier.balls}})


def answer_example(tier: Tier, grid: Grid | None) -> str:
    """An answer with names in the place of numbers."""
    ball = '{"x": X, "y": Y, "radius": R}' if grid is None else '{"cell": "CELL", "radius": LEVEL}'
    return ball if tier.balls == 1 else f'{{"balls": [{", ".join([ball] * tier.balls)}]}}'


def read_action(answer: Mapping[str, Any], tier: Tier, grid: Grid | None) -> np.ndarray:
    """float [numbers]: the action of an answer, in the numbers of run logs; beyond 0 to 1 if a ball is out of bounds.

    >>> from tumble.phyre.catalogue.task import TIERS
    >>> read_action({"x": 51, "y": 102, "radius": 17}, TIERS["B"], None).tolist()
    [0.2, 0.4, 0.5]
    """
    balls = answer.get("balls", [answer] if tier.balls == 1 else None)
    if not isinstance(balls, list) or len(balls) != tier.balls:
        count = "one ball" if tier.balls == 1 else f"{tier.balls} balls"
        raise AnswerError(f"the answer must place {count}, as in {answer_example(tier, grid)}")
    names = ["the ball"] if tier.balls == 1 else [f"ball {k + 1}" for k in range(tier.balls)]
    read = _pixel_ball if grid is None else _grid_ball
    return np.concatenate([read(name, ball, grid) for name, ball in zip(names, balls, strict=True)])


def _pixel_ball(name: str, ball: object, grid: Grid | None) -> np.ndarray:
    del grid
    x, y, radius = (_number(name, ball, key) for key in ("x", "y", "radius"))
    return np.asarray(from_balls(np.array([[[x, y, radius]]]))[0])


def _grid_ball(name: str, ball: object, grid: Grid | None) -> np.ndarray:
    assert grid is not None
    cell = _answer_value(name, ball, "cell")
    if not isinstance(cell, str):
        raise AnswerError(f'"cell" of {name} must be a text such as "a1", not {shown(cell)}')
    try:
        column, row = grid.cell(cell)
    except GridError as error:
        raise AnswerError(f"{name}: {error}") from None
    level = _number(name, ball, "radius")
    if level != round(level) or not 1 <= level <= grid.levels:
        raise AnswerError(f'"radius" of {name} must be a level, a whole number from 1 to {grid.levels}, not {level:g}')
    return grid.action(column, row, int(level) - 1)


def _answer_value(name: str, ball: object, key: str) -> object:
    if not isinstance(ball, Mapping):
        raise AnswerError(f"{name} must be a JSON object, not {shown(ball)}")
    if key not in ball:
        raise AnswerError(f'"{key}" of {name} is missing')
    return ball[key]


def _number(name: str, ball: object, key: str) -> float:
    """A finite number; digits in quotes count as one."""
    value = _answer_value(name, ball, key)
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, int | float | str) else float(value)
    except (ValueError, OverflowError):
        number = math.nan
    if not abs(number) <= MOST_NUMBER:
        raise AnswerError(f'"{key}" of {name} must be a number, not {shown(value)}')
    return number


def _ball_properties(grid: Grid | None) -> dict[str, Any]:
    if grid is not None:
        last = cell_name(grid.columns - 1, grid.rows - 1)
        return {
            "cell": {"type": "string", "description": f"a1 (bottom left) to {last} (top right)"},
            "radius": {"type": "integer", "minimum": 1, "maximum": grid.levels},
        }
    position = {"type": "number", "minimum": 0, "maximum": SIZE}
    return {
        "x": position,
        "y": position,
        "radius": {"type": "number", "minimum": MIN_RADIUS, "maximum": MAX_RADIUS},
    }


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
