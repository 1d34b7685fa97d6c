"""DQN's training: which actions solve tasks and which fail, batches of these, and the losses of a step.

Networks are trained by the cross entropy of their logits, on batches in which half of the actions solve their task, and
if wanted by that of dense outcomes, which they then predict as well.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble import engine
from tumble.learning.harness import Training
from tumble.learning.networks import (
    CapturedStep,
    capturable_adam,
    load_optimizer_state,
    mixed_precision,
    parallel_branches,
    set_learning_rate,
)
from tumble.learning.settings import TrainingError
from tumble.phyre.catalogue.task import TIERS, Task
from tumble.phyre.generation import dense_pool, training_pool
from tumble.phyre.generation.dense_pool import DensePool
from tumble.phyre.generation.training_pool import TrainingPool
from tumble.phyre.models.network import (
    Ensemble,
    QNetwork,
    check_network_settings,
    flipped_actions,
    flipped_planes,
    planes_of,
)
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.dense_outcomes import LEVELS, MISSING
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.runs.participant import AgentError


@dataclass
class DqnSettings:
    """All that the weights depend on besides the tasks and the pool of actions."""

    updates: int = 10_000
    """Steps of gradient descent."""
    tasks_per_batch: int = 64
    actions_per_task: int = 8
    """Actions of each task in a batch; they share its encoded picture."""
    learning_rate: float = 1e-3
    """At the start; it falls to 0 along a half cosine."""
    trained_on: int = 10_000
    """Random actions on each training task to learn from, beside variations of those that solve it."""
    mutated: int = 0
    """Mutations of each training task, at most, to learn from as well."""
    pooled: bool = False
    """Whether to take all this from a file, which has its own number of random actions, instead of simulating it."""
    pairs: bool = False
    """Whether a batch has single pairs of a task and a random action, drawn from all pairs, as in the paper.

    There are no variations of actions then, and no stored solutions."""
    mirrored: bool = True
    """Whether to train on mirror images of tasks as well."""
    fusion: str = "last"
    """How actions are fused with pictures: "last" is before conv5; beyond the paper, "drawn" also draws the balls into
    the features before conv3. "published" is the paper's network to the last layer."""
    side: int = 128
    """Pixels to which pictures are averaged down."""
    width: float = 1.0
    """Channels, as a share of those of a ResNet-18."""
    dense: float = 0.0
    """The weight, in the loss, of the dense outcomes of actions, which the network then predicts beside its logit.

    Needs `pooled`, and a file of dense outcomes beside the pool's, made by benchmarks/data/phyre_pool.py --dense. Which
    actions were measured there changes the weights."""
    members: int = 1
    """Networks, with the seeds `seed`, `seed` + 1, …; an action's score is the mean of their logits."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("updates", "tasks_per_batch", "actions_per_task", "trained_on", "members"):
            if getattr(self, name) < 1:
                raise AgentError(f"{name} must be 1 or more, not {getattr(self, name)}")
        if self.pairs and (self.pooled or self.mutated or self.actions_per_task != 1):
            raise AgentError("pairs needs pooled=false, mutated=0 and actions_per_task=1")
        if self.dense < 0.0 or (self.dense and not self.pooled):
            raise AgentError(f"dense must be 0, or above 0 together with pooled, not {self.dense}")
        check_network_settings(self.side, self.width, self.fusion)

    @property
    def seeds(self) -> range:
        """Of the members."""
        return range(self.seed, self.seed + self.members)


@dataclass(frozen=True)
class DenseTable:
    """The dense outcomes of a table of actions: of the first ones on tasks, of each of the others on its task."""

    shared: Tensor
    """uint8 [n, number]: task after task, of the first actions, as many as were tried on it."""
    first: Tensor
    """int64 [task]: the index of each task's first row."""
    count: Tensor
    """int64 [task]: how many rows it has; of further actions there is nothing."""
    most: int
    """The number of actions that come before the others."""
    own: Tensor
    """uint8 [action, number]."""

    def look_up(self, task: Tensor, number: Tensor) -> Tensor:
        """uint8 [n, m, number] of actions, by their numbers [n, m] in the table, on tasks [n]."""
        is_tried = number < self.count[task].unsqueeze(1)
        row = self.first[task].unsqueeze(1) + torch.where(is_tried, number, 0)
        values = torch.where(is_tried.unsqueeze(2), self.shared[row], MISSING)
        if not len(self.own):
            return values
        own = self.own[(number - self.most).clamp(min=0)]
        return torch.where((number < self.most).unsqueeze(2), values, own)


def dense_table(pool: TrainingPool, dense: DensePool, usable: list[int], device: torch.device) -> DenseTable:
    """The dense outcomes of a pool: of random actions on its usable tasks and mutations, and of valid variations."""
    parts = ((pool.of_tasks, dense.of_tasks), (pool.of_mutations, dense.of_mutations))
    most = dense.of_tasks.random.shape[1]
    rows = [row[:most] for _, own in parts for row in own.random]
    shared = [rows[task] for task in usable]
    varied = np.concatenate([own.varied[tried.varied != INVALID] for tried, own in parts])
    count = torch.tensor([len(row) for row in shared])
    return DenseTable(
        torch.from_numpy(np.concatenate(shared)).to(device),
        (count.cumsum(0) - count).to(device),
        count.to(device),
        most,
        torch.from_numpy(varied).to(device),
    )


def dense_loss(logits: Tensor, stored: Tensor) -> Tensor:
    """The mean cross entropy of logits [n, number] and stored dense outcomes, where these were measured; 0 if nowhere.

    What can't be avoided, the entropy of the outcomes, is left out.
    """
    is_measured = (stored != MISSING).float()
    wanted = (stored.float() / LEVELS).clamp(max=1.0)
    losses = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    losses = losses + torch.xlogy(wanted, wanted) + torch.xlogy(1.0 - wanted, 1.0 - wanted)
    return (losses * is_measured).sum() / is_measured.sum().clamp(min=1.0)


@dataclass(frozen=True)
class Batch:
    """Some tasks with some actions of each, and their outcomes."""

    inputs: Tensor
    """uint8 [tasks, 7, side, side]: their pictures, as in `planes_of`."""
    actions: Tensor
    """float32 [tasks, actions, numbers]."""
    solved: Tensor
    """float32 [tasks, actions]: 1 where the action solves the task, 0 where it fails."""
    dense: Tensor | None = None
    """uint8 [tasks, actions, number]: the dense outcomes, if there are any; MISSING where they were not measured."""


@dataclass(frozen=True)
class OutcomeGroup:
    """Actions of each task with the same outcome."""

    solved: bool
    numbers: Tensor
    """int32 [n]: rows of the table of actions, task after task."""
    first: Tensor
    """int64 [tasks]: the index of each task's first number."""
    count: Tensor
    """int64 [tasks]."""

    @cached_property
    def size(self) -> int:
        """The number of its pairs of a task and an action."""
        return int(self.count.sum())

    def pick_any(self, fraction: Tensor) -> tuple[Tensor, Tensor]:
        """Tasks [n] and numbers [n] of pairs, chosen by fractions [n] of all; any if there is none."""
        index = (fraction * self.size).long().clamp(max=max(self.size - 1, 0))
        task = torch.searchsorted(self.first, index, right=True) - 1
        return task, self.numbers[index].long()

    def pick(self, task: Tensor, fraction: Tensor) -> Tensor:
        """Numbers [n, m] of actions of tasks [n], chosen by fractions [n, m] of their count; any if there is none."""
        index = self.first[task].unsqueeze(1) + (fraction * self.count[task].unsqueeze(1)).long()
        return self.numbers[index.clamp(0, len(self.numbers) - 1)].long()


@dataclass(frozen=True)
class LabelledActions:
    """What a network sees of tasks, and a table of actions, grouped by outcome; all on one device."""

    inputs: Tensor
    """uint8 [tasks, 7, side, side]: their pictures, as in `planes_of`."""
    actions: Tensor
    """float32 [actions, numbers]."""
    groups: tuple[OutcomeGroup, ...]
    dense: DenseTable | None = None

    def batch(self, tasks: int, actions: int, generator: torch.Generator) -> Batch:
        """Random tasks and random actions of each; half of them solve, for tasks that have solutions."""
        device = self.inputs.device
        task = torch.randint(len(self.inputs), (tasks,), generator=generator, device=device)
        position, fraction = torch.rand((2, tasks, actions), generator=generator, device=device)
        position = (position + torch.arange(actions, device=device)) / actions  # stratified: one in each interval
        group = torch.searchsorted(self._borders[task], position.contiguous(), right=True)
        picked = torch.stack([one.pick(task, fraction) for one in self.groups])
        number = picked.gather(0, group.unsqueeze(0)).squeeze(0)
        solved = torch.stack([group == k for k, one in enumerate(self.groups) if one.solved]).any(0).float()
        dense = None if self.dense is None else self.dense.look_up(task, number)
        return Batch(self.inputs[task], self.actions[number], solved, dense)

    def pairs(self, count: int, generator: torch.Generator) -> Batch:
        """Single pairs of a task and an action, half of them drawn from all that solve, half from all that fail."""
        device = self.inputs.device
        fraction = torch.rand((2, count), generator=generator, device=device, dtype=torch.float64)
        position = (fraction[0] + torch.arange(count, device=device)) / count
        group = torch.searchsorted(self._pair_borders, position, right=True)
        drawn = zip(*(one.pick_any(fraction[1]) for one in self.groups), strict=True)
        task, number = (torch.stack(column).gather(0, group.unsqueeze(0)).squeeze(0) for column in drawn)
        solved = torch.stack([group == k for k, one in enumerate(self.groups) if one.solved]).any(0).float()
        return Batch(self.inputs[task], self.actions[number].unsqueeze(1), solved.unsqueeze(1))

    @cached_property
    def _pair_borders(self) -> Tensor:
        """float64 [groups - 1]: where the shares of groups of pairs end; the groups of an outcome share its half."""
        sizes = torch.tensor([one.size for one in self.groups], dtype=torch.float64)
        same = [sum(one.size for one in self.groups if one.solved == group.solved) for group in self.groups]
        return _ends((sizes / torch.tensor(same).clamp(min=1))[None])[0].to(self.inputs.device)

    @cached_property
    def _borders(self) -> Tensor:
        """float [task, groups - 1]: where the shares of groups of a task's actions end; as for pairs."""
        counts = self._counts()
        shares = torch.zeros_like(counts, dtype=torch.float32)
        for solved in (True, False):
            columns = [k for k, one in enumerate(self.groups) if one.solved == solved]
            present = (counts[:, columns] > 0).float()
            shares[:, columns] = present / present.sum(1, keepdim=True).clamp(min=1.0)
        return _ends(shares)

    def _counts(self) -> Tensor:
        """int64 [task, group]."""
        return torch.stack([one.count for one in self.groups], dim=1)

    def digest(self) -> str:
        """Tells apart other actions, or other outcomes."""
        parts = (self.actions, self._counts(), *(one.numbers for one in self.groups))
        whole = sha256()
        for part in parts:
            whole.update(part.cpu().numpy().tobytes())
        return whole.hexdigest()[:16]


def _ends(shares: Tensor) -> Tensor:
    """Where the shares of groups [task, group] end, as fractions, but for the last."""
    return (shares / shares.sum(1, keepdim=True)).cumsum(1)[:, :-1].contiguous()


def mirrored_batch(batch: Batch, generator: torch.Generator) -> Batch:
    """The batch with about half of its tasks mirrored, left to right, and their actions with them."""
    flip = torch.rand(len(batch.inputs), generator=generator, device=batch.inputs.device) < 0.5
    return Batch(flipped_planes(batch.inputs, flip), flipped_actions(batch.actions, flip), batch.solved, batch.dense)


def label_pool(
    pool: TrainingPool, see: Callable[[Sequence[Task]], Tensor], dense: DensePool | None = None
) -> LabelledActions:
    """What a training pool has of tasks and mutations, with their dense outcomes if these are given.

    `see` gives what the network sees of tasks, on its device.
    """
    parts = (pool.of_tasks, pool.of_mutations)
    tasks = [task for part in parts for task in part.tasks]
    statuses = _stacked_statuses(*(part.random for part in parts))
    usable: list[int] = np.flatnonzero((statuses != INVALID).any(axis=1)).tolist()
    if not usable:
        raise AgentError(f"there is nothing to learn from {len(tasks)} tasks: none has a valid action")
    inputs = see([tasks[k] for k in usable])
    device = inputs.device
    random = action_set(TIERS[tasks[0].tier], statuses.shape[1])
    varied = [part.labelled_variations() for part in parts if part.tasks]
    row_of = {tasks[k].id: row for row, k in enumerate(usable)}
    rows = np.array([row_of.get(task_id, -1) for one in varied for task_id in one.task_ids.tolist()], int)
    numbers, is_solved = len(random) + np.arange(len(rows)), np.concatenate([one.solved for one in varied])
    groups = _outcome_groups(statuses[usable], device)
    for solved in (True, False):
        members = (rows >= 0) & (is_solved == solved)
        groups += (_outcome_group(rows[members], numbers[members], len(usable), solved, device),)
    table = np.concatenate([random, *(one.actions for one in varied)])
    actions = torch.tensor(table, dtype=torch.float32, device=device)
    return LabelledActions(inputs, actions, groups, None if dense is None else dense_table(pool, dense, usable, device))


def _stacked_statuses(statuses: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Rows of statuses, then others, of which fewer actions may have been tried."""
    filled = np.full((len(others), statuses.shape[1]), INVALID, np.int8)
    tried = min(statuses.shape[1], others.shape[1])
    filled[:, :tried] = others[:, :tried]
    return np.concatenate([statuses, filled])


def label_actions(inputs: Tensor, actions: np.ndarray, solved: Sequence[bool]) -> LabelledActions:
    """Actions [n, numbers] on one task, of which a network sees `inputs`, and whether each solved it."""
    statuses = np.array([[SOLVED if is_solved else NOT_SOLVED for is_solved in solved]])
    table = torch.tensor(actions, dtype=torch.float32, device=inputs.device)
    return LabelledActions(inputs, table, _outcome_groups(statuses, inputs.device))


def _outcome_groups(statuses: np.ndarray, device: torch.device) -> tuple[OutcomeGroup, ...]:
    """The actions that solve and those that fail, by statuses [task, action]."""
    groups = []
    for status in (SOLVED, NOT_SOLVED):
        rows, numbers = np.nonzero(statuses == status)
        groups.append(_outcome_group(rows, numbers, len(statuses), status == SOLVED, device))
    return tuple(groups)


def _outcome_group(
    rows: np.ndarray, numbers: np.ndarray, tasks: int, solved: bool, device: torch.device
) -> OutcomeGroup:
    """A group from the numbers [n] of actions and the rows [n] of their tasks."""
    ordered = numbers[np.argsort(rows, kind="stable")].astype(np.int32)
    padded = np.append(ordered, np.int32(0))  # so that a lookup never fails
    count = torch.from_numpy(np.bincount(rows, minlength=tasks)).to(device)
    return OutcomeGroup(solved, torch.from_numpy(padded).to(device), count.cumsum(0) - count, count)


def task_digest(tasks: Sequence[Task]) -> str:
    """Tells apart training tasks, in their order: the tier, and a digest of their names."""
    return f"{tasks[0].tier} {sha256(chr(10).join(task.id for task in tasks).encode()).hexdigest()[:16]}"


def training_labels(
    settings: DqnSettings, pool: str | Path, tasks: Sequence[Task], simulator: Simulator, device: torch.device
) -> LabelledActions:
    """What there is to learn from on tasks: from the file of a pool, or simulated."""

    def see(some: Sequence[Task]) -> Tensor:
        return planes_of(some, settings.side, device)

    if not settings.pooled:
        counts = training_pool.counts_with(settings.trained_on, settings.mutated, varied=not settings.pairs)
        return label_pool(training_pool.make(tasks, simulator, counts), see)
    made = training_pool.load(pool, tasks, settings.mutated)
    return label_pool(made, see, dense_pool.load(dense_pool.dense_path(pool), made) if settings.dense else None)


class DqnTraining(Training):
    """The training of an ensemble of networks."""

    name = "dqn"
    config: DqnSettings
    network: Ensemble

    def __init__(
        self, config: DqnSettings, numbers: int, device: torch.device, label: Callable[[], LabelledActions]
    ) -> None:
        """For actions [n, numbers]; `label` makes or reads the data, if the training is not finished."""
        self.config, self.torch_device, self._label = config, device, label
        networks = []
        for seed in config.seeds:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                networks.append(QNetwork(numbers, config.fusion, config.side, config.width, config.dense > 0.0))
        self.network = Ensemble(networks).to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]

    def start(self, device: torch.device, seed: int) -> None:
        self.labels = self._label()
        self.optimizer = capturable_adam(self.network.parameters(), self.config.learning_rate, device)
        self.generators = [torch.Generator(device).manual_seed(seed) for seed in self.config.seeds]
        self.network.train()
        self._captured_update = CapturedStep(self.update, device)

    def state(self) -> dict[str, Any]:
        generators = [generator.get_state() for generator in self.generators]
        data = {"physics": engine.physics_id(), "outcomes": self.labels.digest()}
        return {"optimizer": self.optimizer.state_dict(), "generators": generators, **data}

    def restore(self, state: Mapping[str, Any]) -> None:
        for name, value in (("physics", engine.physics_id()), ("outcomes", self.labels.digest())):
            if state[name] != value:
                raise TrainingError(f"{self.path} was made with {name} {state[name]}, and this is {value}; use another")
        load_optimizer_state(self.optimizer, state["optimizer"])
        for generator, stored in zip(self.generators, state["generators"], strict=True):
            generator.set_state(stored)

    def step(self, number: int, share: float) -> dict[str, Tensor]:
        rate = 0.5 * self.config.learning_rate * (1.0 + math.cos(math.pi * number / self.config.updates))
        set_learning_rate(self.optimizer, rate)
        return {"loss": self._captured_update(*self.draw())}

    def draw(self) -> list[Tensor]:
        """Inputs, actions, outcomes and dense outcomes, if there are any, [member, …]: a batch for each member."""
        config, batches = self.config, []
        for generator in self.generators:
            if config.pairs:
                batch = self.labels.pairs(config.tasks_per_batch, generator)
            else:
                batch = self.labels.batch(config.tasks_per_batch, config.actions_per_task, generator)
            batches.append(mirrored_batch(batch, generator) if config.mirrored else batch)
        names = ("inputs", "actions", "solved", *(("dense",) if self.labels.dense is not None else ()))
        return [torch.stack([getattr(one, name) for one in batches]) for name in names]

    def update(self, *batches: Tensor) -> Tensor:
        """One step of gradient descent on what `draw` gives; returns the mean loss before it."""
        self.optimizer.zero_grad()
        losses = []
        with parallel_branches(self.torch_device) as branch:
            for member in zip(self.network.networks, *batches, strict=True):
                with branch():
                    loss, other_losses = self._losses(*member)
                    (loss + other_losses).backward()  # type: ignore[no-untyped-call]
                losses.append(loss.detach())
        self.optimizer.step()
        return torch.stack(losses).mean()

    def _losses(
        self, network: QNetwork, inputs: Tensor, actions: Tensor, solved: Tensor, dense: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The cross entropy of a network; and that of its scout, and of dense outcomes if they are given."""
        actions, solved = actions.flatten(0, 1), solved.flatten()
        with mixed_precision(self.torch_device):
            features = network.encode(inputs)
            others = torch.zeros((), device=self.torch_device)
            if dense is None:
                logits = network.score(features, actions)
            else:
                logits, predicted = network.score_and_dense(features, actions)
                others = self.config.dense * dense_loss(predicted, dense.flatten(0, 1))
            loss = functional.binary_cross_entropy_with_logits(logits, solved)
            if network.scout is not None:
                scouted = network.prerank(features, actions)
                others = others + functional.binary_cross_entropy_with_logits(scouted, solved)
            return loss, others
