"""Training data of a network: which actions solve tasks and which fail, and batches drawn from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import AttemptedAction
from tumble.phyre.agents.dense_table import DenseTable, dense_table
from tumble.phyre.agents.mirror import flipped, flipped_actions
from tumble.phyre.generation.dense_pool import DensePool
from tumble.phyre.generation.mining import MinedActions
from tumble.phyre.generation.swept_mutations import SweptMutations
from tumble.phyre.generation.training_pool import TrainingPool
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS


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


def _borders(shares: Tensor) -> Tensor:
    """Where the shares of groups [task, group] end, as fractions, but for the last."""
    return (shares / shares.sum(1, keepdim=True)).cumsum(1)[:, :-1].contiguous()


def mirrored(batch: Batch, generator: torch.Generator) -> Batch:
    """The batch with about half of its tasks mirrored, left to right, and their actions with them."""
    flip = torch.rand(len(batch.inputs), generator=generator, device=batch.inputs.device) < 0.5
    return Batch(flipped(batch.inputs, flip), flipped_actions(batch.actions, flip), batch.solved, batch.dense)


def label_actions(
    tasks: Sequence[Task],
    simulator: Simulator,
    count: int,
    see: Callable[[Sequence[Task]], Tensor],
    mined: MinedActions | None = None,
    mutations: SweptMutations | None = None,
) -> LabelledActions:
    """The outcomes of the first `count` random actions on tasks, of mined actions, and of some on mutations.

    `see` gives what the network sees of tasks, on its device.
    """
    actions = action_set(simulator.tier, count)
    statuses = simulator.sweep(actions, [task.id for task in tasks])
    if mutations is not None:
        tasks, statuses = [*tasks, *mutations.tasks], _stacked(statuses, mutations.statuses)
    return _labelled(tasks, actions, statuses, mined, see)


def label_pool(
    pool: TrainingPool, see: Callable[[Sequence[Task]], Tensor], dense: DensePool | None = None
) -> LabelledActions:
    """What a training pool has of tasks and mutations, with their dense outcomes if these are given."""
    parts = (pool.of_tasks, pool.of_mutations)
    tasks = [task for part in parts for task in part.tasks]
    statuses = _stacked(*(part.random for part in parts))
    actions = action_set(TIERS[tasks[0].tier], statuses.shape[1])
    varied = parts[0].labelled_variations()
    if parts[1].tasks:
        varied = varied.joined(parts[1].labelled_variations())
    labelled = _labelled(tasks, actions, statuses, varied, see)
    if dense is None:
        return labelled
    return replace(labelled, dense=dense_table(pool, dense, _usable(statuses), labelled.inputs.device))


def _stacked(statuses: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Rows of statuses, then others, of which fewer actions may have been tried."""
    filled = np.full((len(others), statuses.shape[1]), INVALID, np.int8)
    tried = min(statuses.shape[1], others.shape[1])
    filled[:, :tried] = others[:, :tried]
    return np.concatenate([statuses, filled])


def _labelled(
    tasks: Sequence[Task],
    actions: np.ndarray,
    statuses: np.ndarray,
    mined: MinedActions | None,
    see: Callable[[Sequence[Task]], Tensor],
) -> LabelledActions:
    """The statuses [task, action] of actions on tasks, and mined actions."""
    usable = _usable(statuses)
    if not usable:
        raise AgentError(f"there is nothing to learn from {len(tasks)} tasks: none has a valid action")
    usable_tasks = [tasks[k] for k in usable]
    inputs = see(usable_tasks)
    device = inputs.device
    table, groups = [actions], _groups(statuses[usable], device)
    if mined is not None:
        row_of = {task.id: row for row, task in enumerate(usable_tasks)}
        rows = np.array([row_of.get(task_id, -1) for task_id in mined.task_ids.tolist()], int)
        table.append(mined.actions)
        numbers = len(actions) + np.arange(len(rows))
        for solved in (True, False):
            members = (rows >= 0) & (mined.solved == solved)
            groups += (_group(rows[members], numbers[members], len(usable_tasks), solved, device),)
    all_actions = torch.tensor(np.concatenate(table), dtype=torch.float32, device=device)
    return LabelledActions(inputs, all_actions, groups)


def _usable(statuses: np.ndarray) -> list[int]:
    """The rows of tasks with a valid action, by statuses [task, action]."""
    rows: list[int] = np.flatnonzero((statuses != INVALID).any(axis=1)).tolist()
    return rows


def label_attempts(
    task: Task, past: Sequence[AttemptedAction], see: Callable[[Sequence[Task]], Tensor]
) -> LabelledActions:
    """The outcomes of the attempts at a task."""
    inputs = see([task])
    statuses = np.array([[SOLVED if attempted.solved else NOT_SOLVED for attempted in past]])
    actions = np.array([attempted.action for attempted in past])
    table = torch.tensor(actions, dtype=torch.float32, device=inputs.device)
    return LabelledActions(inputs, table, _groups(statuses, inputs.device))


def _groups(statuses: np.ndarray, device: torch.device) -> tuple[OutcomeGroup, ...]:
    """The actions that solve and those that fail, by statuses [task, action]."""
    groups = []
    for status in (SOLVED, NOT_SOLVED):
        rows, numbers = np.nonzero(statuses == status)
        groups.append(_group(rows, numbers, len(statuses), status == SOLVED, device))
    return tuple(groups)


def _group(rows: np.ndarray, numbers: np.ndarray, tasks: int, solved: bool, device: torch.device) -> OutcomeGroup:
    """A group from the numbers [n] of actions and the rows [n] of their tasks."""
    ordered = numbers[np.argsort(rows, kind="stable")].astype(np.int32)
    padded = np.append(ordered, np.int32(0))  # so that a lookup never fails
    count = torch.from_numpy(np.bincount(rows, minlength=tasks)).to(device)
    return OutcomeGroup(solved, torch.from_numpy(padded).to(device), count.cumsum(0) - count, count)
