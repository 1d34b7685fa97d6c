"""DQN: a network trained on the outcomes of actions on training tasks ranks the actions of a fixed set.

It sees a task's picture, and of its attempts only that they failed. It is trained on random actions, on variations of
those that solve and of the package's stored solutions, and with `mutated` on mutations of tasks. The recommended
settings (`recipes.py`) make an ensemble with symmetric scores of it, which is not the paper's DQN.

DQN-O keeps learning: after each test task it does a few updates on its attempts there, solving and failing ones in
equal parts if there are both. Other tasks can be mixed in: finished test tasks, against forgetting, and training
tasks.

Symmetric scores are the mean over views of an action. Up to rounding, its outcome stays the same if it and its task
are mirrored, left to right, or if its two balls are placed in the other order. A network learns this only roughly.
Every picture is followed by its mirror image, so that a network sees all views in one batch:

    features = network.encode(with_mirror_images(pictures))      # [2 * n, …]
    views = all_views(actions)                                   # actions [n, m, numbers], m for each picture
    means = mean_of_views(network.score(features, views), n, m)  # [n, m]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from tumble.learning import harness
from tumble.learning.harness import CapturedStep, capturable_adam
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import NO_ACTIONS, Agent, AttemptedAction
from tumble.phyre.catalogue.task import Task
from tumble.phyre.models.labels import LabelledActions, label_actions
from tumble.phyre.models.network import Features, mirror_image
from tumble.phyre.models.training import NetworkTraining
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
class Dqn(NetworkTraining, Agent):
    """Ranks actions by a network's prediction of whether they solve the task."""

    ranked: int = 10_000
    """Actions in the set."""
    action_set: int = 0
    """The number of the set."""
    refined: int = 1000
    """Actions of a task, chosen by the scout, that the whole network scores; 0 for all.

    Only fusions "last" and "drawn" have a scout; others score all actions.
    """
    dense_rank: float = 0.0
    """The weight of the closeness of the goal's bodies that the network predicts, beside its logit; needs `dense`."""
    symmetric: bool = False
    """Whether an action's score is the mean over the task and its mirror image, and over both orders of two balls.

    That of the best 500 actions; the others' scores are shifted below these."""
    _table: ActionTable | None = field(default=None, init=False, repr=False)
    _points: tuple[np.ndarray, Tensor] | None = field(default=None, init=False, repr=False)
    """The actions that it ranks, and the same as the network takes them."""
    _prepared: dict[str, Features] = field(default_factory=dict, init=False, repr=False)
    """The features of tasks for which it proposes next."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ranked < 1:
            raise AgentError(f"ranked must be 1 or more, not {self.ranked}")
        if self.dense_rank and not self.dense:
            raise AgentError("dense_rank needs a network that predicts dense outcomes: set dense above 0")

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
        super().train(tasks, simulator)
        self.actions = action_set(simulator.tier, self.ranked, self.action_set)

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
            with harness.mixed_precision(self.torch_device):
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
            with harness.mixed_precision(self.torch_device):
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
        with harness.mixed_precision(self.torch_device):
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
        return mean_of_views(self.network.score(features, viewed, self.dense_rank), *points.shape[:2])


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


@dataclass
class DqnOnline(Dqn):
    """Does a few updates after every finished test task."""

    updates_online: int = 5
    """Updates after each test task; with 0 it makes DQN's attempts."""
    learning_rate_online: float = 3e-5
    actions_online: int = 64
    """Attempts at each task that are drawn for an update."""
    recalled: int = 4
    """Other finished test tasks in each update."""
    replayed: int = 0
    """Training tasks in each update."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, least in (("updates_online", 0), ("actions_online", 1), ("recalled", 0), ("replayed", 0)):
            if getattr(self, name) < least:
                raise AgentError(f"{name} must be {least} or more, not {getattr(self, name)}")
        self.learns_online = self.updates_online > 0

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        super().train(tasks, simulator)
        self._optimizer = capturable_adam(self.network.parameters(), self.learning_rate_online, self.torch_device)
        self._update_online = CapturedStep(self._update, self.torch_device)
        self._generator = torch.Generator(self.torch_device).manual_seed(self.seed)
        self._training = self._training_data(tasks, simulator) if self.replayed else None
        self._finished: list[LabelledActions] = []

    def learn(self, task: Task, past: Sequence[AttemptedAction]) -> None:
        if not past:
            return
        latest = label_actions(self.see([task]), np.array([one.action for one in past]), [one.solved for one in past])
        with harness.deterministic():  # in evaluation mode: one task is too small a sample for batch norm
            for _ in range(self.updates_online):
                self._update_online(*self._mixed_batch(latest))
        self._finished.append(latest)

    def _mixed_batch(self, latest: LabelledActions) -> list[Tensor]:
        """Inputs, actions and outcomes of attempts at the task that was just finished, and at others.

        They are the same for all members: [member, task, …].
        """
        parts = [latest.batch(1, self.actions_online, self.balanced, self._generator)]
        for _ in range(self.recalled if self._finished else 0):
            earlier = self._finished[self._random_index(len(self._finished))]
            parts.append(earlier.batch(1, self.actions_online, self.balanced, self._generator))
        if self._training is not None:
            parts.append(self._training.batch(self.replayed, self.actions_online, self.balanced, self._generator))
        mixed = [torch.cat([getattr(part, name) for part in parts]) for name in ("inputs", "actions", "solved")]
        return [one.expand(self.members, *one.shape) for one in mixed]

    def _random_index(self, count: int) -> int:
        return int(torch.randint(count, (), generator=self._generator, device=self.torch_device))
