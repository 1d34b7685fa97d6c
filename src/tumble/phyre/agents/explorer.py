"""Explorer: DQN that looks at what its failed attempts did before it chooses the next.

After each attempt that failed it changes the scores that the network gave to actions:
- what lies close to the attempt is put off, so that attempts differ;
- what lies further around is put forward if the attempt brought the goal's two bodies nearer to each other than they
  come with no action, and put back if it changed nothing;
- around an attempt that brought them nearer it thinks up new actions.
For that it watches, once for each task, what happens with no action. Beside random actions it ranks some that solve
training tasks. Its network does not change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from torch import Tensor

from tumble.phyre.agents.agent import NOTHING, Try
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.agents.dqn_online import DqnOnline
from tumble.phyre.agents.nearness import effect
from tumble.phyre.simulation.actions import exact_balls, from_balls, placed_balls, valid
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import Task

KEPT = 256
"""Tasks whose search is remembered; one that was forgotten is made again from its attempts."""


@dataclass
class Search:
    """Where the search for a solution of one task stands."""

    task: Task
    features: Tensor
    """What the network makes of the task."""
    untouched: Attempt
    """What happens with no action."""
    actions: np.ndarray
    """float [n, numbers]: those that could be tried."""
    scores: np.ndarray
    """float [n]: the network's."""
    tried: np.ndarray
    """float [attempts, numbers]."""
    effects: np.ndarray
    """float [attempts]: what each came to."""
    news: np.ndarray
    """float [n, 3]: what attempts say about an action, summed: how many are the same, how many alike, their effects."""


@dataclass
class Explorer(Dqn):
    """Proposes one action at a time."""

    reach: float = 12.0
    """Pixels within which an attempt is much the same."""
    doubt: float = 2.0
    """What a failure takes from the score of the same action."""
    view: float = 30.0
    """Pixels within which actions have much the same effect."""
    hope: float = 8.0
    """What is added at most where attempts around nearly worked, and taken away where they changed nothing."""
    offspring: int = 30
    """New actions around each attempt that brought the goal's bodies nearer to each other."""
    remembered: int = 20_000
    """Mined actions that solve training tasks to rank beside the random ones, as many as there are."""
    considered: int = 5000
    """Only so many actions of a task, those that the network likes best, are kept in mind."""
    wants = ("states",)
    searches: dict[str, Search] = field(default_factory=dict, init=False, repr=False)

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        super().train(tasks, simulator)
        self.searches.clear()
        self.actions = np.concatenate([self.actions, self.solving[: self.remembered]])

    def propose(self, task: Task, past: Sequence[Try]) -> np.ndarray:
        if not past or task.id not in self.searches:
            self.searches.pop(next(iter(self.searches)) if len(self.searches) >= KEPT else "", None)
            self.searches[task.id] = self._begun(task)
        search = self.searches[task.id]
        for tried in past[len(search.tried) :]:
            self._take_in(search, tried)
        if not len(search.actions):
            return NOTHING
        return search.actions[[int(self.revised(search).argmax())]]

    def revised(self, search: Search) -> np.ndarray:
        """The scores after what was seen."""
        same, alike, effects = search.news.T
        return np.asarray(search.scores - self.doubt * same + self.hope * effects / (1.0 + alike))

    def _begun(self, task: Task) -> Search:
        features, actions = self.look_at(task), self.actions[valid(task.scene, self.actions)]
        untouched = Simulator([task], task.tier).rollout(task, want=self.wants)
        scores = self.scores(features, actions)
        best = np.argsort(-scores, kind="stable")[: self.considered]
        actions, scores, news = actions[best], scores[best], np.zeros((len(best), 3))
        return Search(task, features, untouched, actions, scores, actions[:0], np.zeros(0), news)

    def _take_in(self, search: Search, tried: Try) -> None:
        """Learns what an attempt that failed came to."""
        came_to = effect(search.task, tried.attempt, search.untouched)
        search.tried = np.concatenate([search.tried, tried.action[None]])
        search.effects = np.append(search.effects, came_to)
        kept = (search.actions != tried.action).any(axis=1)
        search.actions, search.scores = search.actions[kept], search.scores[kept]
        search.news = search.news[kept] + self._said(search.actions, search.tried[-1:], search.effects[-1:])
        if came_to > 0.0 and self.offspring:
            new = self._varied(f"{search.task.id}/{len(search.tried)}", tried.action)
            new = new[valid(search.task.scene, new)]
            search.actions = np.concatenate([search.actions, new])
            search.scores = np.concatenate([search.scores, self.scores(search.features, new)])
            search.news = np.concatenate([search.news, self._said(new, search.tried, search.effects)])

    def _said(self, actions: np.ndarray, tried: np.ndarray, effects: np.ndarray) -> np.ndarray:
        """What attempts say about actions, summed."""
        distance = distances(actions, tried)
        same, alike = (np.exp(-0.5 * (distance / pixels) ** 2) for pixels in (self.reach, self.view))
        return np.stack([same.sum(axis=1), alike.sum(axis=1), alike @ effects], axis=1)

    def _varied(self, occasion: str, action: np.ndarray) -> np.ndarray:
        """Actions around one, at random distances."""
        digest = sha256(f"{self.seed}/{occasion}".encode()).digest()
        rng = np.random.default_rng(np.frombuffer(digest, np.uint32))
        balls = np.repeat(exact_balls(action[None]), self.offspring, axis=0)
        return from_balls(balls + rng.normal(0.0, self.reach, balls.shape)).clip(0.0, 1.0)


@dataclass
class ExplorerOnline(Explorer, DqnOnline):
    """An explorer whose network goes on learning from finished test tasks, and that tries what solved them again."""

    def learn(self, task: Task, past: Sequence[Try]) -> None:
        super().learn(task, past)
        if past and past[-1].solved:
            again = past[-1].action
            self.actions = np.concatenate([self.actions, again[None], self._varied(task.id, again)])


def distances(actions: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Pixels [n, m] between the balls that actions place, in x, y and radius."""
    first, second = (placed_balls(some).reshape(some.shape) for some in (actions, others))
    squares = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2.0 * first @ second.T
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
