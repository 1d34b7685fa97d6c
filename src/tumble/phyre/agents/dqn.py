"""DQN: a network trained on the outcomes of actions on training tasks ranks the actions of a fixed set.

It sees a task's picture, and of its attempts only that they failed. It is trained on random actions, on variations of
those that solve and of the package's stored solutions, and with `mutated` on mutations of tasks. The recommended
settings (`recipes.py`) make an ensemble with symmetric scores of it, which is not the paper's DQN.

Symmetric scores are the mean over views of an action. Up to rounding, its outcome stays the same if it and its task
are mirrored, left to right, or if its two balls are placed in the other order. A network learns this only roughly.
Every picture is followed by its mirror image, so that a network sees all views in one batch:

    features = network.encode(with_mirror_images(pictures))      # [2 * n, …]
    views = all_views(actions)                                   # actions [n, m, numbers], m for each picture
    means = mean_of_views(network.score(features, views), n, m)  # [n, m]
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tumble.learning.checkpoint import load_network
from tumble.learning.harness import TrainingOptions
from tumble.learning.networks import mixed_precision, torch_device
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import NO_ACTIONS, Agent, AttemptedAction
from tumble.phyre.catalogue.task import Task
from tumble.phyre.generation import training_pool
from tumble.phyre.models.network import Features, mirror_image, planes_of
from tumble.phyre.models.training import DqnSettings, DqnTraining, task_digest, training_labels
from tumble.phyre.simulation.actions import ActionTable, action_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.runs.participant import Given, InTraining


def view_count(numbers: int) -> int:
    """The views of an action: as it is and mirrored, and each of these with two balls in both orders."""
    return 4 if numbers > 3 else 2


def with_mirror_images(planes: Tensor) -> Tensor:
    """[2 * n, colours, side, side]: planes of pictures [n, …], each followed by its mirror image."""
    return torch.stack([planes, planes.flip(3)], dim=1).flatten(0, 1)


def all_views(actions: Tensor) -> Tensor:
    """[n * views * m, numbers] of actions [n, m, numbers]: for each picture those on it, then on its mirror image."""
    orders = actions
    if actions.shape[2] > 3:
        orders = torch.cat([actions, actions.roll(3, dims=2)], dim=1)
    return torch.stack([orders, mirror_image(orders)], dim=1).flatten(0, 2)


def mean_of_views(scores: Tensor, pictures: int, actions: int) -> Tensor:
    """[pictures, actions]: the mean over views of the scores of `all_views`."""
    return scores.view(pictures, -1, actions).mean(1)


SCORE_BATCH_SIZE = {"cpu": 1024, "cuda": 8192}
"""Actions, or views of them, that go through the network together when it ranks, by device."""
PRERANK_BATCH_SIZE = 200_000
"""Actions that go through the scout together."""
TASKS_TOGETHER = {"cpu": 1, "cuda": 32}
"""Tasks that go through the network together, by device, unless the agent learns from each.

Batches with fewer are filled up, so that rounding does not depend on how many tasks are attempted together.
"""
MOST_VIEWED = 500
"""Actions of a task, those with the highest scores, of which all views go through the network with `symmetric`."""
PROPOSED_TOGETHER = 1000
"""Actions that are proposed together: more than the attempts at a task, as a rule."""


@dataclass
class Dqn(DqnSettings, TrainingOptions, Agent):
    """Ranks actions by a network's prediction of whether they solve the task."""

    pool: str = ""
    """With `pooled`, the file of actions to learn from (benchmarks/data/phyre_pool.py); by default the package's."""
    loaded: bool = False
    """Whether to take what the weights depend on from the checkpoint, whatever else is given."""
    ranked: int = 10_000
    """Actions in the set."""
    refined: int = 1000
    """Actions of a task, chosen by the scout, that the whole network scores; 0 for all.

    Fusion "published" has no scout, and all actions are scored."""
    symmetric: bool = False
    """Whether an action's score is the mean over the task and its mirror image, and over both orders of two balls.

    That of the best 500 actions; the others' scores are shifted below these."""
    _table: ActionTable | None = field(default=None, init=False, repr=False)
    _points: tuple[np.ndarray, Tensor] | None = field(default=None, init=False, repr=False)
    """The actions that it ranks, and the same as the network takes them."""
    _prepared: dict[str, Features] = field(default_factory=dict, init=False, repr=False)
    """The features of tasks for which it proposes next."""

    def __post_init__(self) -> None:
        if self.loaded:
            if not self.checkpoint:
                raise AgentError("loaded needs a checkpoint to take settings from")
            for name, value in load_network(self.checkpoint, DqnTraining.name)["config"].items():
                setattr(self, name, value)
        DqnSettings.__post_init__(self)
        TrainingOptions.__post_init__(self)
        if self.ranked < 1:
            raise AgentError(f"ranked must be 1 or more, not {self.ranked}")

    def given(self) -> Given:
        training: tuple[InTraining, ...] = ("simulated actions",)
        training += ("mutations",) if self.mutated else ()
        training += () if self.pairs else ("stored solutions",)  # variations of these are among the simulated actions
        return Given(
            tasks=("picture",),
            attempts=("status",),
            training=training,
            actions_per_task=None if self.pooled else self.trained_on,
            learns_online=self.learns_online,
        )

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        begun = time.monotonic()
        self.torch_device = torch_device(self.device)
        settings = DqnSettings(**{one.name: getattr(self, one.name) for one in fields(DqnSettings)})
        pool = self.pool_path(simulator.tier.name) if self.pooled else ""
        label = partial(training_labels, settings, pool, tasks, simulator, self.torch_device)
        self.training = DqnTraining(settings, simulator.tier.numbers, self.torch_device, label)
        self.network = self.training.network
        data = task_digest(sorted(tasks, key=lambda task: task.id))
        self.train_network(self.training, self.updates, self.seed, data, begun)
        self.actions = action_set(simulator.tier, self.ranked)

    def see(self, tasks: Sequence[Task]) -> Tensor:
        """[tasks, …]: what the network sees of tasks at the start, on its device."""
        return planes_of(tasks, self.side, self.torch_device)

    def pool_path(self, tier: str) -> str | Path:
        """The file of the training pool."""
        return self.pool or training_pool.shipped(tier, self.mutated)

    def prepare(self, tasks: Sequence[Task], pasts: Sequence[Sequence[AttemptedAction]]) -> None:
        new = [task for task, past in zip(tasks, pasts, strict=True) if not past]
        self._prepared = dict(zip([task.id for task in new], self.encode_all(new), strict=True))

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        if len(past) % PROPOSED_TOGETHER:  # the last ones were fewer: there are no more
            return NO_ACTIONS
        features = self._prepared.pop(task.id, None) or self.encode(task)
        return self.best(task, features, len(past) + PROPOSED_TOGETHER)[0][len(past) :]

    def ranked_table(self) -> ActionTable:
        """The actions that it ranks, prepared for tasks."""
        if self._table is None or self._table.actions is not self.actions:
            self._table = ActionTable(self.actions, self.torch_device.type)
        return self._table

    def _ranked_points(self) -> Tensor:
        if self._points is None or self._points[0] is not self.actions:
            self._points = self.actions, self._uploaded(self.actions)
        return self._points[1]

    def _uploaded(self, actions: np.ndarray) -> Tensor:
        return torch.tensor(actions, dtype=torch.float32, device=self.torch_device)

    @property
    def _tasks_together(self) -> int:
        return 1 if self.learns_online else TASKS_TOGETHER[self.torch_device.type]

    @property
    def _view_count(self) -> int:
        return view_count(self.actions.shape[1]) if self.symmetric else 1

    def encode(self, task: Task) -> Features:
        """The features of a task's picture; with `symmetric`, those of its mirror image are a second row."""
        return self.encode_all([task])[0]

    @torch.inference_mode()
    def encode_all(self, tasks: Sequence[Task]) -> list[Features]:
        """The features of each task."""
        encoded: list[Features] = []
        for first in range(0, len(tasks), self._tasks_together):
            some = tasks[first : first + self._tasks_together]
            pictures = self.see(some)
            rows = torch.arange(self._tasks_together).clamp(max=len(some) - 1).to(self.torch_device)
            pictures = with_mirror_images(pictures[rows]) if self.symmetric else pictures[rows]
            with mixed_precision(self.torch_device):
                features = self.network.encode(pictures)
            by_task = zip(*(own.chunk(self._tasks_together) for own in features), strict=True)
            encoded += [list(own) for own in by_task][: len(some)]
        return encoded

    @torch.inference_mode()
    def best(self, task: Task, features: Features, count: int) -> tuple[np.ndarray, np.ndarray]:
        """float [n, numbers], float [n]: the valid actions with the highest scores, best first, and these scores.

        Of the actions that it ranks, on a task with these features; `count` at most. Of equal ones the earlier comes
        first.
        """
        rows = np.flatnonzero(self.ranked_table().valid(task.scene))
        points = self._ranked_points()[torch.from_numpy(rows).to(self.torch_device)]
        scores, order = self._scores(features, points).sort(descending=True, stable=True)
        best = rows[order[:count].cpu().numpy()]
        return self.actions[best], scores[:count].cpu().numpy()

    @torch.inference_mode()
    def scores(self, features: Features, actions: np.ndarray) -> np.ndarray:
        """float [n]: scores of valid actions [n, numbers] on a task with these features.

        The network scores the `refined` actions that its scout ranks highest; the others get the scout's scores,
        shifted below those of the network. With `symmetric`, the best of these are scored again, in all views.
        """
        return np.asarray(self._scores(features, self._uploaded(actions)).cpu())

    @torch.inference_mode()
    def scores_by_task(
        self, features: Sequence[Features], actions: Sequence[np.ndarray], most: int
    ) -> list[np.ndarray]:
        """As `scores`, of up to `most` valid actions on each of several tasks."""
        together = min(self._tasks_together, SCORE_BATCH_SIZE[self.torch_device.type] // (most * self._view_count))
        if together <= 1 or self._is_prerank_needed(most):
            return [self.scores(own, some) for own, some in zip(features, actions, strict=True)]
        scores: list[np.ndarray] = []
        for first in range(0, len(actions), together):
            some = actions[first : first + together]
            points = np.zeros((together, most, some[0].shape[1]))
            for row, own in zip(points, some, strict=False):
                row[: len(own)] = own
            rows = [features[min(first + k, len(features) - 1)] for k in range(together)]
            with mixed_precision(self.torch_device):
                batch = [torch.cat(members) for members in zip(*rows, strict=True)]
                means = self._mean_scores(batch, self._uploaded(points), self._view_count)
            scores += [row[: len(own)] for row, own in zip(means.cpu().numpy(), some, strict=False)]
        return scores

    def _is_prerank_needed(self, count: int) -> bool:
        return self.network.has_scouts and 0 < self.refined < count

    def _scores(self, features: Features, points: Tensor) -> Tensor:
        if not len(points):
            return points.sum(1)
        plain, views, viewed = [own[:1] for own in features], self._view_count, MOST_VIEWED
        with mixed_precision(self.torch_device):
            if self._is_prerank_needed(len(points)):
                viewed = min(viewed, self.refined)
                batches = torch.split(points, PRERANK_BATCH_SIZE)
                scores = torch.cat([self.network.prerank(plain, batch) for batch in batches])
                scores = _rescored(scores, self.refined, lambda best: self._network_scores(plain, points[best], 1))
            elif len(points) <= viewed:
                return self._network_scores(features, points, views)
            else:
                scores = self._network_scores(plain, points, 1)
            if not self.symmetric:
                return scores
            return _rescored(scores, viewed, lambda best: self._network_scores(features, points[best], views))

    def _network_scores(self, features: Features, points: Tensor, views: int) -> Tensor:
        batches = torch.split(points, SCORE_BATCH_SIZE[self.torch_device.type] // views)
        return torch.cat([self._mean_scores(features, batch[None], views)[0] for batch in batches])

    def _mean_scores(self, features: Features, points: Tensor, views: int) -> Tensor:
        """[tasks, m]: scores of actions [tasks, m, numbers], each the mean over a number of views, all in one batch."""
        viewed = all_views(points) if views > 1 else points.flatten(0, 1)
        return mean_of_views(self.network.score(features, viewed), *points.shape[:2])


def _rescored(scores: Tensor, count: int, score: Callable[[Tensor], Tensor]) -> Tensor:
    """Scores [n] with better ones of the `count` actions that have the highest; the others are shifted below these.

    `score` takes the indices of actions.
    """
    order = scores.argsort(descending=True)
    best, rest = order[:count], order[count:]
    better = score(best)
    scores = scores.clone()
    scores[rest] += better.min() - scores[best[-1]]
    scores[best] = better
    return scores
