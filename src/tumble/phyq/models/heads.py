"""The dueling head: Q = V + A - mean(A)."""

from torch import Tensor, nn

ANGLES = 180


class DuelingHead(nn.Module):
    """Q values [n, 180] of features [n, inputs], from a value and an advantage stream.

    The released code subtracts the mean of the advantages over the whole batch (`batch_mean`), not over the angles of
    each state.
    """

    def __init__(self, inputs: int, hidden: int, batch_mean: bool = False) -> None:
        super().__init__()
        self.value = _stream(inputs, hidden, 1)
        self.advantage = _stream(inputs, hidden, ANGLES)
        self.batch_mean = batch_mean

    def forward(self, features: Tensor) -> Tensor:
        advantage = self.advantage(features)
        mean = advantage.mean() if self.batch_mean else advantage.mean(-1, keepdim=True)
        values: Tensor = self.value(features) + advantage - mean
        return values


def _stream(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.LayerNorm(hidden), nn.LeakyReLU(), nn.Linear(hidden, outputs))
