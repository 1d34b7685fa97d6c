"""The current state of the explorer's search for a solution of a task: candidates, and what attempts have shown."""

from dataclasses import dataclass

import numpy as np

from tumble.phyre.agents.ensemble import Features
from tumble.phyre.agents.evidence import flat_balls
from tumble.phyre.agents.undisturbed import Undisturbed
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.tasks.task import Task


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
