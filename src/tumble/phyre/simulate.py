"""Attempts at tasks: many actions on many tasks in one call of the engine."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np

from tumble import engine
from tumble.phyre.actions import LARGEST_RADIUS, TIERS, as_actions, clear_of, placed_balls, within_scene
from tumble.phyre.tasks import MATERIAL, Task, goal_rule
from tumble.scene import Body, Circle, Scene

NOT_SOLVED = -1
INVALID = 0
SOLVED = 1
UNSTABLY_SOLVED = 2
STABLY_SOLVED = 3
SHIFT = 0.5
"""Pixels by which a stable solution may be shifted, in all eight directions, and still solve."""

BALLS = tuple(
    Body((Circle(float(radius)),), dynamic=True, role="placed", **MATERIAL)
    for radius in range(1, int(LARGEST_RADIUS) + 1)
)
"""The balls that can be placed, by radius from 1 pixel on."""
_SHIFTS = np.array([shift for shift in product((-SHIFT, 0.0, SHIFT), repeat=2) if shift != (0.0, 0.0)])

Progress = Callable[[int], None]


def worlds_of(scenes: tuple[Scene, ...], scene_of: np.ndarray, balls: np.ndarray) -> engine.Worlds:
    """Worlds with placed balls [world, ball, (x, y, radius)]; a ball of radius 0 is none."""
    poses = np.concatenate([balls[..., :2], np.zeros((*balls.shape[:2], 1))], axis=2)
    placed = balls[..., 2] > 0
    return engine.variants(
        scenes,
        scene_of=scene_of,
        kinds=BALLS,
        target=np.where(placed, engine.ADD, engine.NEVER),
        kind=np.where(placed, balls[..., 2] - 1, 0),
        poses=poses,
    )


class Simulator:
    """Rolls actions out on tasks of one tier; the status of an attempt never depends on what ran before."""

    def __init__(self, tasks: Iterable[Task], tier: str, device: str = "cpu") -> None:
        self.tasks = tuple(tasks)
        self.tier = TIERS[tier]
        self.device = device
        self._index = {task.id: k for k, task in enumerate(self.tasks)}
        self._scenes = tuple(task.scene for task in self.tasks)
        wrong = next((task for task in self.tasks if task.tier != tier), None)
        if wrong is not None:
            raise ValueError(f"task {wrong.id} is of tier {wrong.tier}, not {tier}")

    def sweep(self, actions: object, progress: Progress | None = None) -> np.ndarray:
        """int8 [task, action]: -1 not solved, 0 invalid, 1 solved, of all actions on all tasks."""
        chosen = as_actions(actions, self.tier)
        task_of = np.repeat(np.arange(len(self.tasks)), len(chosen))
        balls = np.tile(placed_balls(chosen), (len(self.tasks), 1, 1))
        inside = np.tile(within_scene(chosen), len(self.tasks))
        return self._status(task_of, balls, inside, progress).reshape(len(self.tasks), len(chosen))

    def pairs(
        self, task_ids: Sequence[str], actions: object, stable: bool = False, progress: Progress | None = None
    ) -> np.ndarray:
        """int8 [pair]: the status of each action on the task beside it; with `stable`, solved becomes 2 or 3."""
        chosen = as_actions(actions, self.tier)
        if len(task_ids) != len(chosen):
            raise ValueError(f"{len(task_ids)} tasks do not pair with {len(chosen)} actions")
        task_of = np.array([self._number(task_id) for task_id in task_ids], int)
        balls, inside = placed_balls(chosen), within_scene(chosen)
        status = self._status(task_of, balls, inside, progress)
        if stable:
            solved = np.flatnonzero(status == SOLVED)
            holds = self._survives_shifts(task_of[solved], balls[solved])
            status[solved] = np.where(holds, STABLY_SOLVED, UNSTABLY_SOLVED)
        return status

    def _number(self, task_id: str) -> int:
        if task_id not in self._index:
            raise KeyError(f"no task {task_id!r} in this simulator")
        return self._index[task_id]

    def _survives_shifts(self, task_of: np.ndarray, balls: np.ndarray) -> np.ndarray:
        """Which placed balls still solve, or can't be placed, under all eight shifts."""
        moved = np.repeat(balls[:, None], len(_SHIFTS), axis=1)
        moved[..., :2] += _SHIFTS[:, None, :]
        flat = moved.reshape(-1, *balls.shape[1:])
        status = self._status(np.repeat(task_of, len(_SHIFTS)), flat, np.ones(len(flat), bool), None)
        return np.asarray((status.reshape(len(balls), -1) != NOT_SOLVED).all(axis=1))

    def _status(
        self, task_of: np.ndarray, balls: np.ndarray, inside: np.ndarray, progress: Progress | None
    ) -> np.ndarray:
        valid = inside.copy()
        order = np.argsort(task_of, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(task_of[order])) + 1):
            own = rows[valid[rows]]
            if len(own):
                valid[own] = clear_of(self._scenes[task_of[own[0]]], balls[own])
        placed, of = balls[valid], task_of[valid]
        status = np.full(len(task_of), INVALID, np.int8)
        if len(placed):
            worlds = worlds_of(self._scenes, of, placed)
            options = engine.Options(device=self.device)
            verdicts = engine.rollout(worlds, goal_rule(self.tasks, of), options, progress).verdicts
            status[valid] = np.where(verdicts == 1, SOLVED, NOT_SOLVED)
        return status
