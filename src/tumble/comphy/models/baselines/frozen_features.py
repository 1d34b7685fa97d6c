"""Features of frames from the perceiver's network, which stay as they are: in place of a network trained on ImageNet.

The published baselines take features from a network that was trained to classify photographs; no such weights can be
had here. The perceiver was trained with labels (masks, places and looks of bodies in rendered frames), and knows
nothing of questions, motion or properties. Frames are encoded once, before training.
"""

from abc import abstractmethod
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.baselines.frame_bank import Pictures
from tumble.comphy.models.baselines.frame_encoder import CONTRAST, Videos
from tumble.comphy.models.baselines.tracks import link_peaks
from tumble.comphy.models.perceiver.network import CELL, COLUMNS, HEIGHT, ROWS, WIDTH, DenseOutput
from tumble.comphy.models.perceiver.training import NAME, PerceiverConfig
from tumble.comphy.models.shipped import checkpoint_path
from tumble.learning.errors import TrainingError
from tumble.learning.trainer import load_network

PART = {"cpu": 16, "cuda": 512}
"""Frames that are encoded together."""
PEAKS = 6
"""Cells of a frame with the highest scores of a body's centre; sets have up to 5 bodies."""
PEAK_LOOKS = PerceiverConfig().hidden
"""Numbers about what is seen at a peak."""
GRID = 20, 30
"""Rows and columns of cells of 8 x 8 pixels."""
GRID_LOOKS = 6
"""The first channels of a cell: the share that bodies cover, the centre of the body there, and the mean colour of what
covers it."""
GRID_FEATURES = PerceiverConfig().features
GRID_CHANNELS = GRID_LOOKS + GRID_FEATURES


class FrozenFeatures(nn.Module):
    """The perceiver's network, and some cells of a frame as its features."""

    cells: int
    """Of a frame."""

    def __init__(self, world: str = PLAIN.name) -> None:
        """`world`: that of the sets, and of the perceiver."""
        super().__init__()
        self.world = world
        self.perceiver = PerceiverConfig(world=world).network().fused()

    def load(self, checkpoint: str | Path = "") -> None:
        """Takes the weights of a perceiver's checkpoint, or of the one that comes with the package."""
        path = checkpoint_path(NAME, checkpoint)
        content = load_network(path, NAME)
        config, usual = PerceiverConfig(**content["config"]), PerceiverConfig()
        if _sizes(config) != _sizes(usual):
            raise TrainingError(f"{path}: a perceiver of sizes {_sizes(config)}; the baselines need {_sizes(usual)}")
        if config.world != self.world:
            raise TrainingError(
                f"{path}: a perceiver of the {config.world} world, but the sets are of the {self.world} world; "
                "train one on them, and give it by perceiver=FILE"
            )
        network = config.network()
        network.load_state_dict(content["network"])
        self.perceiver.load_state_dict(network.fused().state_dict())

    def forward(self, pictures: Pictures) -> Videos:
        """The features of pictures of HEIGHT x WIDTH pixels."""
        references = None
        if pictures.references is not None:
            encoded = self.encode(pictures.references.flatten(0, 1)).float()
            references = encoded.view(*pictures.references.shape[:2], *encoded.shape[1:])
        return Videos(self.encode(pictures.target).float(), references)

    def encode(self, videos: Tensor) -> Tensor:
        """uint8 [video, frame, HEIGHT, WIDTH, 3] to float16 [video, frame, cell, channel]."""
        return self._cells(videos.flatten(0, 1)).view(*videos.shape[:2], self.cells, -1)

    @torch.no_grad()
    def _cells(self, frames: Tensor) -> Tensor:
        """uint8 [frame, HEIGHT, WIDTH, 3] to float16 [frame, cell, channel]."""
        self.perceiver.eval()
        on_gpu = frames.device.type == "cuda"
        parts = []
        with torch.autocast(frames.device.type, torch.float16, enabled=on_gpu):
            for part in torch.split(frames, PART[frames.device.type]):
                pictures = part.permute(0, 3, 1, 2).float() / 255.0
                parts.append(self.chosen_cells(pictures, self.perceiver(pictures)).clamp(-1e4, 1e4).half())
        return torch.cat(parts)

    @abstractmethod
    def chosen_cells(self, pictures: Tensor, output: DenseOutput) -> Tensor:
        """[frame, cell, channel] of pictures [frame, 3, HEIGHT, WIDTH]."""


class PeakTracks(FrozenFeatures):
    """The cells where a body's centre is most likely, linked over frames: place, and what the network knows there."""

    cells = PEAKS

    def encode(self, videos: Tensor) -> Tensor:
        """uint8 [video, frame, HEIGHT, WIDTH, 3] to float16 [video, track, channel]: packed tracks."""
        scores, places, looks = super().encode(videos).float().tensor_split([1, 3], dim=-1)
        return link_peaks(scores[..., 0], places, looks, PEAKS).packed.half()

    def chosen_cells(self, pictures: Tensor, output: DenseOutput) -> Tensor:
        heat = output.heat.float()
        highest = functional.max_pool2d(heat[:, None], 3, 1, 1)[:, 0]
        logits, places = heat.masked_fill(heat < highest, -20.0).flatten(1).topk(PEAKS, dim=1)
        cells = torch.stack([places % COLUMNS, places // COLUMNS], dim=-1)
        frames = torch.arange(len(heat), device=heat.device)[:, None].expand_as(places)
        vectors = self.perceiver.body_vectors(output.features, frames.flatten(), cells.flatten(0, 1))
        offset = self.perceiver.described(vectors).offset.view(*places.shape, 2)
        centres = (cells + 0.5 + offset.clamp(-3.0, 3.0)) * CELL * 2.0 / WIDTH
        centres = centres - torch.tensor([1.0, HEIGHT / WIDTH], device=heat.device)
        normed = functional.layer_norm(vectors, vectors.shape[-1:]).view(*places.shape, -1)
        return torch.cat([logits.sigmoid()[..., None], centres, normed], dim=-1)


class GridCells(FrozenFeatures):
    """All cells of a coarse grid: how much of them bodies cover, the colour there, and the features."""

    cells = GRID[0] * GRID[1]

    def chosen_cells(self, pictures: Tensor, output: DenseOutput) -> Tensor:
        size = HEIGHT // GRID[0]
        covered = output.foreground.float().sigmoid()[:, None]
        share = functional.avg_pool2d(covered, size)
        colors = functional.avg_pool2d(covered * pictures, size) / (share + 1e-3)
        weight = functional.avg_pool2d(covered, CELL) + 1e-3
        assert weight.shape[-2:] == (ROWS, COLUMNS)
        features = functional.layer_norm(output.features.float().movedim(1, -1), (GRID_FEATURES,)).movedim(-1, 1)
        features = _pooled(features, weight)
        shown = share > 0.02
        centers = _pooled(_centers(output.to_centre.float()), weight)
        looks = torch.cat([share, centers * shown, (colors - 0.5) * CONTRAST * shown], dim=1)
        return torch.cat([looks, features], dim=1).flatten(2).transpose(1, 2)


def _pooled(values: Tensor, weight: Tensor) -> Tensor:
    """Weighted means over the cells of the grid, of values [frame, channel, ROWS, COLUMNS]."""
    total = functional.interpolate(weight * values, GRID, mode="area")
    return total / functional.interpolate(weight, GRID, mode="area")


def _centers(to_centre: Tensor) -> Tensor:
    """float [frame, 2, ROWS, COLUMNS]: the centre of the body in each cell; x is from -1 to 1, y has the same scale."""
    rows, columns = (torch.arange(count, device=to_centre.device) + 0.5 for count in (ROWS, COLUMNS))
    middles = torch.stack([columns.repeat(ROWS, 1), rows[:, None].expand(-1, COLUMNS)])
    border = torch.tensor([1.0, HEIGHT / WIDTH], device=to_centre.device)[:, None, None]
    return (middles + to_centre) * CELL * 2.0 / WIDTH - border


def _sizes(config: PerceiverConfig) -> tuple[tuple[int, ...], ...]:
    return (config.stem,), tuple(config.widths), (config.features,), (config.hidden,)
