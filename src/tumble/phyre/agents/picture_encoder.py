"""The encoder of pictures that the bandit and the policies share: that of DQN's network, up to its global features."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.learning.resnet import ResNet18
from tumble.phyre.agents.network import SIDE
from tumble.phyre.observation.view import COLOURS


class PictureEncoder(nn.Module):
    """Features [n, channels] of pictures, uint8 [n, 256, 256]: those of a ResNet-18, max-pooled over the picture.

    `side` is the size to which pictures are averaged down, `width` scales the number of channels.
    """

    def __init__(self, side: int = 128, width: float = 1.0) -> None:
        super().__init__()
        self._pooling = SIDE // side
        self.resnet = ResNet18(COLOURS, width)
        self.channels = self.resnet.channels

    def forward(self, pictures: Tensor) -> Tensor:
        colours = torch.arange(COLOURS, device=pictures.device, dtype=torch.uint8).view(1, -1, 1, 1)
        planes = (pictures.unsqueeze(1) == colours).float()
        x = functional.avg_pool2d(planes, self._pooling).contiguous(memory_format=torch.channels_last)
        features: Tensor = self.resnet(x)
        return features.amax((2, 3)).float()
