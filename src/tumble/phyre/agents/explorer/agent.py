"""Explorer: DQN that chooses its next action by what its failed attempts did.

After each failed attempt it revises the scores that the network gave to actions:
- actions close to the attempt get a lower score, so that attempts differ;
- actions with a ball further around one of its balls get a higher score if the attempt brought the goal's two bodies
  nearer to each other than they come without an action, and a lower score if that ball touched nothing that moves or,
  with `cost` above 0, brought them hardly nearer;
- around an attempt that brought them nearer it adds new actions, half of which have another ball in place of one that
  touched nothing.

What happens without an action it knows as far as its attempts have shown it (`evidence.py`). Besides random actions it
ranks solutions of training tasks, carried over to the task (`memory.py`, `transfer.py`). Its network does not change.

Besides the picture it is given the exact shapes and places of a test task's bodies, and of its failed attempts the
exact states of all bodies every 60 steps and the contacts of every step, from which it computes the exact distances
of the goal's outlines. Bodies of two tasks correspond by their place in the list, role or kind.

It proposes one action at a time at first, and later several: late attempts weigh little in AUCCESS, and attempts that
are rolled out together take less time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import NO_ACTIONS, AttemptedAction
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.agents.dqn_online import DqnOnline
from tumble.phyre.agents.explorer import transfer
from tumble.phyre.agents.explorer.evidence import (
    Undisturbed,
    crowding,
    evidence_of_attempts,
    flat_balls,
    seen_in_attempt,
    squared_distances,
    undisturbed_at_start,
)
from tumble.phyre.agents.explorer.memory import SolutionMemory, joined_carried, memory_of
from tumble.phyre.agents.explorer.transfer import TransferModel, load_carried_outcomes
from tumble.phyre.catalogue.task import Task
from tumble.phyre.generation.variations import generator_for
from tumble.phyre.models.network import Features
from tumble.phyre.simulation.actions import exact_balls, from_balls, valid_among
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.simulator import Simulator
from tumble.runs.participant import Given


@dataclass
class TaskSearch:
    """The current state of the search for a solution of one task."""

    task: Task
    obstacles: Obstacles
    features: Features
    """The network's features of the task."""
    undisturbed: Undisturbed
    """What is known of the rollout without an action."""
    actions: np.ndarray
    """float [n, numbers]: the candidates."""
    balls: np.ndarray
    """float [n, numbers]: their balls, as they are placed."""
    scores: np.ndarray
    """float [n]: the network's scores of the candidates."""
    attempted: np.ndarray
    """float [attempts, numbers]."""
    nearest: np.ndarray
    """float [attempts]: the smallest distance of the goal's two bodies, in pixels."""
    touched: np.ndarray
    """bool [attempts, balls]: which balls touched a body that moves."""
    evidence: np.ndarray
    """float [n, 1 + 2 * balls]: what the attempts say about each candidate; see `evidence.evidence`."""

    @property
    def effects(self) -> np.ndarray:
        """float [attempts, balls]: of each ball, -1 if it touched nothing, else from 0 up to 1 if the attempt brought
        the goal's bodies together."""
        before = self.undisturbed.nearest
        nearer = np.clip((before - self.nearest) / max(before, 1.0), 0.0, 1.0)
        return np.where(self.touched, nearer[:, None], -1.0)

    def drop(self, actions: np.ndarray) -> None:
        """Removes actions from the candidates."""
        rows = np.flatnonzero(np.isin(self.actions[:, 0], actions[:, 0]))
        rows = rows[(self.actions[rows, None] == actions).all(axis=2).any(axis=1)]
        if len(rows):
            self.actions, self.balls, self.scores, self.evidence = (
                np.delete(table, rows, axis=0) for table in (self.actions, self.balls, self.scores, self.evidence)
            )

    def add(self, actions: np.ndarray, scores: np.ndarray, evidence: np.ndarray) -> None:
        """Adds candidates."""
        self.actions = np.concatenate([self.actions, actions])
        self.balls = np.concatenate([self.balls, flat_balls(actions)])
        self.scores = np.concatenate([self.scores, scores])
        self.evidence = np.concatenate([self.evidence, evidence])


PARTNERS = 500
"""Candidates with the highest scores, whose balls replace those that touched nothing."""
MAX_SEARCHES = 256
"""Tasks whose search is kept; one that was dropped is computed again from its attempts."""


@dataclass
class Explorer(Dqn):
    """Proposes one action at a time."""

    reach: float = 12.0
    """Pixels within which actions count as the same."""
    doubt: float = 2.0
    """What a failed attempt subtracts from the score of the same action."""
    view: float = 30.0
    """Pixels within which actions have similar effects."""
    hope: float = 8.0
    """The largest change of a score by the effects of similar attempts."""
    cost: float = 0.0
    """What is subtracted from the effect of a ball that touched a body: with 0.2, one that brought the goal's bodies
    less than a fifth of their distance nearer to each other lowers the scores of similar ones."""
    offspring: int = 30
    """New actions around each attempt that brought the goal's bodies nearer to each other."""
    transferred: int = 5000
    """Actions on a task that are drawn from solutions of training tasks by role, and as many from those of tasks that
    are alike; of these, the valid ones are ranked besides the random ones."""
    transferred_by_kind: int = 0
    """The same for actions drawn by kind."""
    transfer: float = 0.0
    """The weight of the transfer model's log odds in the scores of actions drawn by role or kind
    (`transfer_model.py`); 0 for no model. It needs `pooled`; without outcomes between its training tasks, as with a
    user's own tasks, there is no model, either."""
    prior: float = 1.0
    """What is added to the scores of those by role or kind: they solve more often than random ones with the same
    score."""
    prior_alike: float = 3.0
    """The same for solutions of tasks that are alike."""
    typical: float = 0.0
    """What is added to their scores for each unit of crowding (`crowding.py`): the more of them are similar, the
    more often they solve."""
    considered: int = 5000
    """Candidates of a task: the actions with the highest scores."""
    patience: int = 8
    """Attempts at a task after which it proposes two actions at a time, then three, …; 0: always one."""
    wants = ("states", "events")
    searches: dict[str, TaskSearch] = field(default_factory=dict, init=False, repr=False)
    memory: SolutionMemory = field(default_factory=SolutionMemory, init=False, repr=False)
    model: TransferModel | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("transferred", "transferred_by_kind", "transfer", "cost"):
            if getattr(self, name) < 0:
                raise AgentError(f"{name} must be 0 or more, not {getattr(self, name)}")
        if self.transfer and not self.pooled:
            raise AgentError("transfer needs a training pool: set pooled to true")

    def given(self) -> Given:
        seen = {"tasks": ("picture", "shapes and states"), "attempts": ("status", "states", "contacts", "distances")}
        return super().given().model_copy(update=seen)

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        super().train(tasks, simulator)
        self.searches.clear()
        self.remember(tasks, self.pool_path(simulator.tier.name) if self.pooled else None)

    def remember(self, tasks: Sequence[Task], pool: str | Path | None) -> None:
        """Keeps solutions of training tasks, and learns which of them solve other tasks."""
        self.memory = memory_of(tasks, pool) if self.transferred or self.transferred_by_kind else SolutionMemory()
        if pool is not None and self.transfer:
            self.model = transfer.fitted_transfer_model(load_carried_outcomes(pool, tasks), self.seed)

    def prepare(self, tasks: Sequence[Task], pasts: Sequence[Sequence[AttemptedAction]]) -> None:
        new = [task for task, past in zip(tasks, pasts, strict=True) if not past or task.id not in self.searches]
        for task, features in zip(new, self.encode_all(new), strict=True):
            self.searches.pop(task.id, None)
            self.searches[task.id] = self._start_search(task, features)
        known = [(self.searches[task.id], past) for task, past in zip(tasks, pasts, strict=True)]
        for oldest in list(self.searches)[: -max(MAX_SEARCHES, len(tasks))]:
            del self.searches[oldest]
        while behind := [(search, past) for search, past in known if len(search.attempted) < len(past)]:
            by_size: dict[int, list[tuple[TaskSearch, Sequence[AttemptedAction]]]] = {}
            for search, past in behind:
                first = len(search.attempted)
                size = self._batch_size(first)
                by_size.setdefault(size, []).append((search, past[first : first + size]))
            for size, failures in by_size.items():
                self._update_searches(failures, size)

    def _batch_size(self, attempts: int) -> int:
        """The actions that it proposes together after a number of attempts."""
        return 1 + attempts // self.patience if self.patience else 1

    def _is_searched(self, task: Task, past: Sequence[AttemptedAction]) -> bool:
        """Whether there is a search with just these attempts."""
        search = self.searches.get(task.id)
        return search is not None and search.task is task and len(search.attempted) == len(past)

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        if not self._is_searched(task, past):
            self.prepare([task], [past])
        search = self.searches[task.id]
        if not len(search.actions):
            return NO_ACTIONS
        return search.actions[self._best_apart(search, self._batch_size(len(past)))]

    def _best_apart(self, search: TaskSearch, count: int) -> list[int]:
        """The candidates with the highest scores, each as if those before it had failed."""
        scores = self.revised_scores(search)
        chosen = [int(scores.argmax())]
        while len(chosen) < min(count, len(scores)):
            squares = squared_distances(search.balls, search.balls[chosen[-1:]])[:, 0]
            scores = scores - self.doubt * np.exp(-0.5 * squares / self.reach**2)
            scores[chosen] = -np.inf
            chosen.append(int(scores.argmax()))
        return chosen

    def revised_scores(self, search: TaskSearch) -> np.ndarray:
        """float [n]: score - doubt * same + hope * effects / (1 + similar), the latter as the mean over balls."""
        same, similar, effects = np.split(search.evidence, [1, 1 + search.touched.shape[1]], axis=1)
        hopes = (self.hope * effects / (1.0 + similar)).mean(axis=1)
        return np.asarray(search.scores - self.doubt * same[:, 0] + hopes)

    def _start_search(self, task: Task, features: Features) -> TaskSearch:
        obstacles = Obstacles([task.scene])
        actions, scores = self._candidates(task, obstacles, features)
        balls = actions.shape[1] // 3
        evidence = np.zeros((len(actions), 1 + 2 * balls))
        attempted, nearest, touched = actions[:0], np.zeros(0), np.zeros((0, balls), bool)
        return TaskSearch(
            task,
            obstacles,
            features,
            undisturbed_at_start(task),
            actions,
            flat_balls(actions),
            scores,
            attempted,
            nearest,
            touched,
            evidence,
        )

    def _candidates(self, task: Task, obstacles: Obstacles, features: Features) -> tuple[np.ndarray, np.ndarray]:
        """float [n, numbers], float [n]: the actions with the highest scores, and these scores."""
        carried, priors = self._carried(task, obstacles)
        found = [self.best(task, features, self.considered)]
        for actions, prior in zip(carried, priors, strict=True):
            found.append((actions, self.scores(features, actions) + prior))
        actions, scores = (np.concatenate(every) for every in zip(*found, strict=True))
        best = np.argsort(-scores, kind="stable")[: self.considered]
        return actions[best], scores[best]

    def _carried(self, task: Task, obstacles: Obstacles) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Actions [n, numbers] that are carried over by role or kind, and from tasks that are alike; and what is added
        to the scores [n] of each."""
        likely, log_odds = self._likely(task, obstacles)
        alike = self.memory.alike(task, self.transferred, self._generator_for(f"{task.id}/alike"))
        carried = [likely, alike[valid_among(obstacles, alike)]]
        priors = [self.prior + self.transfer * log_odds, np.full(len(carried[1]), float(self.prior_alike))]
        if self.typical:
            every = flat_balls(np.concatenate(carried))
            for prior, actions in zip(priors, carried, strict=True):
                prior += self.typical * crowding(flat_balls(actions), every)
        return carried, priors

    def _likely(self, task: Task, obstacles: Obstacles) -> tuple[np.ndarray, np.ndarray]:
        """Actions [n, numbers] that are carried over by role or kind, and their log odds [n] if there is a model."""
        by_role, by_kind = (self._generator_for(f"{task.id}/{way}") for way in ("by_role", "by_kind"))
        aimed = self.model is not None
        drawn = joined_carried(
            [
                self.memory.by_role(task, self.transferred, by_role, aimed),
                self.memory.by_kind(task, self.transferred_by_kind, by_kind, aimed),
            ]
        )
        found = drawn.take(valid_among(obstacles, drawn.actions))
        return found.actions, np.zeros(len(found)) if self.model is None else self.model.log_odds(task, found)

    def _update_searches(self, failures: Sequence[tuple[TaskSearch, Sequence[AttemptedAction]]], size: int) -> None:
        """Adds the evidence of up to `size` failed attempts at each task, and new candidates around the good ones."""
        new = [(search, self._update_search(search, failed)) for search, failed in failures]
        new = [(search, actions) for search, actions in new if len(actions)]
        if not new:
            return
        features, candidates = [search.features for search, _ in new], [actions for _, actions in new]
        scores = self.scores_by_task(features, candidates, size * self.offspring)
        for (search, actions), own in zip(new, scores, strict=True):
            search.add(actions, own, self._evidence(search, flat_balls(actions)))

    def _update_search(self, search: TaskSearch, failed: Sequence[AttemptedAction]) -> np.ndarray:
        """Adds the evidence of failed attempts; returns new candidates around those that had a good effect."""
        seen = [seen_in_attempt(search.task, one.attempt) for one in failed]
        actions, before = np.array([one.action for one in failed]), len(search.attempted)
        search.attempted = np.concatenate([search.attempted, actions])
        search.nearest = np.append(search.nearest, [one.nearest for one in seen])
        search.touched = np.concatenate([search.touched, [one.touched for one in seen]])
        search.drop(actions)
        most = max((one.undisturbed for one in seen), key=lambda one: one.last_step)
        shows_more = most.last_step > search.undisturbed.last_step
        if shows_more:
            search.undisturbed = most
        if shows_more:
            search.evidence = self._evidence(search, search.balls)
        else:
            search.evidence += self._evidence(search, search.balls, since=before)
        good = np.flatnonzero(search.effects[before:].max(axis=1) > 0.0).tolist() if self.offspring else []
        new = [self._offspring(search, before + k) for k in good]
        candidates = np.concatenate([actions[:0], *new])
        return np.asarray(candidates[valid_among(search.obstacles, candidates)])

    def _evidence(self, search: TaskSearch, balls: np.ndarray, since: int = 0) -> np.ndarray:
        """What attempts, from a number on, say about actions with balls [n, numbers]."""
        effects = search.effects[since:]
        effects = np.where(search.touched[since:], effects - self.cost, effects)
        return evidence_of_attempts(balls, flat_balls(search.attempted[since:]), effects, self.reach, self.view)

    def _offspring(self, search: TaskSearch, attempt: int) -> np.ndarray:
        """float [offspring, numbers]: random actions around an attempt; half of them with other balls, from the best
        candidates, in place of those that touched nothing."""
        action, idle = search.attempted[attempt], np.flatnonzero(~search.touched[attempt])
        label = f"{search.task.id}/{attempt + 1}"
        new = self._variations(label, action, self.offspring)
        if len(idle) and len(search.actions):
            rng = self._generator_for(f"{label}/idle")
            best = search.actions[np.argsort(-search.scores, kind="stable")[:PARTNERS]].reshape(-1, 3)
            balls = new.reshape(len(new), -1, 3)
            half = len(new) // 2
            balls[:half, idle] = best[rng.integers(len(best), size=(half, len(idle)))]
        return new

    def _generator_for(self, label: str) -> np.random.Generator:
        """Random numbers that depend on the seed and a label."""
        return generator_for(f"{self.seed}/{label}")

    def _variations(self, label: str, action: np.ndarray, count: int) -> np.ndarray:
        """float [count, numbers]: random actions around one."""
        rng = self._generator_for(label)
        balls = np.repeat(exact_balls(action[None]), count, axis=0)
        return from_balls(balls + rng.normal(0.0, self.reach, balls.shape)).clip(0.0, 1.0)


@dataclass
class ExplorerOnline(Explorer, DqnOnline):
    """An explorer whose network keeps learning from test tasks, and that remembers its solutions of these."""

    remembers: bool = True
    """Whether it carries solutions of finished test tasks over to others; without, and without updates, it makes the
    explorer's attempts."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.learns_online = self.remembers or self.updates_online > 0

    def learn(self, task: Task, past: Sequence[AttemptedAction]) -> None:
        super().learn(task, past)
        self.searches.clear()
        if self.remembers and past and past[-1].solved:
            self.memory.add(task, past[-1].action[None])
