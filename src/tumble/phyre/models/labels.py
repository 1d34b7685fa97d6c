"""Training data of networks: which actions solve tasks and which fail, their dense outcomes, and batches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble.phyre.catalogue.task import TIERS, Task
from tumble.phyre.generation.dense_pool import DensePool
from tumble.phyre.generation.training_pool import TrainingPool
from tumble.phyre.models.network import flipped_actions, flipped_planes
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.dense_outcomes import LEVELS, MISSING
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.runs.participant import AgentError


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

    def batch(self, tasks: int, actions: int, balanced: bool, generator: torch.Generator) -> Batch:
        """Random tasks and random actions of each; if `balanced`, half of them solve, for tasks that have solutions."""
        device = self.inputs.device
        task = torch.randint(len(self.inputs), (tasks,), generator=generator, device=device)
        position, fraction = torch.rand((2, tasks, actions), generator=generator, device=device)
        position = (position + torch.arange(actions, device=device)) / actions  # stratified: one in each interval
        borders = (self._balanced_borders if balanced else self._natural_borders)[task]
        group = torch.searchsorted(borders, position.contiguous(), right=True)
        picked = torch.stack([one.pick(task, fraction) for one in self.groups])
        number = picked.gather(0, group.unsqueeze(0)).squeeze(0)
        solved = torch.stack([group == k for k, one in enumerate(self.groups) if one.solved]).any(0).float()
        dense = None if self.dense is None else self.dense.look_up(task, number)
        return Batch(self.inputs[task], self.actions[number], solved, dense)

    def pairs(self, count: int, balanced: bool, generator: torch.Generator) -> Batch:
        """Single pairs of a task and an action, drawn from all pairs alike; if `balanced`, half of them solve."""
        device = self.inputs.device
        fraction = torch.rand((2, count), generator=generator, device=device, dtype=torch.float64)
        position = (fraction[0] + torch.arange(count, device=device)) / count
        group = torch.searchsorted(self._pair_borders[int(balanced)], position, right=True)
        drawn = zip(*(one.pick_any(fraction[1]) for one in self.groups), strict=True)
        task, number = (torch.stack(column).gather(0, group.unsqueeze(0)).squeeze(0) for column in drawn)
        solved = torch.stack([group == k for k, one in enumerate(self.groups) if one.solved]).any(0).float()
        return Batch(self.inputs[task], self.actions[number].unsqueeze(1), solved.unsqueeze(1))

    @cached_property
    def _pair_borders(self) -> Tensor:
        """float64 [2, groups - 1]: where shares of groups end, with pairs as often as they occur, and if half solve."""
        sizes = torch.tensor([one.size for one in self.groups], dtype=torch.float64)
        same = [sum(one.size for one in self.groups if one.solved == group.solved) for group in self.groups]
        return _borders(torch.stack([sizes, sizes / torch.tensor(same).clamp(min=1)])).to(self.inputs.device)

    @cached_property
    def _natural_borders(self) -> Tensor:
        """float [task, groups - 1]: where the shares of groups end, if actions are drawn as often as they occur."""
        return _borders(self._counts().float())

    @cached_property
    def _balanced_borders(self) -> Tensor:
        """The same if half of the actions solve, for tasks that have solutions; groups of an outcome share its half."""
        counts = self._counts()
        shares = torch.zeros_like(counts, dtype=torch.float32)
        for solved in (True, False):
            columns = [k for k, one in enumerate(self.groups) if one.solved == solved]
            present = (counts[:, columns] > 0).float()
            shares[:, columns] = present / present.sum(1, keepdim=True).clamp(min=1.0)
        return _borders(shares)

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


def _borders(shares: Tensor) -> Tensor:
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
    tasks, statuses = (
        [task for part in parts for task in part.tasks],
        _stacked_statuses(*(part.random for part in parts)),
    )
    usable = _usable_rows(statuses)
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


def _usable_rows(statuses: np.ndarray) -> list[int]:
    """The rows of tasks with a valid action, by statuses [task, action]."""
    rows: list[int] = np.flatnonzero((statuses != INVALID).any(axis=1)).tolist()
    return rows


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
