"""A goal's rule that also measures what happens to the goal's bodies.

It decides worlds as the goal's rule does, and returns for each world what `Measure` names.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np
import warp as wp

from tumble.engine import Rule
from tumble.engine.rules.distances import surface_distance
from tumble.engine.rules.queries import (
    contact_count,
    current_step,
    int_param,
    output_int,
    position,
    scratch_int,
    set_output_int,
    table_float,
    touching_at,
)
from tumble.engine.state.layout import BODY_FLAGS, DYNAMIC, INT_PARAMS
from tumble.engine.state.world import World, body_int, chunk_int
from tumble.phyre.simulation.goal_rule import goal_rule
from tumble.phyre.tasks.task import Task

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
