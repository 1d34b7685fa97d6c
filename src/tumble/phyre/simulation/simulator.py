"""Attempts at tasks: many actions on many tasks in one call of the engine."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from itertools import product

import numpy as np

from tumble import engine
from tumble.engine import Rule, touching
from tumble.phyre.simulation.actions import LARGEST_RADIUS, as_actions, placed_balls, within_scene
from tumble.phyre.simulation.attempt import Attempt, attempts_of, options_for
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED, STABLY_SOLVED, UNSTABLY_SOLVED
from tumble.phyre.tasks.task import HOLD_STEPS, MATERIAL, Task
from tumble.phyre.tasks.tier import TIERS
from tumble.progress import bar
from tumble.scene import Body, Circle, Scene

SHIFT = 0.5
"""Pixels by which a stable solution may be shifted, in all eight directions, and still solve."""
CELLS = 1 << 18
"""Attempts that are prepared and rolled out together."""
ATTEMPTS_TOGETHER = 256
"""Attempts of which more than the status is wanted that are rolled out together."""

BALLS = tuple(
    Body((Circle(float(radius)),), dynamic=True, role="placed", **MATERIAL)
    for radius in range(1, int(LARGEST_RADIUS) + 1)
)
"""The balls that can be placed, by radius from 1 pixel on."""
_SHIFTS = np.array([shift for shift in product((-SHIFT, 0.0, SHIFT), repeat=2) if shift != (0.0, 0.0)])

Progress = Callable[[int], None]


def ball_at(x: float, y: float, radius: float) -> Body:
    """A placed ball of a whole radius."""
    return replace(BALLS[int(radius) - 1], position=(x, y))


def worlds_of(scenes: tuple[Scene, ...], scene_of: np.ndarray, balls: np.ndarray) -> engine.Worlds:
    """Worlds with placed balls [world, ball, (x, y, radius)]; a ball of radius 0 is none."""
    poses = np.concatenate([balls[..., :2], np.zeros((*balls.shape[:2], 1))], axis=2)
    placed = balls[..., 2] > 0
    return engine.variants(
        scenes,
        scene_of=scene_of,
        kinds=BALLS,
        target=np.where(placed, engine.ADD, engine.NO_CHANGE),
        kind=np.where(placed, balls[..., 2] - 1, 0),
        poses=poses,
    )


class Simulator:
    """Rolls actions out on tasks of one tier; the status of an attempt never depends on what ran before.

    `device` is "cpu" or "cuda", `threads` the number of CPU threads (0: all cores); neither changes a result.
    Long calls show a bar on the terminal, unless `progress` is given: it is then called with each number finished.
    """

    def __init__(self, tasks: Iterable[Task], tier: str, device: str = "cpu", threads: int = 0) -> None:
        if tier not in TIERS:
            raise ValueError(f"no tier {tier!r}; there are {', '.join(TIERS)}")
        self.tasks = tuple(tasks)
        self.tier = TIERS[tier]
        self.options = engine.Options(device=device, threads=threads)
        self._index = {task.id: k for k, task in enumerate(self.tasks)}
        self._scenes = tuple(task.scene for task in self.tasks)
        wrong = next((task for task in self.tasks if task.tier != tier), None)
        if wrong is not None:
            raise ValueError(f"task {wrong.id} is of tier {wrong.tier}, not {tier}")
        if len(self._index) != len(self.tasks):
            raise ValueError("two tasks have the same id")

    def task(self, task_id: str) -> Task:
        """A task of this simulator."""
        return self.tasks[int(self._numbers([task_id])[0])]

    def sweep(
        self, actions: object, task_ids: Sequence[str] | None = None, progress: Progress | None = None
    ) -> np.ndarray:
        """int8 [task, action]: -1 not solved, 0 invalid, 1 solved, of all actions on all tasks, or on those named."""
        chosen = as_actions(actions, self.tier)
        rows = np.arange(len(self.tasks)) if task_ids is None else self._numbers(task_ids)
        balls, inside = placed_balls(chosen), within_scene(chosen)
        status = np.zeros((len(rows), len(chosen)), np.int8)
        tasks_together = max(1, CELLS // max(1, len(chosen)))
        with _shown(progress, "Sweeping", status.size) as advance:
            for first in range(0, len(rows), tasks_together):
                own = rows[first : first + tasks_together]
                for begin in range(0, len(chosen), CELLS):
                    part = slice(begin, begin + CELLS)
                    count = len(balls[part])
                    found = self._status(
                        np.repeat(own, count),
                        np.tile(balls[part], (len(own), 1, 1)),
                        np.tile(inside[part], len(own)),
                        advance,
                    )
                    status[first : first + tasks_together, part] = found.reshape(len(own), count)
        return status

    def pairs(
        self, task_ids: Sequence[str], actions: object, stable: bool = False, progress: Progress | None = None
    ) -> np.ndarray:
        """int8 [pair]: the status of each action on the task beside it; with `stable`, solved becomes 2 or 3."""
        of, chosen = self._paired(task_ids, actions)
        balls, inside = placed_balls(chosen), within_scene(chosen)
        status = np.zeros(len(of), np.int8)
        with _shown(progress, "Simulating", len(of)) as advance:
            for first in range(0, len(of), CELLS):
                part = slice(first, first + CELLS)
                status[part] = self._status(of[part], balls[part], inside[part], advance)
                if stable:
                    status[part] = self._told_apart(status[part], of[part], balls[part])
        return status

    def outcomes(self, task_ids: Sequence[str], actions: object) -> tuple[np.ndarray, np.ndarray]:
        """int8 and int32 [pair]: the status of each action on the task beside it, and for how many steps it ran."""
        of, chosen = self._paired(task_ids, actions)
        parts = [slice(first, first + CELLS) for first in range(0, len(of), CELLS)]
        balls, inside = placed_balls(chosen), within_scene(chosen)
        done = [self._outcomes(of[part], balls[part], inside[part], lambda _: None) for part in parts]
        none = (np.zeros(0, np.int8), np.zeros(0, np.int32))
        status, steps = (np.concatenate(column) for column in zip(none, *done, strict=True))
        return status, steps

    def valid(self, task_ids: Sequence[str], actions: object) -> np.ndarray:
        """bool [pair]: which actions are attempts at the task beside them; nothing is rolled out."""
        of, chosen = self._paired(task_ids, actions)
        return self._valid(of, placed_balls(chosen), within_scene(chosen))

    def simulate(
        self,
        task: str | Task,
        action: Sequence[float] | np.ndarray,
        stride: int = 60,
        stable: bool = False,
        want: Collection[str] = (),
    ) -> Attempt:
        """One attempt: its status, and what is wanted of `attempt.WANTS`, kept every `stride` steps."""
        return self.attempts([self._id(task)], [action], stride, stable, want)[0]

    def attempts(
        self,
        task_ids: Sequence[str],
        actions: object,
        stride: int = 60,
        stable: bool = False,
        want: Collection[str] = (),
    ) -> list[Attempt]:
        """`simulate` for many pairs of a task and an action."""
        of, chosen = self._paired(task_ids, actions)
        balls, inside = placed_balls(chosen), within_scene(chosen)
        valid = self._valid(of, balls, inside)
        result = [Attempt(status=INVALID)] * len(of)
        options = options_for(self.options, stride, want)
        rows = np.flatnonzero(valid)
        together = ATTEMPTS_TOGETHER if want else CELLS
        for first in range(0, len(rows), together):
            part = rows[first : first + together]
            done = self._attempts(of[part], balls[part], options, stride, want)
            status = np.array([attempt.status for attempt in done], np.int8)
            if stable:
                status = self._told_apart(status, of[part], balls[part])
            for row, attempt, code in zip(part, done, status, strict=True):
                result[row] = attempt.with_status(int(code))
        return result

    def rollout(self, task: str | Task, stride: int = 60, want: Collection[str] = ()) -> Attempt:
        """What happens with no action."""
        options = options_for(self.options, stride, want)
        return self._attempts(self._numbers([self._id(task)]), np.zeros((1, 0, 3)), options, stride, want)[0]

    def _attempts(
        self, of: np.ndarray, balls: np.ndarray, options: engine.Options, stride: int, want: Collection[str]
    ) -> list[Attempt]:
        rollouts = engine.rollout(worlds_of(self._scenes, of, balls), goal_rule(self.tasks, of), options)
        scenes = [
            self._scenes[task].with_bodies(*(ball_at(x, y, radius) for x, y, radius in placed))
            for task, placed in zip(of, balls, strict=True)
        ]
        return attempts_of(scenes, rollouts, stride, want)

    def _paired(self, task_ids: Sequence[str], actions: object) -> tuple[np.ndarray, np.ndarray]:
        chosen = as_actions(actions, self.tier)
        if len(task_ids) != len(chosen):
            raise ValueError(f"{len(task_ids)} tasks do not pair with {len(chosen)} actions")
        return self._numbers(task_ids), chosen

    def _id(self, task: str | Task) -> str:
        if isinstance(task, str):
            return task
        if self.task(task.id) != task:
            raise ValueError(f"this simulator has another task of the id {task.id}")
        return task.id

    def _numbers(self, task_ids: Sequence[str]) -> np.ndarray:
        wrong = next((task_id for task_id in task_ids if task_id not in self._index), None)
        if wrong is not None:
            raise KeyError(f"no task {wrong!r} in this simulator")
        return np.array([self._index[task_id] for task_id in task_ids], int)

    def shifts_survived(self, task_ids: Sequence[str], actions: object, progress: Progress | None = None) -> np.ndarray:
        """int [pair]: under how many of the eight shifts an action still solves or can't be placed; 8 for stable ones.

        Only for actions that solve.
        """
        of, chosen = self._paired(task_ids, actions)
        with _shown(progress, "Shifting", len(of) * len(_SHIFTS)) as advance:
            return self._survived(of, placed_balls(chosen), advance)

    def _survived(self, of: np.ndarray, balls: np.ndarray, progress: Progress) -> np.ndarray:
        survived = np.zeros(len(of), int)
        together = CELLS // len(_SHIFTS)
        for first in range(0, len(of), together):
            part = slice(first, first + together)
            moved = np.repeat(balls[part, None], len(_SHIFTS), axis=1)
            moved[..., :2] += _SHIFTS[:, None, :]
            flat = moved.reshape(-1, *balls.shape[1:])
            status = self._status(np.repeat(of[part], len(_SHIFTS)), flat, np.ones(len(flat), bool), progress)
            survived[part] = (status.reshape(-1, len(_SHIFTS)) != NOT_SOLVED).sum(axis=1)
        return survived

    def _told_apart(self, status: np.ndarray, of: np.ndarray, balls: np.ndarray) -> np.ndarray:
        """The status of attempts, solved ones told apart into stable and unstable."""
        solved = np.flatnonzero(status == SOLVED)
        survived = self._survived(of[solved], balls[solved], lambda _: None)
        told = status.copy()
        told[solved] = np.where(survived == len(_SHIFTS), STABLY_SOLVED, UNSTABLY_SOLVED)
        return told

    @cached_property
    def _obstacles(self) -> Obstacles:
        return Obstacles(self._scenes, self.options.device)

    def _valid(self, of: np.ndarray, balls: np.ndarray, inside: np.ndarray) -> np.ndarray:
        valid = inside.copy()
        valid[inside] = self._obstacles.clear(of[inside], balls[inside])
        return valid

    def _status(self, of: np.ndarray, balls: np.ndarray, inside: np.ndarray, progress: Progress) -> np.ndarray:
        return self._outcomes(of, balls, inside, progress)[0]

    def _outcomes(
        self, of: np.ndarray, balls: np.ndarray, inside: np.ndarray, progress: Progress
    ) -> tuple[np.ndarray, np.ndarray]:
        """The status and the steps of attempts."""
        valid = self._valid(of, balls, inside)
        progress(int((~valid).sum()))
        status = np.full(len(of), INVALID, np.int8)
        steps = np.zeros(len(of), np.int32)
        if valid.any():
            worlds = worlds_of(self._scenes, of[valid], balls[valid])
            rollouts = engine.rollout(worlds, goal_rule(self.tasks, of[valid]), self.options, progress)
            status[valid] = np.where(rollouts.verdicts == 1, SOLVED, NOT_SOLVED)
            steps[valid] = rollouts.steps
        return status, steps


def _shown(progress: Progress | None, label: str, total: int) -> AbstractContextManager[Progress]:
    """What to call with each number finished: what was given, or a bar of ours."""
    return nullcontext(progress) if progress is not None else bar(label, total)


def goal_rule(tasks: Sequence[Task], task_of: np.ndarray) -> Rule:
    """The rule that decides worlds, given the task of each."""
    table = np.array([(task.body, task.other) for task in tasks], np.int32).reshape(-1, 2)[task_of]
    reach = np.array([task.reach for task in tasks], np.float32)[task_of]
    return touching(table[:, 0], table[:, 1], HOLD_STEPS, reach)
