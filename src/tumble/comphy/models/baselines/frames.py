"""Frames of all sets on the device, in other looks, and the network that makes feature maps of them.

Small pictures of evenly spaced frames are rendered once before training. Colours may be permuted and materials
swapped, in pictures, questions and answers alike: motion and properties do not depend on them, so that a set with
permuted looks is one more set; the network gets no label from that. The encoder is a small residual network, trained
from scratch on frames as differences to the empty table: no pretrained weights are used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.catalogue.world import PLAIN, REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES, ObjectWorld
from tumble.comphy.models.baselines.text import Vocabulary, answers_of
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.pictures import ChosenFrames, Placed, placed_frames
from tumble.comphy.models.data.pictures import Pictures as RenderedPictures
from tumble.comphy.questions.program import AND, canonical_answer
from tumble.progress import bar


@dataclass(frozen=True, eq=False)
class Recolouring:
    """New colours and materials of the bodies of sets, in some versions; version 0 has the true ones."""

    colors: np.ndarray
    """int [version, set, color]: indices of the new colours."""
    materials: np.ndarray
    """int [version, set, material]."""
    world: ObjectWorld = PLAIN

    @classmethod
    def draw(cls, versions: int, sets: int, seed: int, world: ObjectWorld = PLAIN) -> "Recolouring":
        """Random permutations for each version and set."""
        draws = np.random.default_rng([seed, 16])
        colors = np.tile(np.arange(len(world.colors)), (versions, sets, 1))
        materials = np.tile(np.arange(len(world.materials)), (versions, sets, 1))
        colors[1:] = draws.permuted(colors[1:], axis=-1)
        materials[1:] = draws.permuted(materials[1:], axis=-1)
        return cls(colors, materials, world)

    def recoloured(self, placed: Placed, chosen: Sequence[ChosenFrames], version: int) -> Placed:
        """Frames of sets with their new looks."""
        rows = np.repeat([one.row for one in chosen], [len(one.frames) for one in chosen])[:, None]
        looks = placed.looks.copy()
        there = looks[..., 0] >= 0
        looks[..., 0] = np.where(there, self.colors[version, rows, looks[..., 0]], looks[..., 0])
        looks[..., 1] = np.where(there, self.materials[version, rows, looks[..., 1]], looks[..., 1])
        return replace(placed, looks=looks)

    @property
    def _permuted(self) -> tuple[tuple[tuple[str, ...], np.ndarray], ...]:
        """Words and their new indices."""
        return (self.world.colors, self.colors), (self.world.materials, self.materials)

    def word_table(self, vocabulary: Vocabulary) -> np.ndarray:
        """int16 [version, set, word]: the new number of each word."""
        table = np.broadcast_to(np.arange(len(vocabulary), dtype=np.int16), (*self.colors.shape[:2], len(vocabulary)))
        table = table.copy()
        for names, news in self._permuted:
            for old, name in enumerate(names):
                if name in vocabulary.numbers:
                    numbers = np.array([vocabulary.numbers.get(other, vocabulary.numbers[name]) for other in names])
                    table[..., vocabulary.numbers[name]] = numbers[news[..., old]]
        return table

    def answer_table(self) -> np.ndarray:
        """int16 [version, set, answer]: the new index of each answer of the world."""
        answers = answers_of(self.world)
        index = {answer: k for k, answer in enumerate(answers)}
        table = np.broadcast_to(np.arange(len(answers), dtype=np.int16), (*self.colors.shape[:2], len(answers))).copy()
        for names, news in self._permuted:
            single = np.array([index[name] for name in names])
            pairs = np.array([[index[canonical_answer(one + AND + other)] for other in names] for one in names])
            for one in range(len(names)):
                table[..., single[one]] = single[news[..., one]]
                for other in range(one, len(names)):
                    table[..., pairs[one, other]] = pairs[news[..., one], news[..., other]]
        return table


RENDERED_TOGETHER = 64
"""Sets that are rendered together."""
BACKGROUND_FRAMES = 240
"""Frames whose median is the empty table."""


@dataclass(frozen=True)
class FrameCounts:
    """Numbers of frames taken from each video; no reference frames if the references are not used."""

    target: int
    reference: int


@dataclass(frozen=True, eq=False)
class BatchPictures:
    """Frames of a batch of sets."""

    target: Tensor
    """uint8 [set, frame, height, width, 3]."""
    references: Tensor | None
    """uint8 [set, reference, frame, height, width, 3]."""


@dataclass(frozen=True, eq=False)
class FrameBank:
    """Frames of all sets, or their features, in versions that differ in looks and in the time of the first frame."""

    target: Tensor
    """uint8 [version, set, frame, height, width, 3], or features [version, set, ...]."""
    references: Tensor | None
    """uint8 [version, set, reference, frame, height, width, 3], or features [version, set, reference, ...]."""

    def pictures(self, versions: Tensor, rows: Tensor) -> BatchPictures:
        """The frames of some sets, each in one version."""
        references = None if self.references is None else self.references[versions, rows]
        return BatchPictures(self.target[versions, rows], references)

    def background(self) -> Tensor:
        """float [3, height, width] from 0 to 1: the median of many frames, which is the empty table."""
        frames = self.target.flatten(0, 2)
        chosen = torch.linspace(0, len(frames) - 1, BACKGROUND_FRAMES, device=frames.device).long()
        return frames[chosen].float().median(dim=0).values.permute(2, 0, 1) / 255.0


def frame_numbers(total: int, count: int, phase: float = 0.5) -> np.ndarray:
    """int [count]: evenly spaced frames of a video of `total`; `phase` (0 to 1) shifts them by up to one interval.

    >>> frame_numbers(50, 10).tolist()
    [2, 7, 12, 17, 22, 27, 32, 37, 42, 47]
    """
    return np.asarray((np.arange(count) + phase) * total / count).astype(int).clip(0, total - 1)


def render_bank(
    sets: PackedSets,
    recolouring: Recolouring,
    counts: FrameCounts,
    size: tuple[int, int],
    device: torch.device,
    seed: int,
    encode: Callable[[Tensor], Tensor] | None = None,
    stages: int = 1,
) -> FrameBank:
    """Renders the frames of all sets at a size (width, height); version 0 has the frames that tests use.

    `encode` turns videos uint8 [video, frame, height, width, 3] into features [video, ...], kept in their place.
    In a world with stages there are `stages` different ones.
    """
    renderer = RenderedPictures(sets.world, size, device, stages)
    shape = len(recolouring.colors), len(sets)
    target, references = torch.empty(0), None
    phases = np.random.default_rng([seed, 17]).random(shape)
    phases[0] = 0.5
    parts = [(version, first) for version in range(shape[0]) for first in range(0, len(sets), RENDERED_TOGETHER)]
    with bar("Rendering frames", shape[0] * len(sets)) as advance:
        for version, first in parts:
            rows = range(first, min(first + RENDERED_TOGETHER, len(sets)))
            chosen = [
                _chosen(row, video, counts, phases[version, row])
                for video in range(1 + REFERENCE_COUNT if counts.reference else 1)
                for row in rows
            ]
            placed = recolouring.recoloured(placed_frames(sets, chosen, stages), chosen, version)
            frames = renderer.render(placed).rgb
            videos = [frames[: len(rows) * counts.target].view(len(rows), counts.target, *frames.shape[1:])]
            if counts.reference:
                videos.append(frames[len(rows) * counts.target :].view(-1, counts.reference, *frames.shape[1:]))
            kept = videos if encode is None else [encode(some) for some in videos]
            if version == first == 0:
                target = kept[0].new_empty((*shape, *kept[0].shape[1:]))
                if counts.reference:
                    references = kept[1].new_empty((*shape, REFERENCE_COUNT, *kept[1].shape[1:]))
            part = slice(rows.start, rows.stop)
            target[version, part] = kept[0]
            if references is not None:
                by_video = kept[1].view(REFERENCE_COUNT, len(rows), *kept[1].shape[1:])
                references[version, part] = by_video.transpose(0, 1)
            advance(len(rows))
    return FrameBank(target, references)


def _chosen(row: int, video: int, counts: FrameCounts, phase: float) -> ChosenFrames:
    if video == 0:
        return ChosenFrames(row, video, frame_numbers(SHOWN_FRAMES, counts.target, phase))
    return ChosenFrames(row, video, frame_numbers(REFERENCE_FRAMES, counts.reference, phase))


def pictures_of_videos(videos: Sequence[np.ndarray], counts: FrameCounts, size: tuple[int, int]) -> BatchPictures:
    """The frames of one set from its decoded videos of any size, uint8 [frame, height, width, 3], the target first."""
    target = _resized(videos[0][frame_numbers(len(videos[0]), counts.target)], size)
    if not counts.reference:
        return BatchPictures(target[None], None)
    chosen = [_resized(video[frame_numbers(len(video), counts.reference)], size) for video in videos[1:]]
    return BatchPictures(target[None], torch.stack(chosen)[None])


def _resized(frames: np.ndarray, size: tuple[int, int]) -> Tensor:
    """uint8 [frame, height, width, 3]: each new pixel is the mean of those that it covers."""
    width, height = size
    values = torch.from_numpy(np.ascontiguousarray(frames)).permute(0, 3, 1, 2).float()
    values = functional.interpolate(values, (height, width), mode="area")
    return values.round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()


CONTRAST = 3.0
"""Differences to the empty table are multiplied by this, so that their spread is about 1."""
VISIBLE = 0.06 * CONTRAST
"""A cell whose channels differ from the table by this at most counts as half an object's."""
FEATURE_STRIDE = 8
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

    def forward(self, pictures: BatchPictures) -> Videos:
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
