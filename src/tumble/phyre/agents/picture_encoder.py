"""The encoder of pictures that the bandit and the policies share: that of DQN's network, up to its global features."""

from torch import Tensor, nn

from tumble.learning.resnet import ResNet18
from tumble.phyre.agents.planes import shares
from tumble.phyre.observation.view import COLOURS


class PictureEncoder(nn.Module):
    """Features [n, channels] of pictures, as in `planes_of`: those of a ResNet-18, max-pooled over the picture.

    `width` scales the number of channels.
    """

    def __init__(self, width: float = 1.0) -> None:
        super().__init__()
        self.resnet = ResNet18(COLOURS, width)
        self.channels = self.resnet.channels

    def forward(self, pictures: Tensor) -> Tensor:
        features: Tensor = self.resnet(shares(pictures))
        return features.amax((2, 3)).float()
