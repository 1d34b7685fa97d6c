"""A policy over continuous actions, given the picture of a task: a mixture of normal distributions in the unit cube.

Its points u are in all of space; an action is their logistic function. Each component starts at a random place with a
wide spread, the same for all pictures, so that the first actions cover the scene.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.learning import hardware
from tumble.phyre.agents.picture_encoder import PictureEncoder

UNITS = 256
"""Of the hidden layer."""
FIRST_SPREAD = -0.4
"""The logarithm of the standard deviations before training."""
SPREADS = (-3.5, 0.5)
"""The smallest and largest logarithm of a standard deviation."""


@dataclass(frozen=True)
class Mixture:
    """A mixture of normal distributions for each of n pictures."""

    logits: Tensor
    """[n, components]."""
    mean: Tensor
    """[n, components, numbers]."""
    log_spread: Tensor
    """[n, components, numbers]: logarithms of standard deviations."""

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Points [n, count, numbers]."""
        chosen = torch.multinomial(self.logits.softmax(1), count, replacement=True, generator=generator)
        index = chosen.unsqueeze(2).expand(-1, -1, self.mean.shape[2])
        mean, spread = self.mean.gather(1, index), self.log_spread.gather(1, index).exp()
        return mean + spread * torch.randn(mean.shape, generator=generator, device=mean.device)

    def log_density(self, points: Tensor) -> Tensor:
        """[n, m]: of points [n, m, numbers], up to a constant."""
        z = (points.unsqueeze(2) - self.mean.unsqueeze(1)) * (-self.log_spread).exp().unsqueeze(1)
        each = (-0.5 * z.square() - self.log_spread.unsqueeze(1)).sum(3)
        return torch.logsumexp(self.logits.log_softmax(1).unsqueeze(1) + each, dim=2)

    def cpu(self) -> "Mixture":
        return Mixture(self.logits.cpu(), self.mean.cpu(), self.log_spread.cpu())


def log_volume(points: Tensor) -> Tensor:
    """[n, m]: the logarithm of the volume of actions that a unit of volume at points [n, m, numbers] becomes."""
    return (functional.logsigmoid(points) + functional.logsigmoid(-points)).sum(2)


class PolicyNetwork(nn.Module):
    """The mixture of each picture."""

    def __init__(self, numbers: int, components: int, width: float) -> None:
        super().__init__()
        self.encoder = PictureEncoder(width)
        self.hidden = nn.Linear(self.encoder.channels, UNITS)
        self.output = nn.Linear(UNITS, components * (1 + 2 * numbers))
        self._shape = (components, 1 + 2 * numbers)
        with torch.no_grad():
            self.output.weight.mul_(0.1)
            bias = self.output.bias.view(self._shape)
            bias[:, 0] = 0.0
            bias[:, 1 : 1 + numbers] = torch.logit(0.1 + 0.8 * torch.rand(components, numbers))
            bias[:, 1 + numbers :] = FIRST_SPREAD

    def forward(self, pictures: Tensor) -> Mixture:
        """The mixtures of pictures, as in `planes_of`."""
        with hardware.mixed_precision(pictures.device):
            features = self.encoder(pictures)
        with hardware.full_precision(pictures.device):
            values = self.output(functional.relu(self.hidden(features))).view(-1, *self._shape)
        mean, log_spread = values[..., 1:].chunk(2, dim=2)
        return Mixture(values[..., 0], mean, log_spread.clamp(*SPREADS))
