"""A small residual network from frames to feature maps, trained from scratch: no pretrained weights are used."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tumble.comphy.models.baselines.frame_bank import Pictures

CONTRAST = 3.0
"""Differences to the empty table are multiplied by this, so that their spread is about 1."""
VISIBLE = 0.06 * CONTRAST
"""A cell whose channels differ from the table by this at most counts as half an object's."""
STRIDE = 8
"""Pixels of a picture per cell of its feature map, in both directions."""


@dataclass(frozen=True, eq=False)
class Videos:
    """Frames of a batch of sets as differences to the empty table, which is 0, or as features of cells."""

    target: Tensor
    """float [set, frame, 3, height, width] or [set, frame, cell, channel]."""
    references: Tensor | None
    """float [set, reference, frame, 3, height, width] or [set, reference, frame, cell, channel]."""


class TableRemoval(nn.Module):
    """Subtracts the picture of the empty table, which is the same in all videos."""

    background: Tensor

    def __init__(self, height: int, width: int) -> None:
        super().__init__()
        self.register_buffer("background", torch.zeros(3, height, width))

    def forward(self, pictures: Pictures) -> Videos:
        """The videos of pictures."""
        references = None if pictures.references is None else self._difference(pictures.references)
        return Videos(self._difference(pictures.target), references)

    def _difference(self, frames: Tensor) -> Tensor:
        channels = frames.movedim(-1, -3).to(self.background.dtype) / 255.0
        return (channels - self.background) * CONTRAST


def visibility(difference: Tensor) -> Tensor:
    """A weight from 0 to 1, which grows with the largest difference of a pixel's or cell's channels to the table."""
    return torch.sigmoid(6.0 * (difference / VISIBLE - 1.0))


class FrameEncoder(nn.Module):
    """Frames, each with its change since the frame before, to feature maps."""

    def __init__(self, width: int) -> None:
        """`width`: channels of the feature maps."""
        super().__init__()
        quarter, half = width // 4, width // 2
        self.layers = nn.Sequential(
            nn.Conv2d(6, quarter, 5, 2, 2, bias=False),
            nn.BatchNorm2d(quarter),
            nn.ReLU(inplace=True),
            ResidualBlock(quarter, half, 2),
            ResidualBlock(half, half, 1),
            ResidualBlock(half, width, 2),
            ResidualBlock(width, width, 1),
        )

    def forward(self, frames: Tensor) -> Tensor:
        """[..., frame, 3, height, width] to [..., frame, channel, height / 8, width / 8]."""
        with_change = frames_with_change(frames)
        flat = with_change.flatten(0, -4).contiguous(memory_format=torch.channels_last)
        features = self.layers(flat)
        return features.view(*frames.shape[:-3], *features.shape[1:])  # type: ignore[no-any-return]


def frames_with_change(frames: Tensor) -> Tensor:
    """[..., frame, 6, height, width]: frames and their change since the frame before; the first one has none."""
    before = torch.cat([frames[..., :1, :, :, :], frames[..., :-1, :, :, :]], dim=-4)
    return torch.cat([frames, frames - before], dim=-3)


class ResidualBlock(nn.Module):
    """Two convolutions around which the input is added."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)])
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, values: Tensor) -> Tensor:
        """[frame, channel, height, width]."""
        hidden = torch.relu(self.norms[0](self.first(values)))
        return torch.relu(self.norms[1](self.second(hidden)) + self.shortcut(values))


class FrameVectors(nn.Module):
    """One vector for each frame: its feature map, pooled to a few cells, through a linear layer."""

    CELLS = (3, 4)

    def __init__(self, channels: int, width: int, dropout: float) -> None:
        super().__init__()
        self.encoder = FrameEncoder(channels)
        self.pool = nn.AdaptiveAvgPool2d(self.CELLS)
        inputs = channels * self.CELLS[0] * self.CELLS[1]
        self.project = nn.Sequential(nn.Dropout(dropout), nn.Linear(inputs, width), nn.ReLU())

    def forward(self, frames: Tensor) -> Tensor:
        """[..., frame, 3, height, width] to [..., frame, width]."""
        features = self.encoder(frames)
        pooled = self.pool(features.flatten(0, -4))
        return self.project(pooled.flatten(1)).view(*frames.shape[:-3], -1)  # type: ignore[no-any-return]
