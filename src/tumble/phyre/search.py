"""Finding stable solutions: chance first, then what solved one task of a template is tried on the others.

Tasks of a template are alike, so an action that solves one of them often solves another when its balls are moved along
with one of the bodies, and an action that solves a task often lies beside one that solves it stably.
"""

from collections.abc import Sequence

import numpy as np

from tumble.phyre.actions import as_actions, from_balls, placed_balls, within_scene
from tumble.phyre.simulate import Progress, Simulator
from tumble.phyre.splits import template_of
from tumble.phyre.status import SOLVED, STABLY_SOLVED
from tumble.phyre.tasks import Task

SPREADS = (0.0, 1.0, 3.0, 8.0, 20.0)
"""Pixels by which balls are moved at random; a candidate takes one of these."""
MOST_KEPT = 60
"""Solving actions remembered for a task."""
MOST_CHECKED = 6
"""Solving actions of a task that a round checks for stability."""


class Search:
    """The state of a search: what solves each task, and what solves it stably."""

    def __init__(self, simulator: Simulator, seed: int = 0) -> None:
        self.simulator = simulator
        self.tasks = {task.id: task for task in simulator.tasks}
        self.solving: dict[str, list[np.ndarray]] = {task_id: [] for task_id in self.tasks}
        self.stable: dict[str, np.ndarray] = {}
        self._members: dict[str, list[str]] = {}
        for task_id in self.tasks:
            self._members.setdefault(template_of(task_id), []).append(task_id)
        self._rng = np.random.default_rng(seed)

    @property
    def missing(self) -> list[str]:
        """Tasks without a stable solution so far."""
        return [task_id for task_id in self.tasks if task_id not in self.stable]

    def add(self, task_ids: Sequence[str], actions: np.ndarray) -> None:
        """Remembers actions that solve, and checks some of them for stability where that is still missing."""
        checked: list[tuple[str, np.ndarray]] = []
        tried: dict[str, int] = {}
        for task_id, action in zip(task_ids, as_actions(actions, self.simulator.tier), strict=True):
            if len(self.solving[task_id]) < MOST_KEPT:
                self.solving[task_id].append(action)
            tried[task_id] = tried.get(task_id, 0) + 1
            if task_id not in self.stable and tried[task_id] <= MOST_CHECKED:
                checked.append((task_id, action))
        if not checked:
            return
        ids = [task_id for task_id, _ in checked]
        status = self.simulator.pairs(ids, np.array([action for _, action in checked]), stable=True)
        for (task_id, action), code in zip(checked, status, strict=True):
            if code == STABLY_SOLVED:
                self.stable.setdefault(task_id, action)

    def round(self, candidates: int, progress: Progress | None = None) -> int:
        """Tries so many candidates on each task that misses a stable solution; the number of tasks that found one."""
        missing = self.missing
        proposals = [self._proposals(task_id, candidates) for task_id in missing]
        ids = [task_id for task_id, own in zip(missing, proposals, strict=True) for _ in own]
        if not ids:
            return 0
        actions = np.concatenate(proposals)
        solved = np.flatnonzero(self.simulator.pairs(ids, actions, progress=progress) == SOLVED)
        self.add([ids[k] for k in solved], actions[solved])
        return len(missing) - len(self.missing)

    def _proposals(self, task_id: str, count: int) -> np.ndarray:
        """Variations of what solves this task or others of its template; where nothing does, random actions."""
        sources = [(task_id, action) for action in self.solving[task_id]]
        others = [other for other in self._members[template_of(task_id)] if self.solving[other] and other != task_id]
        tier = self.simulator.tier
        if not sources and not others:
            return _inside(self._rng.random((count, tier.numbers)))
        balls = np.zeros((count, tier.balls, 3))
        for k in range(count):
            if sources and (not others or self._rng.random() < 0.5):
                balls[k] = placed_balls(self._one_of(self.solving[task_id])[None])[0]
            else:
                other = self._one_of(others)
                known = self.stable.get(other)
                action = known if known is not None and self._rng.random() < 0.5 else self._one_of(self.solving[other])
                balls[k] = placed_balls(action[None])[0]
                balls[k, :, :2] += self._along_a_body(self.tasks[other], self.tasks[task_id])
        spread = self._rng.choice(SPREADS, (count, 1, 1))
        balls += spread * self._rng.normal(size=balls.shape) * (1.0, 1.0, 0.3)
        balls[..., :2] += 0.5
        return _inside(from_balls(balls))

    def _one_of(self, items: list):  # type: ignore[no-untyped-def, type-arg]
        return items[self._rng.integers(len(items))]

    def _along_a_body(self, source: Task, target: Task) -> np.ndarray:
        """How far a body moved between two tasks of a template, one choice for each ball; often none."""
        shared = min(len(source.scene.bodies), len(target.scene.bodies))
        chosen = self._rng.integers(-shared, shared, size=self.simulator.tier.balls)
        moves = [np.subtract(target.scene.bodies[k].position, source.scene.bodies[k].position) for k in chosen]
        return np.where((chosen >= 0)[:, None], moves, 0.0)


def _inside(actions: np.ndarray) -> np.ndarray:
    """The actions that place their balls within the scene."""
    clipped = np.clip(actions, 0.0, 1.0)
    return clipped[within_scene(clipped)]
