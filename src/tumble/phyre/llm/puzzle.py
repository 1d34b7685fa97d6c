"""One task of PHYRE as a puzzle for models."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from tumble.llm.prompt import Message, Mode, Part
from tumble.llm.puzzle import Outcome, Puzzle
from tumble.llm.zoom import box_schema, read_box
from tumble.phyre.llm.answer import answer_schema, read_action
from tumble.phyre.llm.feedback import attempt_feedback, invalid_feedback, lost_feedback, simulation_feedback
from tumble.phyre.llm.grid import Grid
from tumble.phyre.llm.labels import labels_of
from tumble.phyre.llm.prompts import opening_messages
from tumble.phyre.llm.scene_part import SMALLEST_SIDE, scene_box, scene_part
from tumble.phyre.simulation.actions import MAX_RADIUS, MIN_RADIUS, exact_balls
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.placement import placement_problem
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, LABELS
from tumble.phyre.tasks.splits import template_of
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import tier_named


class PhyrePuzzle(Puzzle):
    """A task and the attempts that a model has made at it; each is simulated by one call of the simulator."""

    look_description = "Shows a part of the scene at the start, enlarged: a rectangle by its sides, in px, y up."

    def __init__(self, task: Task, mode: Mode, attempts: int, grid: Grid | None = None) -> None:
        self.task, self.mode, self.attempts, self.grid = task, mode, attempts, grid
        self.id, self.template, self.tier = task.id, template_of(task.id), tier_named(task.tier)
        self.schema = answer_schema(self.tier, grid)
        self.look_schema = box_schema(scene_box(task.scene))
        self.labels = labels_of(task)
        self.made = 0
        """Attempts that counted."""
        self.solved = False

    @cached_property
    def _simulator(self) -> Simulator:
        return Simulator([self.task], self.task.tier)

    @property
    def over(self) -> bool:
        return self.solved or self.made >= self.attempts

    def opening(self) -> tuple[Message, ...]:
        return opening_messages(self.task, self.labels, self.mode, self.attempts, self.grid)

    def read(self, answer: Mapping[str, Any]) -> np.ndarray:
        return read_action(answer, self.tier, self.grid)

    def attempt(self, action: np.ndarray) -> Outcome:
        attempt = self._simulated(action)
        if isinstance(attempt, str):
            return self._refused(action, attempt)
        self.made += 1
        self.solved = attempt.solved
        record = _record(self.made, action, attempt.status, attempt.steps)
        if self.over:
            return Outcome(LABELS[attempt.status], True, attempt.solved, record=record)
        feedback = attempt_feedback(self.task, self.labels, attempt, self.mode, self.made, self.attempts)
        return Outcome(LABELS[attempt.status], True, feedback=feedback, record=record)

    def imagine(self, action: np.ndarray) -> Outcome:
        attempt = self._simulated(action)
        if isinstance(attempt, str):
            return Outcome(LABELS[INVALID], False, feedback=(f"Not allowed: {attempt}.",))
        feedback = simulation_feedback(self.task, self.labels, attempt, self.mode)
        return Outcome(LABELS[attempt.status], False, attempt.solved, feedback)

    def look(self, wanted: Mapping[str, Any]) -> tuple[Part, ...]:
        return (scene_part(self.task, self.labels, read_box(wanted, scene_box(self.task.scene), SMALLEST_SIDE)),)

    def skip(self) -> Outcome:
        self.made += 1
        record = _record(self.made, None, INVALID, None)
        return Outcome(LABELS[INVALID], True, feedback=lost_feedback(self.made, self.attempts), record=record)

    def _simulated(self, action: np.ndarray) -> Attempt | str:
        """An attempt with an action, or why it is not allowed."""
        if problem := self._out_of_bounds(action):
            return problem
        attempt = self._simulator.simulate(self.task, action, want=("trajectories", "events"))
        if attempt.status == INVALID:
            return placement_problem(self.labels.lettered(self.task.scene, self.mode), action)
        return attempt

    def _refused(self, action: np.ndarray, problem: str) -> Outcome:
        """The outcome of an action that is no attempt."""
        record = {**_record(None, action, INVALID, None), "problem": problem}
        feedback = invalid_feedback(problem, self.attempts - self.made)
        return Outcome(LABELS[INVALID], False, feedback=feedback, record=record)

    def _out_of_bounds(self, action: np.ndarray) -> str:
        """Why an action is none that the simulator takes; empty if it is one."""
        if ((action >= 0.0) & (action <= 1.0)).all():
            return ""
        for radius in exact_balls(action[None])[0, :, 2]:
            if not MIN_RADIUS <= radius <= MAX_RADIUS:
                return f"radius {radius:.4g} is not from {MIN_RADIUS:g} to {MAX_RADIUS:g}"
        return placement_problem(self.task.scene, action)  # a ball leaves the scene


def _record(number: int | None, action: np.ndarray | None, status: int, steps: int | None) -> dict[str, Any]:
    """An answer as JSON values, with the fields of a row of a run log; without a number if it used up no attempt."""
    numbers = None if action is None else [float(value) for value in action]
    return {"attempt": number, "action": numbers, "status": status, "steps": steps}
