"""Dense outcomes: what an action does besides solving a task or not, as a few numbers from 0 to 1.

They are measured during the rollout, so that millions of rollouts need no trajectories: the measured rule decides
worlds as the goal's rule does, and returns for each world what `Measure` names.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np
import warp as wp

from tumble import engine
from tumble.engine import Rule
from tumble.engine.rules.queries import (
    contact_count,
    current_step,
    int_param,
    output_int,
    position,
    scratch_int,
    set_output_int,
    surface_distance,
    table_float,
    touching_at,
)
from tumble.engine.state.layout import BODY_FLAGS, DYNAMIC, INT_PARAMS
from tumble.engine.state.world import World, body_int, chunk_int
from tumble.phyre.catalogue.task import Task
from tumble.phyre.simulation.actions import as_actions, placed_balls
from tumble.phyre.simulation.attempt import build_ball_worlds, goal_rule
from tumble.phyre.simulation.simulator import BATCH_SIZE, Simulator
from tumble.progress import bar

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

INTERVAL = 10
"""Steps between the moments at which distances are measured."""
UNITS_PER_METRE = 10_000.0
"""Of the lengths that the rule returns as ints."""


class Measure(IntEnum):
    """The ints that the rule returns for each world."""

    NEAREST = 0
    """The smallest distance of the surfaces of the goal's two bodies."""
    HELD = 1
    """The most steps in a row for which the goal's relation held."""
    MOVED = 2
    """The largest distance of the goal's body from where it would be without an action."""
    OTHER_MOVED = 3
    """The same of the goal's other body."""
    TOUCHED = 4
    """The placed balls that touched a body of the task that can move, as bits."""
    TOUCHED_GOAL = 5
    """The placed balls that touched one of the goal's bodies that can move, as bits."""


NEAREST = int(Measure.NEAREST)
HELD = int(Measure.HELD)
MOVED = int(Measure.MOVED)
OTHER_MOVED = int(Measure.OTHER_MOVED)
TOUCHED = int(Measure.TOUCHED)
TOUCHED_GOAL = int(Measure.TOUCHED_GOAL)
FIRST_BALL, COURSE = 2, 1
"""Columns of `Rule.ints`, counted from their end: the index of the first placed ball, and where the course of the
task begins in `Rule.table_floats`."""
FRAME_FLOATS = 4
"""Of a course: x and y of the goal's two bodies."""


@wp.func
def _raise_output(w: World, k: int, value: int) -> None:
    set_output_int(w, k, wp.max(output_int(w, k), value))


@wp.func
def _measure_course(w: World, k: int, body: int, at: int) -> None:
    """How far a body is from where it would be, by the two floats of the table from the at-th on."""
    p = position(w, body)
    x = p[0] - table_float(w, at)
    y = p[1] - table_float(w, at + 1)
    _raise_output(w, k, int(wp.min(wp.sqrt(x * x + y * y), 1.0e4) * UNITS_PER_METRE))


@wp.func(inline=False)
def _measure_courses(w: World, frame: int) -> None:
    at = int_param(w, chunk_int(w, INT_PARAMS) - COURSE) + frame * FRAME_FLOATS
    _measure_course(w, MOVED, int_param(w, 0), at)
    _measure_course(w, OTHER_MOVED, int_param(w, 1), at + 2)


@wp.func
def _measure_distance(w: World) -> int:
    return int(wp.min(surface_distance(w, int_param(w, 0), int_param(w, 1)), 1.0e4) * UNITS_PER_METRE)


@wp.func(inline=False)
def _measure_touches(w: World) -> None:
    first = int_param(w, chunk_int(w, INT_PARAMS) - FIRST_BALL)
    touched = output_int(w, TOUCHED)
    touched_goal = output_int(w, TOUCHED_GOAL)
    for k in range(contact_count(w)):
        a, b = touching_at(w, k)
        if a >= 0:
            ball = wp.max(a, b)
            body = wp.min(a, b)
            if ball >= first and body < first and (body_int(w, body, BODY_FLAGS) & DYNAMIC) != 0:
                touched = touched | (1 << (ball - first))
                if body == int_param(w, 0) or body == int_param(w, 1):
                    touched_goal = touched_goal | (1 << (ball - first))
    set_output_int(w, TOUCHED, touched)
    set_output_int(w, TOUCHED_GOAL, touched_goal)


@wp.func
def _begin(w: World) -> None:
    set_output_int(w, NEAREST, _measure_distance(w))


@cache
def _functions(function: Any, settled: Any) -> tuple[Any, Any]:
    """The functions of a goal's rule, and of its decision on sleeping worlds, that also measure."""

    @wp.func
    def measured(w: World) -> int:
        verdict = function(w)
        _raise_output(w, HELD, scratch_int(w, 0))
        _measure_touches(w)
        step = current_step(w)
        if verdict != 0 or step % INTERVAL == 0:
            set_output_int(w, NEAREST, wp.min(output_int(w, NEAREST), _measure_distance(w)))
        if step % INTERVAL == 0:
            _measure_courses(w, step // INTERVAL)
        return verdict

    @wp.func
    def settled_measured(w: World, max_steps: int) -> tuple[int, int]:
        verdict, steps = settled(w, max_steps)
        step = current_step(w)
        held = scratch_int(w, 0)
        if held > 0:
            _raise_output(w, HELD, held + steps - step)
        set_output_int(w, NEAREST, wp.min(output_int(w, NEAREST), _measure_distance(w)))
        for frame in range(step // INTERVAL + 1, steps // INTERVAL + 1):
            _measure_courses(w, frame)
        return verdict, steps

    return measured, settled_measured


def measured_rule(tasks: Sequence[Task], task_of: np.ndarray, courses: np.ndarray) -> Rule:
    """The rule that decides worlds and measures them; `task_of` is int [world]: the index of each world's task.

    `courses` is float [task, frame, 2, 2]: where the goal's two bodies are without an action, in metres, every INTERVAL
    steps from the start to the last step of a rollout.
    """
    rule = goal_rule(tasks, task_of)
    function, settled = _functions(rule.function, rule.settled)
    first_ball = np.array([len(task.scene.bodies) for task in tasks], np.int32)[task_of]
    course = len(rule.table_floats) + task_of * courses[0].size
    return replace(
        rule,
        function=function,
        settled=settled,
        too_late=None,  # the last steps are measured, too
        begin=_begin,
        ints=np.column_stack([rule.ints, first_ball, course]).astype(np.int32),
        table_floats=np.concatenate([rule.table_floats, courses.astype(np.float32).ravel()]),
        output_ints=len(Measure),
    )


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
        worlds = build_ball_worlds(tuple(task.scene for task in some), rows, balls)
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
    worlds = build_ball_worlds(tuple(task.scene for task in tasks), np.arange(len(tasks)), np.zeros((len(tasks), 0, 3)))
    poses = engine.rollout(worlds, engine.RUN_TO_END, options).poses
    bodies = np.array([(task.body, task.other) for task in tasks], int).reshape(-1, 1, 2, 1)
    units = np.array([task.scene.units_per_metre for task in tasks], np.float32).reshape(-1, 1, 1, 1)
    return np.asarray(np.take_along_axis(poses[..., :2], bodies, axis=2) / units)


def _bits(values: np.ndarray) -> np.ndarray:
    """int [n]: the number of bits that are set."""
    return np.asarray(np.unpackbits(values.astype(np.uint8)[:, None], axis=1).sum(axis=1))
