"""Dense outcomes: what an action does besides solving a task or not, as a few numbers from 0 to 1.

They are measured during the rollout, so that millions of rollouts need no trajectories.
"""

from collections.abc import Sequence

import numpy as np

from tumble import engine
from tumble.phyre.simulation.actions import as_actions, placed_balls
from tumble.phyre.simulation.ball_worlds import build_worlds
from tumble.phyre.simulation.measured_rule import INTERVAL, UNITS_PER_METRE, Measure, measured_rule
from tumble.phyre.simulation.simulator import BATCH_SIZE, Simulator
from tumble.progress import bar

NAMES = ("closeness", "held", "moved", "other_moved", "touched", "touched_goal")
"""Of the numbers: how close the goal's two bodies came to each other (1: they touched); for how long the goal's
relation held (1: for long enough); how far each of these bodies came off the course that it has without an action; the
share of the placed balls that touched a body that can move, and of those that touched one of the goal's that can."""
CLOSENESS = NAMES.index("closeness")
LEVELS = 254
"""Numbers are stored as 0 to LEVELS."""
MISSING = 255
"""Stored in place of numbers that were not measured."""
FARTHEST = 256.0
"""Pixels from which on distances count alike."""


class DenseOutcomes:
    """Measures actions on the tasks of a simulator."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._courses = undisturbed_courses(simulator)

    def measure(self, task_ids: Sequence[str], actions: object) -> np.ndarray:
        """uint8 [pair, number]: the numbers of each action on the task of the same index; MISSING if it is invalid."""
        table = as_actions(actions, self._simulator.tier)
        dense = np.full((len(table), len(NAMES)), MISSING, np.uint8)
        row_of = {task.id: row for row, task in enumerate(self._simulator.tasks)}
        valid = np.flatnonzero(self._simulator.valid(task_ids, table))
        task_of = np.array([row_of[task_ids[k]] for k in valid.tolist()], int)
        balls = placed_balls(table[valid])
        with bar("Measuring", len(valid)) as advance:
            for first in range(0, len(valid), BATCH_SIZE):
                part = slice(first, first + BATCH_SIZE)
                dense[valid[part]] = self._measured(task_of[part], balls[part])
                advance(len(valid[part]))
        return dense

    def _measured(self, task_of: np.ndarray, balls: np.ndarray) -> np.ndarray:
        """uint8 [world, number] of worlds with placed balls [world, ball, 3]."""
        tasks, options = self._simulator.tasks, self._simulator.options
        used, rows = np.unique(task_of, return_inverse=True)
        some = [tasks[row] for row in used.tolist()]
        worlds = build_worlds(tuple(task.scene for task in some), rows, balls)
        rollouts = engine.rollout(worlds, measured_rule(some, rows, self._courses[used]), options)
        measured = rollouts.output_ints.T
        pixels = np.array([task.scene.units_per_metre for task in some])[rows] / UNITS_PER_METRE
        needed = np.array([task.hold_steps for task in some])[rows]
        nearest, moved, other_moved = (
            np.sqrt(np.minimum(pixels * measured[k] / FARTHEST, 1.0))
            for k in (Measure.NEAREST, Measure.MOVED, Measure.OTHER_MOVED)
        )
        held = np.where(rollouts.verdicts == 1, 1.0, np.sqrt(np.minimum(measured[Measure.HELD] / needed, 1.0)))
        touched, touched_goal = (_bits(measured[k]) / balls.shape[1] for k in (Measure.TOUCHED, Measure.TOUCHED_GOAL))
        numbers = np.stack([1.0 - nearest, held, moved, other_moved, touched, touched_goal], axis=1)
        return np.round(LEVELS * numbers).astype(np.uint8)


def undisturbed_courses(simulator: Simulator) -> np.ndarray:
    """float32 [task, frame, 2, 2]: where the goal's two bodies are without an action, in metres.

    They are few rollouts, so a CPU makes them sooner than a kernel for them is compiled for a GPU.
    """
    tasks = simulator.tasks
    options = engine.Options(threads=simulator.options.threads, stride=INTERVAL)
    worlds = build_worlds(tuple(task.scene for task in tasks), np.arange(len(tasks)), np.zeros((len(tasks), 0, 3)))
    poses = engine.rollout(worlds, engine.RUN_TO_END, options).poses
    bodies = np.array([(task.body, task.other) for task in tasks], int).reshape(-1, 1, 2, 1)
    units = np.array([task.scene.units_per_metre for task in tasks], np.float32).reshape(-1, 1, 1, 1)
    return np.asarray(np.take_along_axis(poses[..., :2], bodies, axis=2) / units)


def _bits(values: np.ndarray) -> np.ndarray:
    """int [n]: the number of bits that are set."""
    return np.asarray(np.unpackbits(values.astype(np.uint8)[:, None], axis=1).sum(axis=1))
