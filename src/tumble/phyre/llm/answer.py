"""What a model answers: positions and radii in pixels, or cells and levels of a grid; the schema, and reading it."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tumble.checks import shown
from tumble.llm.puzzle import AnswerError
from tumble.phyre.llm.grid import Grid, GridError, cell_name
from tumble.phyre.simulation.actions import MAX_RADIUS, MIN_RADIUS, SIZE, from_balls
from tumble.phyre.tasks.tier import Tier

MOST_NUMBER = 1e6
"""Numbers beyond it are no positions of any scene."""


def answer_schema(tier: Tier, grid: Grid | None) -> dict[str, Any]:
    """The JSON schema of an answer: a ball, or a list of two."""
    ball = _object(_ball_properties(grid))
    if tier.balls == 1:
        return ball
    return _object({"balls": {"type": "array", "items": ball, "minItems": tier.balls, "maxItems": tier.balls}})


def answer_example(tier: Tier, grid: Grid | None) -> str:
    """An answer with names in the place of numbers."""
    ball = '{"x": X, "y": Y, "radius": R}' if grid is None else '{"cell": "CELL", "radius": LEVEL}'
    return ball if tier.balls == 1 else f'{{"balls": [{", ".join([ball] * tier.balls)}]}}'


def read_action(answer: Mapping[str, Any], tier: Tier, grid: Grid | None) -> np.ndarray:
    """float [numbers]: the action of an answer, in the numbers of run logs; beyond 0 to 1 if a ball is out of bounds.

    >>> from tumble.phyre.tasks.tier import TIERS
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
    cell = _value(name, ball, "cell")
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


def _value(name: str, ball: object, key: str) -> object:
    if not isinstance(ball, Mapping):
        raise AnswerError(f"{name} must be a JSON object, not {shown(ball)}")
    if key not in ball:
        raise AnswerError(f'"{key}" of {name} is missing')
    return ball[key]


def _number(name: str, ball: object, key: str) -> float:
    """A finite number; digits in quotes count as one."""
    value = _value(name, ball, key)
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


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
