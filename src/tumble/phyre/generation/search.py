"""Finding stable solutions: chance first, then variations of what solves, the sturdiest most often.

Tasks of a template are alike, so an action that solves one of them often solves another when its balls are moved along
with one of the bodies; and near an action that solves a task under some of the eight shifts there often is one that
solves it under all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tumble.phyre.generation.solutions import rounded
from tumble.phyre.simulation.actions import as_actions, from_balls, placed_balls, within_scene
from tumble.phyre.simulation.simulator import Progress, Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.phyre.tasks.splits import template_of

SHIFTS = 8
SPREADS = (0.0, 1.0, 2.0, 4.0, 8.0, 20.0)
"""Pixels by which balls are moved at random; each candidate takes one of these."""
MOST_KEPT = 60
"""Solving actions remembered for a task."""
MOST_CHECKED = 20
"""Solving actions of a task that one call of `add` checks for sturdiness."""


@dataclass
class Known:
    """What is known about a task: actions that solve it, under how many shifts, and what was tried."""

    actions: list[np.ndarray] = field(default_factory=list)
    survived: list[int] = field(default_factory=list)
    tried: set[bytes] = field(default_factory=set)

    @property
    def stable(self) -> bool:
        return bool(self.survived) and self.survived[0] == SHIFTS

    def add(self, action: np.ndarray, survived: int) -> None:
        """Remembers an action, the sturdiest first, and forgets the frailest."""
        place = next((k for k, count in enumerate(self.survived) if count < survived), len(self.survived))
        self.actions.insert(place, action)
        self.survived.insert(place, survived)
        del self.actions[MOST_KEPT:], self.survived[MOST_KEPT:]


class Search:
    """A search for a stable solution of each task of a simulator."""

    def __init__(self, simulator: Simulator, seed: int = 0) -> None:
        self.simulator = simulator
        self.known = {task.id: Known() for task in simulator.tasks}
        self._positions = {task.id: np.array([body.position for body in task.scene.bodies]) for task in simulator.tasks}
        self._alike: dict[str, list[str]] = {}
        for task_id in self.known:
            self._alike.setdefault(template_of(task_id), []).append(task_id)
        self._pools: dict[str, _Pool] = {}
        self._rng = np.random.default_rng(seed)

    @property
    def stable(self) -> dict[str, np.ndarray]:
        """The stable solutions found so far."""
        return {task_id: known.actions[0] for task_id, known in self.known.items() if known.stable}

    @property
    def missing(self) -> list[str]:
        """Tasks without a stable solution so far."""
        return [task_id for task_id, known in self.known.items() if not known.stable]

    def add(self, task_ids: Sequence[str], actions: np.ndarray) -> None:
        """Remembers actions that solve their tasks; looks how sturdy they are, until a task has a stable one."""
        counts: dict[str, int] = {}
        checked: list[int] = []
        chosen = as_actions(actions, self.simulator.tier)
        for k, task_id in enumerate(task_ids):
            counts[task_id] = counts.get(task_id, 0) + 1
            if counts[task_id] <= MOST_CHECKED and not self.known[task_id].stable:
                checked.append(k)
            else:
                self.known[task_id].add(chosen[k], 0)
        survived = self.simulator.shifts_survived([task_ids[k] for k in checked], chosen[checked], lambda _: None)
        for k, count in zip(checked, survived, strict=True):
            self.known[task_ids[k]].add(chosen[k], int(count))

    def round(self, candidates: int, progress: Progress | None = None) -> int:
        """Tries up to so many candidates on each task that misses a stable solution; how many tasks found one."""
        missing = self.missing
        ids, actions, status = self.vary(candidates, missing, progress)
        order = self._rng.permutation(np.flatnonzero(status == SOLVED))
        self.add([ids[k] for k in order], actions[order])
        return len(missing) - len(self.missing)

    def vary(
        self, candidates: int, task_ids: Sequence[str] | None = None, progress: Progress | None = None
    ) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Tries up to so many candidates on each task, or on those named: tasks, actions and statuses of all tried."""
        chosen = list(self.known) if task_ids is None else list(task_ids)
        self._pools = {}
        proposals = [self._untried(task_id, self._proposals(task_id, candidates)) for task_id in chosen]
        ids = [task_id for task_id, own in zip(chosen, proposals, strict=True) for _ in own]
        actions = np.concatenate([np.zeros((0, self.simulator.tier.numbers)), *proposals])
        return ids, actions, self.simulator.pairs(ids, actions, progress=progress)

    def _untried(self, task_id: str, actions: np.ndarray) -> np.ndarray:
        """The actions that place their balls as none did before."""
        tried = self.known[task_id].tried
        placed = placed_balls(actions).astype(np.int16).reshape(len(actions), -1)
        keys = np.ascontiguousarray(placed).view(np.dtype((np.void, 2 * placed.shape[1]))).ravel().tolist()
        fresh = {key: k for k, key in reversed(list(enumerate(keys))) if key not in tried}
        tried.update(fresh)
        return actions[sorted(fresh.values())]

    def _proposals(self, task_id: str, count: int) -> np.ndarray:
        """Variations of what solves this task or others of its template; where nothing does, random actions."""
        rng, tier = self._rng, self.simulator.tier
        own = self.known[task_id].actions
        pool = self._pool(template_of(task_id))
        others = pool.of != task_id
        if not own and not others.any():
            return _inside(rng.random((count, tier.numbers)))
        from_own = round(count * (0.6 if own and others.any() else 1.0 if own else 0.0))
        parts = []
        if own:
            row = rng.integers(len(own), size=(2, from_own)).min(axis=0)  # the sturdiest lie first
            parts.append(placed_balls(np.array(own)[row]))
        if others.any():
            parts.append(self._from_others(task_id, pool, np.flatnonzero(others), count - from_own))
        balls = np.concatenate(parts)
        if tier.balls > 1:
            self._mix(balls)
        spread = rng.choice(SPREADS, (len(balls), tier.balls, 1))
        balls += spread * rng.normal(size=balls.shape) * (1.0, 1.0, 0.3)
        balls[..., :2] += 0.5
        return _inside(from_balls(balls))

    def _mix(self, balls: np.ndarray) -> None:
        """Gives some candidates a ball of another candidate, and a few one that lies anywhere."""
        rng, count = self._rng, len(balls)
        chance = rng.random(count)
        which = rng.integers(balls.shape[1], size=count)
        for rows, new in (
            (np.flatnonzero(chance < 0.3), balls[rng.permutation(count)]),
            (np.flatnonzero(chance > 0.9), rng.random(balls.shape) * (255.0, 255.0, 30.0) + (0.0, 0.0, 2.0)),
        ):
            balls[rows, which[rows]] = new[rows, which[rows]]

    def _pool(self, template: str) -> "_Pool":
        """All that is known to solve tasks of a template."""
        if template not in self._pools:
            alike = self._alike[template]
            of = [task_id for task_id in alike for _ in self.known[task_id].actions]
            actions = [action for task_id in alike for action in self.known[task_id].actions]
            shared = min(len(self._positions[task_id]) for task_id in alike)
            self._pools[template] = _Pool(
                np.array(of, str),
                placed_balls(np.array(actions).reshape(-1, self.simulator.tier.numbers)),
                np.array([self._positions[task_id][:shared] for task_id in of]).reshape(-1, shared, 2),
            )
        return self._pools[template]

    def _from_others(self, task_id: str, pool: "_Pool", rows: np.ndarray, count: int) -> np.ndarray:
        """Balls [n, balls, 3] of some rows of a pool, each moved as one of the bodies lies elsewhere in this task."""
        rng, shared = self._rng, pool.positions.shape[1]
        row = rows[rng.integers(len(rows), size=count)]
        body = rng.integers(-shared, shared, size=(count, pool.balls.shape[1]))
        moves = self._positions[task_id][body] - pool.positions[row[:, None], body]
        balls: np.ndarray = pool.balls[row]
        balls[..., :2] += np.where((body >= 0)[..., None], moves, 0.0)
        return balls


@dataclass(frozen=True)
class _Pool:
    """What solves tasks of a template."""

    of: np.ndarray
    """str [n]: which task."""
    balls: np.ndarray
    """float [n, balls, 3]."""
    positions: np.ndarray
    """float [n, bodies, 2]: where the bodies of that task lie, those that all tasks of the template have."""


def _inside(actions: np.ndarray) -> np.ndarray:
    """The actions, rounded as they are stored, that place their balls within the scene."""
    clipped = rounded(np.clip(actions, 0.0, 1.0))
    return np.asarray(clipped[within_scene(clipped)])
