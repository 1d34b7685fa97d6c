"""ResNet-18: the residual block, and the network without its last layer."""

from torch import Tensor, nn
from torch.nn import functional

STAGES = (64, 128, 256, 512)
"""Channels of the stages conv2 to conv5."""


class ResidualBlock(nn.Module):
    """Two convolutions whose result is added to their input."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.relu(self.first_norm(self.first(x)))
        return functional.relu(self.second_norm(self.second(inner)) + self.shortcut(x))


class ResNet18(nn.Module):
    """Features [n, 512, rows / 32, columns / 32] of pictures [n, inputs, rows, columns]; rows and columns round up.

    With a `width` below 1 it has that share of the channels, for tests and small machines.
    """

    def __init__(self, inputs: int, width: float = 1.0) -> None:
        super().__init__()
        channels = [max(1, round(count * width)) for count in STAGES]
        before = [channels[0], *channels]
        self.channels = channels[-1]
        self.stem = nn.Sequential(
            nn.Conv2d(inputs, channels[0], 7, 2, padding=3, bias=False), nn.BatchNorm2d(channels[0]), nn.ReLU()
        )
        self.stages = nn.Sequential(
            *(
                nn.Sequential(ResidualBlock(before[k], count, 1 if k == 0 else 2), ResidualBlock(count, count, 1))
                for k, count in enumerate(channels)
            )
        )
        initialise_convolutions(self)

    def forward(self, x: Tensor) -> Tensor:
        features: Tensor = self.stages(max_pool(self.stem(x)))
        return features


def initialise_convolutions(network: nn.Module) -> None:
    """Draws the weights of all convolutions as for networks with ReLU."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")


def max_pool(x: Tensor) -> Tensor:
    """2 x 2 max pooling."""
    return functional.max_pool2d(x, 2)
