"""An ensemble: networks of the same shape that differ in their first weights and in what they were trained on."""

from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn

from tumble.phyre.agents.network import QNetwork
from tumble.phyre.simulation.dense_outcomes import CLOSENESS

Features = list[Tensor]
"""Of tasks, by each member."""


class Ensemble(nn.Module):
    """Scores an action by the mean of its members' logits."""

    def __init__(self, members: Iterable[QNetwork]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    @property
    def networks(self) -> list[QNetwork]:
        return cast(list[QNetwork], list(self.members))

    @property
    def has_scouts(self) -> bool:
        return self.networks[0].scout is not None

    def drop_scouts(self) -> None:
        for network in self.networks:
            network.scout = None

    def encode(self, pictures: Tensor) -> Features:
        """The features of pictures, as in `planes_of`."""
        return [network.encode(pictures) for network in self.networks]

    def score(self, features: Features, actions: Tensor, closeness: float = 0.0) -> Tensor:
        """Mean logits [k] of actions [k, numbers], as `QNetwork.score`.

        To each, the closeness of the goal's bodies that the network predicts is added, times a weight.
        """
        each = zip(self.networks, features, strict=True)
        if closeness:
            return self._mean([_with_closeness(one, own, actions, closeness) for one, own in each])
        return self._mean([one.score(own, actions) for one, own in each])

    def prerank(self, features: Features, actions: Tensor) -> Tensor:
        """Mean logits of the scouts; only if it `has_scouts`."""
        return self._mean([one.prerank(own, actions) for one, own in zip(self.networks, features, strict=True)])

    def _mean(self, logits: list[Tensor]) -> Tensor:
        return torch.stack(logits).mean(0)


def _with_closeness(network: QNetwork, features: Tensor, actions: Tensor, weight: float) -> Tensor:
    logits, dense = network.score_and_dense(features, actions)
    return logits + weight * dense[:, CLOSENESS].sigmoid()
