"""Trainings whose steps minimise the sum of some losses with AdamW: a model only gives the losses of a batch."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from tumble.learning.harness import Training, step_seed
from tumble.learning.networks import full_precision, mixed_precision


@dataclass(frozen=True)
class Optimisation:
    """How weights are updated by the losses of a step."""

    learning_rate: float = 1e-3
    """At its highest; it rises during the warm-up and then falls to 0 along a half cosine."""
    weight_decay: float = 1e-4
    warm_up: float = 0.03
    """Share of the training."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    bfloat16: bool = False
    """Whether networks run in mixed precision on a GPU."""


class LossTraining(Training):
    """A training whose steps minimise the sum of some losses with AdamW."""

    optimisation: Optimisation = Optimisation()

    @abstractmethod
    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        """The losses of a batch, of which the sum is minimised; `progress` is the share of the training that is done.

        The batch may depend on the step and the seed only. PyTorch's generators are seeded before each call.
        """

    def groups(self) -> list[dict[str, Any]]:
        """Parameters for the optimiser; a group's "scale" multiplies the learning rate."""
        return [{"params": [value for value in self.network.parameters() if value.requires_grad]}]

    def start(self, device: torch.device, seed: int) -> None:
        self._seed, self._device = seed, device
        settings = self.optimisation
        self._optimiser = torch.optim.AdamW(
            self.groups(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )

    def state(self) -> dict[str, Any]:
        return {"optimiser": self._optimiser.state_dict()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._optimiser.load_state_dict(state["optimiser"])

    def step(self, number: int, share: float) -> Mapping[str, Tensor]:
        torch.manual_seed(step_seed(self._seed, number))
        settings = self.optimisation
        rate = settings.learning_rate * _schedule(share, settings.warm_up)
        for group in self._optimiser.param_groups:
            group["lr"] = rate * group.get("scale", 1.0)
        self.network.train()
        with mixed_precision(self._device) if settings.bfloat16 else full_precision(self._device):
            losses = dict(self.losses(number, share))
        self._optimiser.zero_grad(set_to_none=True)
        total: Any = sum(losses.values())
        total.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), settings.clip)
        self._optimiser.step()
        return {name: loss.detach() for name, loss in losses.items()}


def _schedule(progress: float, warm_up: float) -> float:
    """The learning rate, relative to its highest."""
    if progress < warm_up:
        return (progress + 1e-3) / (warm_up + 1e-3)
    return 0.5 * (1.0 + math.cos(math.pi * min((progress - warm_up) / (1.0 - warm_up), 1.0)))
