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
    """The dense outcomes of a table of actions: of the first ones on every task, of each of the others on its task."""

    shared: Tensor
    """uint8 [task, action, number]."""
    own: Tensor
    """uint8 [action, number]."""

    def look_up(self, task: Tensor, number: Tensor) -> Tensor:
        """uint8 [n, m, number] of actions, by their numbers [n, m] in the table, on tasks [n]."""
        count = self.shared.shape[1]
        shared = self.shared[task.unsqueeze(1), number.clamp(max=count - 1)]
        if not len(self.own):
            return shared
        own = self.own[(number - count).clamp(min=0)]
        return torch.where((number < count).unsqueeze(2), shared, own)


def dense_table(pool: TrainingPool, dense: DensePool, usable: list[int], device: torch.device) -> DenseTable:
    """The dense outcomes of a pool: of random actions on its usable tasks and mutations, and of valid variations."""
    parts = ((pool.of_tasks, dense.of_tasks), (pool.of_mutations, dense.of_mutations))
    shared = [own.random for _, own in parts]
    most = shared[0].shape[1]
    filled = np.full((len(usable), most, shared[0].shape[2]), MISSING, np.uint8)
    first = len(shared[0])
    for row, task in enumerate(usable):
        values = shared[0][task] if task < first else shared[1][task - first]
        filled[row, : len(values)] = values[:most]
    varied = np.concatenate([own.varied[tried.varied != INVALID] for tried, own in parts])
    return DenseTable(torch.from_numpy(filled).to(device), torch.from_numpy(varied).to(device))


def dense_loss(logits: Tensor, stored: Tensor) -> Tensor:
    """The mean cross entropy of logits [n, number] and stored dense outcomes, where these were measured; 0 if nowhere.

    What can't be avoided, the entropy of the outcomes, is left out.
    """
    is_measured = (stored != MISSING).float()
    wanted = (stored.float() / LEVELS).clamp(max=1.0)
    losses = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    losses = losses + torch.xlogy(wanted, wanted) + torch.xlogy(1.0 - wanted, 1.0 - wanted)
    return (losses * is_measured).sum() / is_measured.sum().clamp(min=1.0)
