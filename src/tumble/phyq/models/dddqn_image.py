"""D-DDQN on small pictures: ResNet-18 from scratch, and a dueling head (paper, appendix)."""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from tumble.learning.resnet import ResNet18
from tumble.phyq.models.heads import DuelingHead
from tumble.phyq.models.picture_crop import cropped
from tumble.phyq.models.q_config import QConfig
from tumble.phyq.models.state_pictures import OBSERVATIONS


@dataclass(frozen=True)
class DddqnImageConfig(QConfig):
    """Settings of D-DDQN on pictures."""

    units: int = 128
    """Of the layer after ResNet-18, and of each stream of the dueling head."""
    width: float = 1.0
    """Share of ResNet-18's channels."""
    crop: bool = False
    """Whether only the middle 360 x 480 pixels are seen, as in the released code."""
    transposed: bool = False
    """Whether rows and columns are exchanged before, as in the released code."""
    batch_mean: bool = False
    """Whether the mean advantage is that of the whole batch, as in the released code."""

    observation = "image"

    def network(self) -> "DddqnImage":
        return DddqnImage(self.units, self.width, self.crop, self.transposed, self.batch_mean)


class DddqnImage(nn.Module):
    """Q values [n, 180] of pictures [n, 3, 120, 160] with colours from -1 to 1."""

    def __init__(
        self, units: int, width: float = 1.0, crop: bool = False, transposed: bool = False, batch_mean: bool = False
    ) -> None:
        super().__init__()
        self.crop, self.transposed = crop, transposed
        self.trunk = ResNet18(OBSERVATIONS["image"], width)
        self.first = nn.Linear(self.trunk.channels, units)
        self.head = DuelingHead(units, units, batch_mean)

    def forward(self, x: Tensor) -> Tensor:
        features = self.trunk(cropped(x, self.crop, self.transposed)).mean((2, 3))
        values: Tensor = self.head(functional.leaky_relu(self.first(features)))
        return values
