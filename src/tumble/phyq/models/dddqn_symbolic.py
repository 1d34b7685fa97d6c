"""D-DDQN on the symbolic tensor: the 12 kinds of objects squeezed to one plane, and dense layers (paper, appendix)."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.phyq.models.heads import DuelingHead
from tumble.phyq.models.q_config import QConfig
from tumble.phyq.models.state_pictures import COLUMNS, OBSERVATIONS, ROWS


@dataclass(frozen=True)
class DddqnSymbolicConfig(QConfig):
    """Settings of D-DDQN on the symbolic tensor; the published agents did not see platforms."""

    platforms: bool = False
    first_units: int = 512
    """Of the dense layer over the plane."""
    second_units: int = 256
    head_units: int = 128
    """Of each stream of the dueling head."""
    batch_mean: bool = False
    """Whether the mean advantage is that of the whole batch, as in the released code."""

    observation = "symbolic"
    bfloat16 = False
    stacked = True

    def network(self) -> "DddqnSymbolic":
        return DddqnSymbolic(self.first_units, self.second_units, self.head_units, self.batch_mean)


class DddqnSymbolic(nn.Module):
    """Q values [n, 180] of symbolic tensors [n, 12, 120, 160]."""

    def __init__(self, first_units: int, second_units: int, head_units: int, batch_mean: bool = False) -> None:
        super().__init__()
        self.squeeze = nn.Linear(OBSERVATIONS["symbolic"], 1)
        self.plane_norm = nn.LayerNorm([ROWS, COLUMNS])
        self.first = nn.Linear(ROWS * COLUMNS, first_units)
        self.first_norm = nn.LayerNorm(first_units)
        self.second = nn.Linear(first_units, second_units)
        self.second_norm = nn.LayerNorm(second_units)
        self.head = DuelingHead(second_units, head_units, batch_mean)

    def forward(self, x: Tensor) -> Tensor:
        weights = self.squeeze.weight.expand(len(x), 1, -1)
        plane = (torch.bmm(weights, x.flatten(2)) + self.squeeze.bias).view(len(x), ROWS, COLUMNS)
        features = self.plane_norm(functional.leaky_relu(plane)).flatten(1)
        features = self.first_norm(functional.leaky_relu(self.first(features)))
        features = self.second_norm(functional.leaky_relu(self.second(features)))
        values: Tensor = self.head(features)
        return values
