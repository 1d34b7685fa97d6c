"""The perceiver's network: features of a picture at a quarter of its resolution, and what it says of each body.

A U-shaped convolutional network gives features for cells of 4 x 4 pixels. From them a heat map of the centres of bodies
and masks are computed everywhere; all else about a body only at its cell, from the features of 5 x 5 cells around it.
"""

import copy
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.learning.networks import full_precision

WIDTH, HEIGHT = 240, 160
"""Of the pictures, in pixels."""
CELL = 4
"""Pixels along each side of a cell."""
COLUMNS, ROWS = WIDTH // CELL, HEIGHT // CELL
PATCH = 5
"""Cells along each side of what is known of a body."""
HEAT_BIAS = -4.0
"""Of the heat map at first: centres are rare."""


@dataclass(frozen=True, eq=False)
class DenseOutput:
    """What the network says of a picture's cells and pixels."""

    features: Tensor
    """[frame, channel, ROWS, COLUMNS]."""
    heat: Tensor
    """[frame, ROWS, COLUMNS]: logits of a centre of a body."""
    foreground: Tensor
    """[frame, HEIGHT, WIDTH]: logits of a body at a pixel."""
    to_centre: Tensor
    """[frame, 2, ROWS, COLUMNS]: from the middle of a cell to the centre of the body there, x and y in cells."""


@dataclass(frozen=True, eq=False)
class BodyOutput:
    """What the network says of bodies at given cells."""

    offset: Tensor
    """[body, 2]: from the middle of the cell to the centre of the body, x and y in cells."""
    log_error: Tensor
    """[body]: logarithm of the standard error of the centre's coordinates, in pixels."""
    box: Tensor
    """[body, 4]: from the middle of the cell to the left, top, right and bottom of the visible part, in cells."""
    yaw: Tensor
    """[body, 2]: cosine and sine of the yaw times the shape's FOLDS (four for a cube), relative to the direction of
    view."""
    color: Tensor
    """[body, color]: logits."""
    material: Tensor
    """[body, material]: logits."""
    shape: Tensor
    """[body, shape]: logits."""


def body_fields(world: ObjectWorld) -> dict[str, int]:
    """What is said of a body, and by how many numbers."""
    looks = {"color": len(world.colors), "material": len(world.materials), "shape": len(world.shapes)}
    return {"offset": 2, "log_error": 1, "box": 4, "yaw": 2, **looks}


def nearest_cells(cells: Tensor) -> Tensor:
    """int64 [..., 2]: the cells of the picture nearest to cells (column and row) that may be outside of it."""
    return torch.stack([cells[..., 0].clamp(0, COLUMNS - 1), cells[..., 1].clamp(0, ROWS - 1)], dim=-1)


class ConvNorm(nn.Module):
    """A convolution, batch normalisation and, if wanted, ReLU."""

    def __init__(self, inputs: int, outputs: int, size: int = 3, stride: int = 1, relu: bool = True) -> None:
        super().__init__()
        self.conv: nn.Module = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
        self.norm: nn.Module = nn.BatchNorm2d(outputs)
        self.relu = relu

    def forward(self, values: Tensor) -> Tensor:
        values = self.norm(self.conv(values))
        return values.relu_() if self.relu else values

    def fuse(self) -> None:
        """Puts the normalisation into the convolution's weights; the network must be in evaluation mode."""
        assert isinstance(self.conv, nn.Conv2d)
        assert isinstance(self.norm, nn.BatchNorm2d)
        self.conv, self.norm = fuse_conv_bn_eval(self.conv, self.norm), nn.Identity()


class Block(nn.Module):
    """Two convolutions with a residual connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = ConvNorm(width, width), ConvNorm(width, width, relu=False)

    def forward(self, values: Tensor) -> Tensor:
        result: Tensor = self.second(self.first(values)) + values
        return result.relu_()


class PerceiverNetwork(nn.Module):
    """The network; `widths` are the channels at strides 4, 8, 16 and 32."""

    def __init__(
        self, stem: int, widths: tuple[int, ...], features: int, hidden: int, world: ObjectWorld = PLAIN
    ) -> None:
        super().__init__()
        self.world, self.fields = world, body_fields(world)
        self.stem = nn.Sequential(ConvNorm(12, stem), ConvNorm(stem, widths[0], stride=2))
        self.blocks = nn.ModuleList(Block(width) for width in widths)
        pairs = list(pairwise(widths))
        self.down = nn.ModuleList(ConvNorm(fine, coarse, stride=2) for fine, coarse in pairs)
        self.lateral = nn.ModuleList(ConvNorm(coarse, fine, 1, relu=False) for fine, coarse in pairs)
        outputs = (features, *widths[1:-1])
        self.up = nn.ModuleList(ConvNorm(width, output) for width, output in zip(widths[:-1], outputs, strict=True))
        self.dense = nn.Conv2d(features, 3 + CELL * CELL, 1)
        assert self.dense.bias is not None
        nn.init.constant_(self.dense.bias[:1], HEAT_BIAS)
        # The cell's row and column are given too: how a body looks depends on where it is.
        self.head = nn.Sequential(
            nn.Linear(features * PATCH * PATCH + 2, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, sum(self.fields.values())),
        )

    def forward(self, pictures: Tensor) -> DenseOutput:
        """Dense outputs for pictures [frame, 3, HEIGHT, WIDTH] with values from 0 to 1."""
        values = functional.pixel_unshuffle((pictures - 0.5) * 4.0, 2)
        values = self.stem(values.contiguous(memory_format=torch.channels_last))
        levels = []
        for k, block in enumerate(self.blocks):
            values = block(self.down[k - 1](values) if k else values)
            levels.append(values)
        for k in reversed(range(len(self.up))):
            coarse = self.lateral[k](values)
            values = functional.interpolate(coarse, levels[k].shape[-2:], mode="nearest")
            values = self.up[k]((values + levels[k]).relu_())
        dense = self.dense(values)
        foreground = functional.pixel_shuffle(dense[:, 3:], CELL)[:, 0]
        return DenseOutput(values, dense[:, 0], foreground, dense[:, 1:3])

    def bodies(self, features: Tensor, frames: Tensor, cells: Tensor) -> BodyOutput:
        """What the network says of bodies at cells [body, 2] (column and row) of frames [body]."""
        return self.described(self.body_vectors(features, frames, cells))

    def body_vectors(self, features: Tensor, frames: Tensor, cells: Tensor) -> Tensor:
        """[body, hidden]: the last hidden layer for bodies at cells [body, 2] (column and row) of frames [body]."""
        margin = PATCH // 2
        padded = functional.pad(features, (margin,) * 4).permute(0, 2, 3, 1)
        steps = torch.arange(PATCH, device=features.device)
        rows, columns = cells[:, 1, None, None] + steps[:, None], cells[:, 0, None, None] + steps
        patches = padded[frames[:, None, None], rows, columns].flatten(1)
        with full_precision(features.device):
            places = torch.stack([cells[:, 0] / COLUMNS - 0.5, cells[:, 1] / ROWS - 0.5], dim=1)
            vectors: Tensor = self.head[:-1](torch.cat([patches.float(), places], dim=1))
        return vectors

    def described(self, vectors: Tensor) -> BodyOutput:
        """What the network says of bodies with these vectors."""
        with full_precision(vectors.device):
            values = self.head[-1](vectors)
        parts = dict(zip(self.fields, values.split(list(self.fields.values()), dim=1), strict=True))
        parts["log_error"] = parts["log_error"][:, 0]
        return BodyOutput(**parts)

    def fused(self) -> "PerceiverNetwork":
        """A copy for use after training, with batch normalisation inside the convolutions."""
        result = channels_last(copy.deepcopy(self).eval())
        for module in result.modules():
            if isinstance(module, ConvNorm):
                module.fuse()
        result.requires_grad_(False)
        return result


def channels_last(network: PerceiverNetwork) -> PerceiverNetwork:
    """The network with its weights in the order of memory in which convolutions are fastest."""
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network
