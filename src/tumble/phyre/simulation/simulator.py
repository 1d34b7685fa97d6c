"""The simulator: many actions on many tasks in one call of the engine."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from itertools import product

import numpy as np

from tumble import engine
from tumble.checks import is_a, several, shown
from tumble.engine import Rollouts
from tumble.phyre.catalogue.task import Task, Tier, tier_named
from tumble.phyre.catalogue.tasks_by_id import task as catalogue_task
from tumble.phyre.simulation.actions import as_actions, placed_balls, within_scene
from tumble.phyre.simulation.attempt import (
    Attempt,
    PlacedBodies,
    SimulationError,
    attempts_from_rollouts,
    ball_at,
    build_ball_worlds,
    build_input_worlds,
    goal_rule,
    rollout_options,
    shifted_bodies,
    within_view,
)
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED, STABLY_SOLVED, UNSTABLY_SOLVED
from tumble.phyre.simulation.user_input import UserInput
from tumble.progress import Advance, bar

EXAMPLE_IDS = '["00000:000"]'
"""In messages."""
SHIFT = 0.5
"""Pixels by which a stable solution may be shifted, in all eight directions, and still solve."""
BATCH_SIZE = 1 << 18
"""Attempts that are prepared and rolled out together …"""
GPU_BATCH_SIZE = 1 << 20
"""… by a GPU, on which every batch has a fixed cost, that of its longest attempt."""
RECORDED_BATCH_SIZE = 256
"""The same for attempts of which more than the status is recorded."""

_SHIFTS = np.array([shift for shift in product((-SHIFT, 0.0, SHIFT), repeat=2) if shift != (0.0, 0.0)])


class Simulator:
    """Simulates actions on tasks of one tier; a result never depends on what ran before or in the same batch.

    `tasks` are tasks, or ids of Tumble's; `tier` is by default that of the tasks, which must agree. `device` is "cpu"
    or "cuda", `threads` the number of CPU threads (0: all cores); neither changes a result.
    Long calls show a progress bar, unless they get a callback `progress`, which is called with each number finished.

    >>> simulator = Simulator(["00000:000"])
    >>> simulator.pairs(["00000:000"], [[0.0, 0.0, 1.0]]).tolist()  # a ball outside the scene is invalid
    [0]
    """

    def __init__(
        self, tasks: Iterable[Task | str], tier: str | None = None, device: str = "cpu", threads: int = 0
    ) -> None:
        self.tasks = _built_tasks(tasks)
        self.tier = _common_tier(self.tasks) if tier is None else tier_named(tier)
        self.options = engine.Options(device=device, threads=threads)
        self._batch_size = BATCH_SIZE if device == "cpu" else GPU_BATCH_SIZE
        self._index = {task.id: k for k, task in enumerate(self.tasks)}
        self._scenes = tuple(task.scene for task in self.tasks)
        wrong = next((task for task in self.tasks if task.tier != self.tier.name), None)
        if wrong is not None:
            raise SimulationError(f"task {wrong.id} is of tier {wrong.tier}, not {self.tier.name}")
        if len(self._index) != len(self.tasks):
            raise SimulationError("two tasks have the same id")

    def task(self, task_id: str) -> Task:
        """A task of this simulator."""
        return self.tasks[int(self._indices([task_id])[0])]

    def sweep(
        self, actions: object, task_ids: Sequence[str] | None = None, progress: Advance | None = None
    ) -> np.ndarray:
        """int8 [task, action]: -1 not solved, 0 invalid, 1 solved, of all actions on all tasks, or on those named."""
        table = as_actions(actions, self.tier)
        ids = [task.id for task in self.tasks] if task_ids is None else task_ids
        rows = self._indices(list(several("task_ids", ids, EXAMPLE_IDS, SimulationError)))
        balls, inside = placed_balls(table), within_scene(table)
        status = np.zeros((len(rows), len(table)), np.int8)
        tasks_per_batch = max(1, self._batch_size // max(1, len(table)))
        with _progress_bar(progress, "Sweeping", status.size) as advance:
            for first in range(0, len(rows), tasks_per_batch):
                batch = rows[first : first + tasks_per_batch]
                for begin in range(0, len(table), self._batch_size):
                    part = slice(begin, begin + self._batch_size)
                    count = len(balls[part])
                    statuses = self._statuses(
                        np.repeat(batch, count),
                        np.tile(balls[part], (len(batch), 1, 1)),
                        np.tile(inside[part], len(batch)),
                        advance,
                    )
                    status[first : first + tasks_per_batch, part] = statuses.reshape(len(batch), count)
        return status

    def pairs(
        self, task_ids: Sequence[str], actions: object, stable: bool = False, progress: Advance | None = None
    ) -> np.ndarray:
        """int8 [pair]: the status of each action on the task of the same index; with `stable`, solved is 2 or 3."""
        task_of, table = self._paired(task_ids, actions)
        balls, inside = placed_balls(table), within_scene(table)
        status = np.zeros(len(task_of), np.int8)
        with _progress_bar(progress, "Simulating", len(task_of)) as advance:
            for first in range(0, len(task_of), self._batch_size):
                part = slice(first, first + self._batch_size)
                status[part] = self._statuses(task_of[part], balls[part], inside[part], advance)
                if stable:
                    status[part] = self._with_stability(status[part], task_of[part], balls[part])
        return status

    def outcomes(
        self, task_ids: Sequence[str], actions: object, are_valid: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """int8 and int32 [pair]: status and number of steps of each action on the task of the same index.

        With `are_valid`, `valid` has said so of all actions, and overlaps are not looked for again.
        """
        task_of, table = self._paired(task_ids, actions)
        parts = [slice(first, first + self._batch_size) for first in range(0, len(task_of), self._batch_size)]
        balls, inside = placed_balls(table), within_scene(table)
        batches = [
            self._outcomes(task_of[part], balls[part], inside[part], lambda _: None, are_valid) for part in parts
        ]
        empty = (np.zeros(0, np.int8), np.zeros(0, np.int32))
        status, steps = (np.concatenate(column) for column in zip(empty, *batches, strict=True))
        return status, steps

    def valid(self, task_ids: Sequence[str], actions: object) -> np.ndarray:
        """bool [pair]: whether each action is an attempt at the task of the same index; nothing is rolled out."""
        task_of, table = self._paired(task_ids, actions)
        return self._valid(task_of, placed_balls(table), within_scene(table))

    def simulate(
        self,
        task: str | Task,
        action: Sequence[float] | np.ndarray,
        stride: int = 60,
        stable: bool = False,
        want: Collection[str] = (),
    ) -> Attempt:
        """One attempt: its status, and the fields of `attempt.WANTS` in `want`, recorded every `stride` steps."""
        return self.attempts([self._id(task)], [action], stride, stable, want)[0]

    def attempts(
        self,
        task_ids: Sequence[str],
        actions: object,
        stride: int = 60,
        stable: bool = False,
        want: Collection[str] = (),
        are_valid: bool = False,
    ) -> list[Attempt]:
        """`simulate` for many pairs of a task and an action; `are_valid` as for `outcomes`."""
        task_of, table = self._paired(task_ids, actions)
        balls, inside = placed_balls(table), within_scene(table)
        valid = inside if are_valid else self._valid(task_of, balls, inside)
        result = [Attempt(status=INVALID)] * len(task_of)
        options = rollout_options(self.options, stride, want)
        rows = np.flatnonzero(valid)
        batch_size = RECORDED_BATCH_SIZE if want else BATCH_SIZE
        for first in range(0, len(rows), batch_size):
            batch = rows[first : first + batch_size]
            attempts = self._attempts(task_of[batch], balls[batch], options, stride, want)
            status = np.array([attempt.status for attempt in attempts], np.int8)
            if stable:
                status = self._with_stability(status, task_of[batch], balls[batch])
            for row, attempt, code in zip(batch, attempts, status, strict=True):
                result[row] = attempt.with_status(int(code))
        return result

    def simulate_input(
        self,
        task: str | Task,
        user_input: UserInput,
        stride: int = 60,
        stable: bool = False,
        want: Collection[str] = (),
    ) -> Attempt:
        """`simulate` for placed bodies of any number and shape, in place of an action."""
        return self.input_attempts([self._id(task)], [user_input], stride, stable, want)[0]

    def input_attempts(
        self,
        task_ids: Sequence[str],
        inputs: Sequence[UserInput],
        stride: int = 60,
        stable: bool = False,
        want: Collection[str] = (),
    ) -> list[Attempt]:
        """`simulate_input` for many pairs of a task and a user input.

        An input is invalid if one of its bodies leaves the scene, or overlaps a body of the task or another of its own.
        """
        if len(task_ids) != len(inputs):
            raise SimulationError(f"{len(task_ids)} tasks do not pair with {len(inputs)} inputs")
        task_of, placed = self._indices(task_ids), [user_input.bodies for user_input in inputs]
        options = rollout_options(self.options, stride, want)
        inside = [within_view(self._scenes[task], bodies) for task, bodies in zip(task_of, placed, strict=True)]
        rows = np.flatnonzero(self._obstacles.clear_bodies(task_of, placed) & np.array(inside, bool))
        result = [Attempt(status=INVALID)] * len(placed)
        for first in range(0, len(rows), RECORDED_BATCH_SIZE):
            batch = rows[first : first + RECORDED_BATCH_SIZE]
            rollouts = self._roll_out_bodies(task_of[batch], [placed[row] for row in batch], options)
            scenes = [self._scenes[task_of[row]].with_bodies(*placed[row]) for row in batch]
            for row, attempt in zip(batch, attempts_from_rollouts(scenes, rollouts, stride, want), strict=True):
                result[row] = attempt
                if stable and attempt.solved:
                    is_stable = self._is_stable(int(task_of[row]), placed[row])
                    result[row] = attempt.with_status(STABLY_SOLVED if is_stable else UNSTABLY_SOLVED)
        return result

    def _roll_out_bodies(
        self, task_of: np.ndarray, placed: Sequence[PlacedBodies], options: engine.Options
    ) -> Rollouts:
        worlds = build_input_worlds(self._scenes, task_of, placed)
        return engine.rollout(worlds, goal_rule(self.tasks, task_of), options)

    def _is_stable(self, task: int, bodies: PlacedBodies) -> bool:
        """Whether placed bodies that solve a task also do under the eight shifts, or overlap something there."""
        placed = [shifted_bodies(bodies, shift) for shift in _SHIFTS]
        clear = np.flatnonzero(self._obstacles.clear_bodies(np.full(len(placed), task), placed))
        rollouts = self._roll_out_bodies(np.full(len(clear), task), [placed[k] for k in clear], self.options)
        return bool((rollouts.verdicts == 1).all())

    def rollout(self, task: str | Task, stride: int = 60, want: Collection[str] = ()) -> Attempt:
        """What happens without an action."""
        options = rollout_options(self.options, stride, want)
        return self._attempts(self._indices([self._id(task)]), np.zeros((1, 0, 3)), options, stride, want)[0]

    def shifts_survived(self, task_ids: Sequence[str], actions: object, progress: Advance | None = None) -> np.ndarray:
        """int [pair]: under how many of the eight shifts a solving action still solves or can't be placed.

        8 for stable solutions; meaningless for actions that don't solve.
        """
        task_of, table = self._paired(task_ids, actions)
        with _progress_bar(progress, "Shifting", len(task_of) * len(_SHIFTS)) as advance:
            return self._survived(task_of, placed_balls(table), advance)

    def _attempts(
        self, task_of: np.ndarray, balls: np.ndarray, options: engine.Options, stride: int, want: Collection[str]
    ) -> list[Attempt]:
        worlds = build_ball_worlds(self._scenes, task_of, balls)
        rollouts = engine.rollout(worlds, goal_rule(self.tasks, task_of), options)
        scenes = [
            self._scenes[task].with_bodies(*(ball_at(x, y, radius) for x, y, radius in placed))
            for task, placed in zip(task_of, balls, strict=True)
        ]
        return attempts_from_rollouts(scenes, rollouts, stride, want)

    def _paired(self, task_ids: Sequence[str], actions: object) -> tuple[np.ndarray, np.ndarray]:
        """int [pair]: the index of each task, and the actions [pair, numbers]."""
        table = as_actions(actions, self.tier)
        several("task_ids", task_ids, EXAMPLE_IDS, SimulationError)
        if len(task_ids) != len(table):
            raise SimulationError(f"{len(task_ids)} tasks do not pair with {len(table)} actions")
        return self._indices(task_ids), table

    def _id(self, task: str | Task) -> str:
        if isinstance(task, str):
            return task
        if self.task(task.id) != task:
            raise SimulationError(f"this simulator has a different task with the id {task.id}")
        return task.id

    def _indices(self, task_ids: Sequence[str]) -> np.ndarray:
        unknown = next((i for i in task_ids if not is_a(str, i) or i not in self._index), None)
        if unknown is not None:
            raise SimulationError(f"no task {shown(unknown)} in this simulator, which has {len(self.tasks)}")
        return np.array([self._index[task_id] for task_id in task_ids], int)

    def _survived(self, task_of: np.ndarray, balls: np.ndarray, progress: Advance) -> np.ndarray:
        survived = np.zeros(len(task_of), int)
        batch_size = BATCH_SIZE // len(_SHIFTS)
        for first in range(0, len(task_of), batch_size):
            part = slice(first, first + batch_size)
            shifted = np.repeat(balls[part, None], len(_SHIFTS), axis=1)
            shifted[..., :2] += _SHIFTS[:, None, :]
            flat = shifted.reshape(-1, *balls.shape[1:])
            status = self._statuses(np.repeat(task_of[part], len(_SHIFTS)), flat, np.ones(len(flat), bool), progress)
            survived[part] = (status.reshape(-1, len(_SHIFTS)) != NOT_SOLVED).sum(axis=1)
        return survived

    def _with_stability(self, status: np.ndarray, task_of: np.ndarray, balls: np.ndarray) -> np.ndarray:
        """The statuses, with solved replaced by stably or unstably solved."""
        solved = np.flatnonzero(status == SOLVED)
        survived = self._survived(task_of[solved], balls[solved], lambda _: None)
        result = status.copy()
        result[solved] = np.where(survived == len(_SHIFTS), STABLY_SOLVED, UNSTABLY_SOLVED)
        return result

    @cached_property
    def _obstacles(self) -> Obstacles:
        engine.check_device(self.options.device)
        return Obstacles(self._scenes, self.options.device)

    def _valid(self, task_of: np.ndarray, balls: np.ndarray, inside: np.ndarray) -> np.ndarray:
        valid = inside.copy()
        valid[inside] = self._obstacles.clear(task_of[inside], balls[inside])
        return valid

    def _statuses(self, task_of: np.ndarray, balls: np.ndarray, inside: np.ndarray, progress: Advance) -> np.ndarray:
        return self._outcomes(task_of, balls, inside, progress)[0]

    def _outcomes(
        self, task_of: np.ndarray, balls: np.ndarray, inside: np.ndarray, progress: Advance, are_valid: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """int8 and int32 [pair]: status and steps, for balls [pair, ball, 3] of which `inside` lie within the scene."""
        valid = inside if are_valid else self._valid(task_of, balls, inside)
        progress(int((~valid).sum()))
        status = np.full(len(task_of), INVALID, np.int8)
        steps = np.zeros(len(task_of), np.int32)
        if valid.any():
            worlds = build_ball_worlds(self._scenes, task_of[valid], balls[valid])
            rollouts = engine.rollout(worlds, goal_rule(self.tasks, task_of[valid]), self.options, progress)
            status[valid] = np.where(rollouts.verdicts == 1, SOLVED, NOT_SOLVED)
            steps[valid] = rollouts.steps
        return status, steps


def _built_tasks(tasks: Iterable[Task | str]) -> tuple[Task, ...]:
    """Tasks, where those given by their id are built."""
    if isinstance(tasks, Mapping):
        tasks = tasks.values()
    elif isinstance(tasks, Task):
        raise SimulationError(f"tasks must be a list, as in [task], not the single task {tasks.id}")
    built = tuple(
        catalogue_task(one) if isinstance(one, str) else one
        for one in several("tasks", tasks, EXAMPLE_IDS, SimulationError)
    )
    wrong = next((one for one in built if not is_a(Task, one)), None)
    if wrong is not None:
        raise SimulationError(f"tasks must be tasks or ids, as in 00000:000, not {shown(wrong)}")
    return built


def _common_tier(tasks: Sequence[Task]) -> Tier:
    """The tier of all tasks."""
    tiers = {task.tier: task.id for task in tasks}
    if len(tiers) != 1:
        found = " and ".join(f"{task_id} of {tier}" for tier, task_id in sorted(tiers.items())) or "there are none"
        raise SimulationError(f"tier must be given, or be the same for all tasks: {found}")
    return tier_named(next(iter(tiers)))


def _progress_bar(progress: Advance | None, label: str, total: int) -> AbstractContextManager[Advance]:
    """The given progress callback, or a new progress bar."""
    return nullcontext(progress) if progress is not None else bar(label, total)
