"""Predicts whether a solution of a training task that is carried over to a task of another template solves it.

A few small networks on the features of `carried_features.py`, trained on outcomes between training templates. How many
of a task's actions solve differs much between tasks and is of no use in choosing among them, so each task's share is
given: the networks learn what is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.phyre.agents.carried import Carried
from tumble.phyre.agents.carried_features import features_of
from tumble.phyre.tasks.task import Task
from tumble.progress import Advance, bar

MEMBERS = 3
UNITS = 32
UPDATES = 400
BATCH_SIZE = 4096
LEARNING_RATE = 5e-3
LEAST_SHARE, LARGEST_SHARE = 0.003, 0.9
"""Of a task's actions that solve it, as it is given."""
LARGEST_FEATURE = 4.0
"""In standard deviations."""


@dataclass(frozen=True)
class Outcomes:
    """Solutions that were carried over to a task, and which of them solve it."""

    task: Task
    carried: Carried
    solved: np.ndarray
    """bool [n]."""


@dataclass(frozen=True)
class TransferModel:
    """The mean of some networks."""

    mean: np.ndarray
    scale: np.ndarray
    networks: tuple[nn.Module, ...]

    @torch.inference_mode()
    def log_odds(self, task: Task, carried: Carried) -> np.ndarray:
        """float [n]: how much more likely each action is to solve the task than others, as log odds."""
        if not len(carried):
            return np.zeros(0)
        values = _standardised(features_of(task, carried), self.mean, self.scale)
        return np.asarray(torch.stack([network(values)[:, 0] for network in self.networks]).mean(0).double())


def fitted(outcomes: Sequence[Outcomes], seed: int) -> TransferModel | None:
    """A model of outcomes on training tasks; None if there are none to learn from."""
    if not any(one.solved.any() for one in outcomes):
        return None
    table = np.concatenate([features_of(one.task, one.carried) for one in outcomes if len(one.carried)])
    mean, scale = table.mean(axis=0), table.std(axis=0) + 1e-6
    values = _standardised(table, mean, scale)
    shares = [np.full(len(one.solved), one.solved.mean()) for one in outcomes if len(one.solved)]
    given = torch.logit(torch.tensor(np.concatenate(shares)).clamp(LEAST_SHARE, LARGEST_SHARE).float())
    solved = torch.tensor(np.concatenate([one.solved for one in outcomes])).float()
    with bar("Training the transfer model", MEMBERS * UPDATES) as advance:
        networks = tuple(_trained(values, given, solved, seed + k, advance) for k in range(MEMBERS))
    return TransferModel(mean, scale, networks)


def _standardised(table: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> Tensor:
    return torch.tensor((table - mean) / scale).clamp(-LARGEST_FEATURE, LARGEST_FEATURE).float()


def _trained(values: Tensor, given: Tensor, solved: Tensor, seed: int, advance: Advance) -> nn.Module:
    """A network that is added to the log odds that are given."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = nn.Sequential(nn.Linear(values.shape[1], UNITS), nn.ReLU(), nn.Linear(UNITS, 1))
        optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE)
        for _ in range(UPDATES):
            rows = torch.randint(len(values), (BATCH_SIZE,))
            scores = given[rows] + network(values[rows])[:, 0]
            loss = functional.binary_cross_entropy_with_logits(scores, solved[rows])
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            advance(1)
    return network.eval()
