"""Tasks whose outcomes are known without physics: they depend on where the ball is placed."""

from collections.abc import Callable, Sequence

import numpy as np

from tumble.phyre.catalogue.task import MATERIAL, UNITS_PER_METRE, Task
from tumble.phyre.simulation.actions import from_balls
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.scene import Body, Circle, Scene, box

STEPS = 321
BLOCKED = range(120, 136)
"""Columns of pixels where no ball can be placed."""


def task(name: str) -> Task:
    """A task of tier B that is never simulated."""
    ball = Body((Circle(10.0),), (128.0, 200.0), dynamic=True, role="object", **MATERIAL)
    floor = Body((box(256.0, 4.0),), (128.0, 2.0), role="subject", **MATERIAL)
    return Task(name, "B", Scene((ball, floor), 256.0, 256.0, units_per_metre=UNITS_PER_METRE), 0, 1)


def at(*columns: float) -> np.ndarray:
    """Actions that place a ball of radius 5 at these columns of pixels."""
    return from_balls(np.array([[[column + 0.5, 128.5, 5.0]] for column in columns]))


class KnownSimulator(Simulator):
    """Decides attempts by the column of pixels in which the ball is placed."""

    def __init__(self, tasks: Sequence[Task], solves: Callable[[str, int], bool]) -> None:
        super().__init__(tasks, "B")
        self.solves = solves
        self.rolled_out: list[tuple[str, int]] = []

    def _valid(self, task_of: np.ndarray, balls: np.ndarray, inside: np.ndarray) -> np.ndarray:
        return inside & ~np.isin(balls[:, 0, 0], BLOCKED)

    def _outcomes(
        self,
        task_of: np.ndarray,
        balls: np.ndarray,
        inside: np.ndarray,
        progress: Callable[[int], None],
        are_valid: bool = False,
    ) -> tuple[np.ndarray, np.ndarray]:
        valid = inside if are_valid else self._valid(task_of, balls, inside)
        pairs = [(self.tasks[k].id, int(column)) for k, column in zip(task_of, balls[:, 0, 0], strict=True)]
        self.rolled_out += [pair for pair, is_valid in zip(pairs, valid, strict=True) if is_valid]
        solved = np.array([self.solves(*pair) for pair in pairs], bool)
        status = np.where(valid, np.where(solved, SOLVED, NOT_SOLVED), INVALID)
        return status.astype(np.int8), np.where(valid, STEPS, 0).astype(np.int32)
