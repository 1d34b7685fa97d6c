"""What a network learns from: which actions solve training tasks and which fail, and batches drawn from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tumble.phyre.agents.agent import Try
from tumble.phyre.generation.mining import Mined
from tumble.phyre.observation import view
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.phyre.tasks.task import Task


@dataclass(frozen=True)
class Batch:
    """Some tasks with some actions of each, and what came of them."""

    pictures: Tensor
    """uint8 [tasks, 256, 256]."""
    actions: Tensor
    """float32 [tasks, actions, numbers]."""
    solved: Tensor
    """float32 [tasks, actions]: 1 where the action solves the task, 0 where it fails."""


@dataclass(frozen=True)
class Part:
    """Actions of each task that came to the same."""

    solved: bool
    numbers: Tensor
    """int32 [n]: which actions of the table, task after task."""
    first: Tensor
    """int64 [tasks]: where those of a task begin."""
    count: Tensor
    """int64 [tasks]."""

    def at(self, task: Tensor, chance: Tensor) -> Tensor:
        """The actions of tasks [n] that chances [n, m] fall on; any where a task has none."""
        index = self.first[task].unsqueeze(1) + (chance * self.count[task].unsqueeze(1)).long()
        return self.numbers[index.clamp(0, len(self.numbers) - 1)].long()


@dataclass(frozen=True)
class Labels:
    """Pictures of tasks and a table of actions, with the parts of it that solve and that fail; all on one device."""

    pictures: Tensor
    actions: Tensor
    parts: tuple[Part, ...]

    def batch(self, tasks: int, actions: int, balanced: bool, generator: torch.Generator) -> Batch:
        """Tasks drawn evenly, and actions of each; balanced, half of them solve, where the task has such at all."""
        device = self.pictures.device
        task = torch.randint(len(self.pictures), (tasks,), generator=generator, device=device)
        spread, chance = torch.rand((2, tasks, actions), generator=generator, device=device)
        spread = (spread + torch.arange(actions, device=device)) / actions  # one in each of so many equal stretches
        borders = self._shares(task, balanced).cumsum(1)[:, :-1]
        part = torch.searchsorted(borders.contiguous(), spread.contiguous(), right=True)
        number = torch.stack([one.at(task, chance) for one in self.parts]).gather(0, part.unsqueeze(0)).squeeze(0)
        solves = torch.tensor([one.solved for one in self.parts], dtype=torch.float32, device=device)
        return Batch(self.pictures[task], self.actions[number], solves[part])

    def _shares(self, task: Tensor, balanced: bool) -> Tensor:
        """How large a share of a batch each part gets in tasks [n], as [n, parts]."""
        counts = torch.stack([one.count[task] for one in self.parts], dim=1)
        if not balanced:
            return counts / counts.sum(1, keepdim=True)
        shares = torch.zeros_like(counts, dtype=torch.float32)
        for solved in (True, False):
            alike = [k for k, one in enumerate(self.parts) if one.solved == solved]
            present = (counts[:, alike] > 0).float()
            shares[:, alike] = present / present.sum(1, keepdim=True).clamp(min=1.0)
        return shares / shares.sum(1, keepdim=True)


def labels_of(
    tasks: Sequence[Task], simulator: Simulator, count: int, device: torch.device, mined: Mined | None = None
) -> Labels:
    """What the first `count` actions of the common list do on tasks, and what was mined on them beside.

    The simulator's store answers where it can.
    """
    actions = action_set(simulator.tier, count)
    statuses = simulator.sweep(actions, [task.id for task in tasks])
    tried = np.flatnonzero((statuses != INVALID).any(axis=1)).tolist()
    if not tried:
        raise ValueError(f"there is nothing to learn from {len(tasks)} tasks: none has a valid action")
    chosen = [tasks[k] for k in tried]
    table, parts = [actions], _parts(statuses[tried], device)
    if mined is not None:
        row_of = {task.id: row for row, task in enumerate(chosen)}
        rows = np.array([row_of.get(task_id, -1) for task_id in mined.task_ids], int)
        table.append(mined.actions)
        numbers = len(actions) + np.arange(len(rows))
        for solved in (True, False):
            here = (rows >= 0) & (mined.solved == solved)
            parts += (_part(rows[here], numbers[here], len(chosen), solved, device),)
    every = torch.tensor(np.concatenate(table), dtype=torch.float32, device=device)
    return Labels(pictures_of(chosen, device), every, parts)


def labels_of_tries(task: Task, past: Sequence[Try], device: torch.device) -> Labels:
    """What the attempts at a task taught."""
    statuses = np.array([[SOLVED if tried.solved else NOT_SOLVED for tried in past]])
    actions = torch.tensor(np.array([tried.action for tried in past]), dtype=torch.float32, device=device)
    return Labels(pictures_of([task], device), actions, _parts(statuses, device))


def pictures_of(tasks: Sequence[Task], device: torch.device) -> Tensor:
    """uint8 [tasks, 256, 256]: how tasks look at the start."""
    return torch.from_numpy(np.stack([view.picture(task.scene) for task in tasks])).to(device)


def _parts(statuses: np.ndarray, device: torch.device) -> tuple[Part, ...]:
    """The actions that solve and those that fail, by statuses [task, action]."""
    parts = []
    for status in (SOLVED, NOT_SOLVED):
        rows, numbers = np.nonzero(statuses == status)
        parts.append(_part(rows, numbers, len(statuses), status == SOLVED, device))
    return tuple(parts)


def _part(rows: np.ndarray, numbers: np.ndarray, tasks: int, solved: bool, device: torch.device) -> Part:
    """Actions by their numbers, each of the task of a row."""
    ordered = numbers[np.argsort(rows, kind="stable")].astype(np.int32)
    flat = np.append(ordered, np.int32(0))  # so that there is always something to look up
    count = torch.from_numpy(np.bincount(rows, minlength=tasks)).to(device)
    return Part(solved, torch.from_numpy(flat).to(device), count.cumsum(0) - count, count)
