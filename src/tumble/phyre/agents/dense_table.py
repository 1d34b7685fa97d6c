"""Dense outcomes as training data: a look-up by task and action, and the loss of a network that predicts them."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble.phyre.generation.dense_pool import DensePool
from tumble.phyre.generation.training_pool import TrainingPool
from tumble.phyre.simulation.dense_outcomes import LEVELS, MISSING
from tumble.phyre.simulation.status import INVALID


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
