"""What a network learns from: which actions solve training tasks and which fail, and batches drawn from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tumble.phyre import observe
from tumble.phyre.actions import action_set
from tumble.phyre.agents.agent import Try
from tumble.phyre.simulate import Simulator
from tumble.phyre.status import INVALID, NOT_SOLVED, SOLVED
from tumble.phyre.tasks import Task


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
class Numbers:
    """The numbers of some actions of each task, in one long row."""

    flat: Tensor
    first: Tensor
    """int64 [tasks]: where those of a task begin."""
    count: Tensor
    """int64 [tasks]."""

    def at(self, task: Tensor, place: Tensor) -> Tensor:
        """The number at a place among those of a task; anything where there is none."""
        index = self.first[task].unsqueeze(1) + place
        return self.flat[index.clamp(0, len(self.flat) - 1)].long()


@dataclass(frozen=True)
class Labels:
    """Pictures of tasks, and the actions of a set that solve and that fail each; all on one device."""

    pictures: Tensor
    actions: Tensor
    solving: Numbers
    failing: Numbers

    def batch(self, tasks: int, actions: int, balanced: bool, generator: torch.Generator) -> Batch:
        """Tasks drawn evenly, and actions of each; balanced, half of them solve, where the task has such at all."""
        device = self.pictures.device
        task = torch.randint(len(self.pictures), (tasks,), generator=generator, device=device)
        chance = torch.rand((tasks, actions), generator=generator, device=device)
        solving, failing = (numbers.count[task].unsqueeze(1) for numbers in (self.solving, self.failing))
        if balanced:
            wanted = (torch.arange(actions, device=device) < actions // 2).expand(tasks, actions)
            solved = (wanted & (solving > 0)) | (failing == 0)
            place = (chance * torch.where(solved, solving, failing)).long()
        else:
            place = (chance * (solving + failing)).long()
            solved = place < solving
            place = torch.where(solved, place, place - solving)
        number = torch.where(solved, self.solving.at(task, place), self.failing.at(task, place))
        return Batch(self.pictures[task], self.actions[number], solved.float())


def labels_of(tasks: Sequence[Task], simulator: Simulator, count: int, device: torch.device) -> Labels:
    """What the first `count` actions of the common list do on tasks; the simulator's store answers where it can."""
    actions = action_set(simulator.tier, count)
    statuses = simulator.sweep(actions, [task.id for task in tasks])
    tried = np.flatnonzero((statuses != INVALID).any(axis=1)).tolist()
    if not tried:
        raise ValueError(f"there is nothing to learn from {len(tasks)} tasks: none has a valid action")
    return Labels(
        pictures_of([tasks[k] for k in tried], device),
        torch.tensor(actions, dtype=torch.float32, device=device),
        _numbers(statuses[tried], SOLVED, device),
        _numbers(statuses[tried], NOT_SOLVED, device),
    )


def labels_of_tries(task: Task, past: Sequence[Try], device: torch.device) -> Labels:
    """What the attempts at a task taught."""
    statuses = np.array([[SOLVED if tried.solved else NOT_SOLVED for tried in past]])
    return Labels(
        pictures_of([task], device),
        torch.tensor(np.array([tried.action for tried in past]), dtype=torch.float32, device=device),
        _numbers(statuses, SOLVED, device),
        _numbers(statuses, NOT_SOLVED, device),
    )


def pictures_of(tasks: Sequence[Task], device: torch.device) -> Tensor:
    """uint8 [tasks, 256, 256]: how tasks look at the start."""
    return torch.from_numpy(np.stack([observe.picture(task.scene) for task in tasks])).to(device)


def _numbers(statuses: np.ndarray, status: int, device: torch.device) -> Numbers:
    """The actions with this status, of each task."""
    rows = [np.flatnonzero(row == status).astype(np.int32) for row in statuses]
    flat = np.concatenate([*rows, np.zeros(1, np.int32)])  # so that there is always something to look up
    count = torch.tensor([len(row) for row in rows], device=device)
    return Numbers(torch.from_numpy(flat).to(device), count.cumsum(0) - count, count)
