"""Searching stable solutions: random actions first, then variations of solving ones, the most robust most often.

Tasks of a template are alike, so an action that solves one of them often solves another when its balls are moved along
with one of the bodies; and near an action that solves a task under some of the eight shifts there often is one that
solves it under all. An action is the more robust, the more shifts it survives.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tumble.phyre.catalogue.tasks_by_id import rounded_actions, template_of
from tumble.phyre.simulation.actions import as_actions, from_balls, placed_balls, within_scene
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.progress import Advance

SHIFTS = 8
SPREADS = (0.0, 1.0, 2.0, 4.0, 8.0, 20.0)
"""Standard deviations, in pixels, of random moves of balls; each candidate takes one of these."""
MAX_KEPT = 60
"""Solving actions kept for a task."""
MAX_CHECKED = 20
"""Solving actions of a task whose robustness one call of `add` checks."""


@dataclass
class FoundSolutions:
    """Actions that solve a task, the most robust first, and all placements that were tried."""

    actions: list[np.ndarray] = field(default_factory=list)
    survived: list[int] = field(default_factory=list)
    """Under how many shifts each action solves."""
    tried: set[bytes] = field(default_factory=set)

    @property
    def stable(self) -> bool:
        """Whether one of them is stable."""
        return bool(self.survived) and self.survived[0] == SHIFTS

    def add(self, action: np.ndarray, survived: int) -> None:
        """Adds an action; the least robust one is dropped where there are too many."""
        rank = next((k for k, count in enumerate(self.survived) if count < survived), len(self.survived))
        self.actions.insert(rank, action)
        self.survived.insert(rank, survived)
        del self.actions[MAX_KEPT:], self.survived[MAX_KEPT:]


class Search:
    """A search for a stable solution of each task of a simulator."""

    def __init__(self, simulator: Simulator, seed: int = 0) -> None:
        self.simulator = simulator
        self.found = {task.id: FoundSolutions() for task in simulator.tasks}
        self._positions = {task.id: np.array([body.position for body in task.scene.bodies]) for task in simulator.tasks}
        self._ids_of_template: dict[str, list[str]] = {}
        for task_id in self.found:
            self._ids_of_template.setdefault(template_of(task_id), []).append(task_id)
        self._pools: dict[str, _Pool] = {}
        self._rng = np.random.default_rng(seed)

    @property
    def stable(self) -> dict[str, np.ndarray]:
        """The stable solutions found, by task id."""
        return {task_id: found.actions[0] for task_id, found in self.found.items() if found.stable}

    @property
    def missing(self) -> list[str]:
        """Tasks without a stable solution."""
        return [task_id for task_id, found in self.found.items() if not found.stable]

    def add(self, task_ids: Sequence[str], actions: np.ndarray) -> None:
        """Adds actions [n, numbers] that solve their tasks; checks how robust they are unless a task is finished."""
        counts: dict[str, int] = {}
        checked: list[int] = []
        table = as_actions(actions, self.simulator.tier)
        for k, task_id in enumerate(task_ids):
            counts[task_id] = counts.get(task_id, 0) + 1
            if counts[task_id] <= MAX_CHECKED and not self.found[task_id].stable:
                checked.append(k)
            else:
                self.found[task_id].add(table[k], 0)
        survived = self.simulator.shifts_survived([task_ids[k] for k in checked], table[checked], lambda _: None)
        for k, count in zip(checked, survived, strict=True):
            self.found[task_ids[k]].add(table[k], int(count))

    def run_round(self, candidates: int, progress: Advance | None = None) -> int:
        """Tries up to `candidates` actions on each task without a stable solution; how many tasks now have one."""
        missing = self.missing
        ids, actions, status = self.try_variations(candidates, missing, progress)
        order = self._rng.permutation(np.flatnonzero(status == SOLVED))
        self.add([ids[k] for k in order], actions[order])
        return len(missing) - len(self.missing)

    def try_variations(
        self, candidates: int, task_ids: Sequence[str], progress: Advance | None = None
    ) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Tries up to `candidates` actions on each of some tasks: task ids, actions and statuses of all."""
        self._pools = {}
        proposals = [self._untried(task_id, self._proposals(task_id, candidates)) for task_id in task_ids]
        ids = [task_id for task_id, actions in zip(task_ids, proposals, strict=True) for _ in actions]
        actions = np.concatenate([np.zeros((0, self.simulator.tier.numbers)), *proposals])
        return ids, actions, self.simulator.pairs(ids, actions, progress=progress)

    def _untried(self, task_id: str, actions: np.ndarray) -> np.ndarray:
        """The actions that place their balls in a new way."""
        tried = self.found[task_id].tried
        placed = placed_balls(actions).astype(np.int16).reshape(len(actions), -1)
        keys = np.ascontiguousarray(placed).view(np.dtype((np.void, 2 * placed.shape[1]))).ravel().tolist()
        fresh = {key: k for k, key in reversed(list(enumerate(keys))) if key not in tried}
        tried.update(fresh)
        return actions[sorted(fresh.values())]

    def _proposals(self, task_id: str, count: int) -> np.ndarray:
        """Variations of actions that solve this task or others of its template; without any, random actions."""
        rng, tier = self._rng, self.simulator.tier
        own = self.found[task_id].actions
        pool = self._pool(template_of(task_id))
        others = pool.task_ids != task_id
        if not own and not others.any():
            return _inside(rng.random((count, tier.numbers)))
        own_count = round(count * (0.6 if own and others.any() else 1.0 if own else 0.0))
        parts = []
        if own:
            row = rng.integers(len(own), size=(2, own_count)).min(axis=0)  # prefers the most robust, which come first
            parts.append(placed_balls(np.array(own)[row]))
        if others.any():
            parts.append(self._from_others(task_id, pool, np.flatnonzero(others), count - own_count))
        balls = np.concatenate(parts)
        if tier.balls > 1:
            self._mix(balls)
        spread = rng.choice(SPREADS, (len(balls), tier.balls, 1))
        balls += spread * rng.normal(size=balls.shape) * (1.0, 1.0, 0.3)
        balls[..., :2] += 0.5
        return _inside(from_balls(balls))

    def _mix(self, balls: np.ndarray) -> None:
        """Gives some candidates a ball of another candidate, and a few a random ball."""
        rng, count = self._rng, len(balls)
        chance = rng.random(count)
        which = rng.integers(balls.shape[1], size=count)
        for rows, new in (
            (np.flatnonzero(chance < 0.3), balls[rng.permutation(count)]),
            (np.flatnonzero(chance > 0.9), rng.random(balls.shape) * (255.0, 255.0, 30.0) + (0.0, 0.0, 2.0)),
        ):
            balls[rows, which[rows]] = new[rows, which[rows]]

    def _pool(self, template: str) -> "_Pool":
        """All actions that solve tasks of a template."""
        if template not in self._pools:
            members = self._ids_of_template[template]
            task_ids = [task_id for task_id in members for _ in self.found[task_id].actions]
            actions = [action for task_id in members for action in self.found[task_id].actions]
            shared = min(len(self._positions[task_id]) for task_id in members)
            self._pools[template] = _Pool(
                np.array(task_ids, str),
                placed_balls(np.array(actions).reshape(-1, self.simulator.tier.numbers)),
                np.array([self._positions[task_id][:shared] for task_id in task_ids]).reshape(-1, shared, 2),
            )
        return self._pools[template]

    def _from_others(self, task_id: str, pool: "_Pool", rows: np.ndarray, count: int) -> np.ndarray:
        """Balls [count, balls, 3] of some rows of a pool, each moved along with a body of its task to this task."""
        rng, shared = self._rng, pool.positions.shape[1]
        row = rows[rng.integers(len(rows), size=count)]
        body = rng.integers(-shared, shared, size=(count, pool.balls.shape[1]))  # negative for half: not moved
        moves = self._positions[task_id][body] - pool.positions[row[:, None], body]
        balls: np.ndarray = pool.balls[row]
        balls[..., :2] += np.where((body >= 0)[..., None], moves, 0.0)
        return balls


@dataclass(frozen=True)
class _Pool:
    """Actions that solve tasks of a template."""

    task_ids: np.ndarray
    """str [n]: the task of each."""
    balls: np.ndarray
    """float [n, balls, 3]."""
    positions: np.ndarray
    """float [n, bodies, 2]: positions of the bodies of that task, those that all tasks of the template have."""


def _inside(actions: np.ndarray) -> np.ndarray:
    """The actions, rounded as they are stored, that place their balls within the scene."""
    clipped = rounded_actions(np.clip(actions, 0.0, 1.0))
    return np.asarray(clipped[within_scene(clipped)])
