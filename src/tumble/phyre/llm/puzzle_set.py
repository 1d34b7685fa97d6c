"""PHYRE's tasks as puzzles for language models, and the best score that a grid of answers allows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from tumble.engine import physics_id
from tumble.llm.puzzle import Message, Mode, Outcome, Part, Puzzle, PuzzleError, PuzzleSet, options_text
from tumble.llm.zoom import box_schema, read_box
from tumble.phyre.catalogue.task import MAX_ATTEMPTS, Task, tier_named
from tumble.phyre.catalogue.tasks_by_id import task as task_by_id
from tumble.phyre.catalogue.tasks_by_id import task_ids, template_of
from tumble.phyre.evaluation.evaluate import lost_row
from tumble.phyre.evaluation.metrics import auccess, success_at
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.llm.answer import Grid, answer_schema, read_action
from tumble.phyre.llm.pictures import SMALLEST_PART_SIDE, scene_box, scene_part
from tumble.phyre.llm.prompts import (
    PROMPT_VERSION,
    attempt_feedback,
    invalid_feedback,
    lost_feedback,
    opening_messages,
    simulation_feedback,
)
from tumble.phyre.llm.scene_text import labels_of
from tumble.phyre.llm.settings import read_settings, run_spec, selected_ids
from tumble.phyre.simulation.actions import MAX_RADIUS, MIN_RADIUS, exact_balls, placement_problem, within_scene
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, LABELS, SOLVED
from tumble.progress import Advance
from tumble.runs.log import Row
from tumble.scene.files import whole_file

FILE = "grid_ceilings.txt"
"""In the package's data: the physics, then a line for each tier and grid, with 1, 0 or - (not known) for each task."""
UNKNOWN = "-"
FIRST_ROUND = 128
"""Actions that all tasks are tried with first; each further round has four times as many, for tasks still unsolved."""
SEED = 0
"""Of the order in which actions are tried, which changes the time that a sweep takes, and nothing else."""


@dataclass(frozen=True)
class Ceiling:
    """Which tasks a grid can solve."""

    grid: Grid
    solvable: Mapping[str, bool]
    """By task id."""

    @property
    def share(self) -> float:
        """The share of the tasks that can be solved, 0 to 1."""
        return float(np.mean(list(self.solvable.values())))

    @property
    def by_template(self) -> dict[str, float]:
        """The share of each template's tasks."""
        groups: dict[str, list[bool]] = {}
        for task_id, one in self.solvable.items():
            groups.setdefault(template_of(task_id), []).append(one)
        return {template: float(np.mean(group)) for template, group in sorted(groups.items())}

    @property
    def text(self) -> str:
        """The ceiling in words, to be shown beside a score."""
        return f"a {self.grid.name} grid can solve {100.0 * self.share:.1f} % of these {len(self.solvable):,} tasks"


def ceiling(grid: Grid, ids: Sequence[str], device: str = "cpu", progress: Advance | None = None) -> Ceiling:
    """Tries all actions of a grid on tasks of one tier; `progress` is called with each number of tasks finished."""
    simulator = Simulator([task_by_id(task_id) for task_id in ids], device=device)
    actions = grid.actions(simulator.tier)
    actions = actions[within_scene(actions)]
    actions = np.random.default_rng(SEED).permutation(actions)
    solvable = dict.fromkeys(ids, False)
    advance = progress or (lambda _: None)
    open_ids, begin, count = list(ids), 0, FIRST_ROUND
    while open_ids and begin < len(actions):
        statuses = simulator.sweep(actions[begin : begin + count], open_ids, progress=lambda _: None)
        solved = (statuses == SOLVED).any(axis=1)
        solvable.update({task_id: True for task_id, one in zip(open_ids, solved, strict=True) if one})
        open_ids = [task_id for task_id, one in zip(open_ids, solved, strict=True) if not one]
        advance(int(solved.sum()))
        begin, count = begin + count, 4 * count
    advance(len(open_ids))
    return Ceiling(grid, solvable)


def known_ceiling(grid: Grid, ids: Iterable[str]) -> Ceiling | None:
    """The stored ceiling of published tasks; None if it is not stored for all of them."""
    chosen = list(ids)
    for tier_tasks in _stored().get(grid.name, []):
        if chosen and all(task_id in tier_tasks for task_id in chosen):
            return Ceiling(grid, {task_id: tier_tasks[task_id] for task_id in chosen})
    return None


def stored_text(ceilings: Iterable[tuple[str, Ceiling]]) -> str:
    """The contents of the file, from tiers and ceilings of published tasks, or of some of them."""
    rows = [physics_id()]
    for tier, one in ceilings:
        marks = ("01"[one.solvable[task_id]] if task_id in one.solvable else UNKNOWN for task_id in task_ids(tier))
        rows.append(f"{tier} {one.grid.name} {''.join(marks)}")
    return "\n".join(rows) + "\n"


def write_stored(path: Path, ceilings: Iterable[tuple[str, Ceiling]]) -> None:
    """Writes the file."""
    with whole_file(path) as partial:
        partial.write_text(stored_text(ceilings), encoding="ascii")


@cache
def _stored() -> dict[str, list[dict[str, bool]]]:
    """By the name of a grid: for each tier that is stored, which tasks it can solve."""
    file = resources.files("tumble.phyre").joinpath("data", FILE)
    if not file.is_file():
        return {}
    return read_stored(file.read_text(encoding="ascii"))


def read_stored(text: str) -> dict[str, list[dict[str, bool]]]:
    """The ceilings of the file's contents; none if they are of other physics."""
    physics, *lines = text.splitlines()
    found: dict[str, list[dict[str, bool]]] = {}
    if physics != physics_id():
        return found
    for line in lines:
        tier, name, marks = line.split()
        ids = zip(task_ids(tier), marks, strict=True)
        solvable = {task_id: mark == "1" for task_id, mark in ids if mark != UNKNOWN}
        found.setdefault(name, []).append(solvable)
    return found


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
        record = _attempt_record(self.made, action, attempt.status, attempt.steps)
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
        return (scene_part(self.task, self.labels, read_box(wanted, scene_box(self.task.scene), SMALLEST_PART_SIDE)),)

    def skip(self) -> Outcome:
        self.made += 1
        record = _attempt_record(self.made, None, INVALID, None)
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
        record = {**_attempt_record(None, action, INVALID, None), "problem": problem}
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


def _attempt_record(number: int | None, action: np.ndarray | None, status: int, steps: int | None) -> dict[str, Any]:
    """An answer as JSON values, with the fields of a row of a run log; without a number if it used up no attempt."""
    numbers = None if action is None else [float(value) for value in action]
    return {"attempt": number, "action": numbers, "status": status, "steps": steps}


WITHIN = (1, 2, 5, 10, 20, 50, MAX_ATTEMPTS)
"""Attempts within which successes are counted; those above the run's limit are left out."""


ROW_FIELDS = ("attempt", "action", "status", "steps")


class PhyrePuzzles(PuzzleSet):
    """The tasks of a selection; see `Settings` for what it may hold."""

    prompt_version = PROMPT_VERSION
    tools = ("simulate", "look")

    def __init__(self, selection: Mapping[str, Any]) -> None:
        self.settings = read_settings(selection)
        self.ids: Sequence[str] = selected_ids(self.settings)
        self.grid = self.settings.answer_grid

    def puzzle(self, task_id: str) -> PhyrePuzzle:
        return PhyrePuzzle(task_by_id(task_id), self.settings.mode, self.settings.attempts, self.grid)

    def template(self, task_id: str) -> str:
        return template_of(task_id)

    def ceiling(self, task_ids: Sequence[str] | None = None) -> Ceiling | None:
        """Which of its tasks, or of those named, the grid can solve at all; None if that is not stored."""
        return None if self.grid is None else known_ceiling(self.grid, self.ids if task_ids is None else task_ids)

    def scores(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
        """AUCCESS and success within numbers of attempts, 0 to 1; with the ceiling of the grid where it is stored.

        A task that is not solved within the attempts of the settings counts as unsolved to the end.
        """
        if not records:
            return {}
        solved_at = [self._solved_at(made) for made in records.values()]
        most = self.settings.attempts
        within = [count for count in WITHIN if count < most] + [most]
        scores = {"auccess": auccess(solved_at)}
        scores.update({f"success_within_{count}": success_at(solved_at, count) for count in within})
        ceiling = self.ceiling(list(records))
        return scores if ceiling is None else {**scores, "grid_ceiling": ceiling.share}

    def spec(self, model: str, settings: Mapping[str, Any]) -> PhyreRunSpec:
        """The run specification of a model's attempts at these tasks; `settings` are further ones of the model."""
        if self.settings.ids:
            raise PuzzleError(
                "attempts at tasks that were selected by ids can't be written as a run log: select setting, fold and "
                "split, and a limit if they are too many"
            )
        options = {} if self.grid is None else {"options": options_text({"grid": self.grid.name})}
        own = {"model": model, "mode": self.settings.mode, "prompts": self.prompt_version, **options, **settings}
        return run_spec(self.settings, own)

    def rows(self, records: Sequence[Mapping[str, Any]]) -> list[Row]:
        """The rows of a run log for a task, from the records of the attempts that counted, in their order.

        Attempts whose answer could not be read are lost. So are those that a model did not come to, as its answers
        were actions that can't be made, or as the provider failed.
        """
        rows: list[Row] = [
            lost_row(number) if record["action"] is None else {name: record[name] for name in ROW_FIELDS}
            for number, record in enumerate(records, 1)
        ]
        solved = bool(rows) and rows[-1]["status"] >= SOLVED
        most = len(rows) if solved else self.settings.attempts
        return [*rows, *map(lost_row, range(len(rows) + 1, most + 1))]

    def _solved_at(self, records: Sequence[Mapping[str, Any]]) -> int | None:
        """The attempt, counted from 1, that solved a task."""
        made = [record["status"] for record in records][: self.settings.attempts]
        return next((number for number, status in enumerate(made, 1) if status >= SOLVED), None)
