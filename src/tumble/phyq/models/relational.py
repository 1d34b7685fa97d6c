"""The relational agent: attention between the 4 x 5 cells of ResNet-18's features (paper, appendix; Zambaldi et al.).

Each cell is a node: 512 features and its two coordinates. Every head adds the query and the key of a node, and a linear
layer turns the sum into attention to all nodes. The maximum of each feature over the nodes gives Q values.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.learning.resnet import ResNet18
from tumble.phyq.models.heads import ANGLES
from tumble.phyq.models.picture_crop import cropped
from tumble.phyq.models.q_config import QConfig
from tumble.phyq.models.state_pictures import OBSERVATIONS

GRID = (4, 5)
"""Rows and columns of ResNet-18's features for 120 x 160 cells."""


@dataclass(frozen=True)
class RelationalConfig(QConfig):
    """Settings of the relational agent on pictures; the published one began with pretrained weights."""

    heads: int = 4
    head_units: int = 64
    """Of queries, keys and values in each head."""
    node_units: int = 64
    """Of a node after the attention."""
    width: float = 1.0
    """Share of ResNet-18's channels."""
    crop: bool = False
    """Whether only the middle 360 x 480 pixels are seen, as in the released code."""
    transposed: bool = False
    """Whether rows and columns are exchanged before, as in the released code."""

    observation = "image"

    def network(self) -> "Relational":
        return Relational(
            OBSERVATIONS[self.observation],
            self.heads,
            self.head_units,
            self.node_units,
            self.width,
            self.crop,
            self.transposed,
        )


@dataclass(frozen=True)
class RelationalSymbolicConfig(RelationalConfig):
    """The same on the symbolic tensor, without platforms."""

    platforms: bool = False

    observation = "symbolic"


class Relational(nn.Module):
    """Q values [n, 180] of observations [n, inputs, 120, 160]."""

    def __init__(
        self,
        inputs: int,
        heads: int,
        head_units: int,
        node_units: int,
        width: float = 1.0,
        crop: bool = False,
        transposed: bool = False,
    ) -> None:
        super().__init__()
        self.crop, self.transposed = crop, transposed
        self.trunk = ResNet18(inputs, width)
        nodes, features = GRID[0] * GRID[1], self.trunk.channels + 2
        self.heads = heads
        self.queries, self.keys, self.values = (_projection(features, heads, head_units) for _ in range(3))
        self.from_queries = nn.Linear(head_units, nodes)
        self.from_keys = nn.Linear(head_units, nodes)
        self.attention = nn.Linear(nodes, nodes)
        self.node = nn.Linear(heads * head_units, node_units)
        self.node_norm = nn.LayerNorm(node_units)
        self.output = nn.Linear(node_units, ANGLES)
        rows, columns = (torch.linspace(-1.0, 1.0, size) for size in GRID)
        self.register_buffer("places", torch.cartesian_prod(rows, columns))

    def forward(self, x: Tensor) -> Tensor:
        nodes = self.trunk(cropped(x, self.crop, self.transposed)).flatten(2).transpose(1, 2)
        places: Tensor = self.places  # type: ignore[assignment]
        nodes = torch.cat([nodes, places.to(nodes.dtype).expand(len(nodes), -1, -1)], dim=-1)
        queries, keys, values = (self._by_head(part(nodes)) for part in (self.queries, self.keys, self.values))
        scores = self.attention(functional.elu(self.from_queries(queries) + self.from_keys(keys)))
        seen = torch.softmax(scores, -1) @ values
        joined = seen.transpose(1, 2).flatten(2)
        after = self.node_norm(functional.relu(self.node(joined)))
        return functional.elu(self.output(after.amax(1)))

    def _by_head(self, x: Tensor) -> Tensor:
        """[n, nodes, heads, units] as [n, heads, nodes, units]."""
        return x.transpose(1, 2)


def _projection(inputs: int, heads: int, units: int) -> nn.Sequential:
    """A layer whose output is [n, nodes, heads, units], normalised over units."""
    return nn.Sequential(nn.Linear(inputs, heads * units), nn.Unflatten(-1, (heads, units)), nn.LayerNorm(units))
