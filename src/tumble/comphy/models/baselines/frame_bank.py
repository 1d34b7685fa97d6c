"""Small pictures of many sets on the device: evenly spaced frames of each video, rendered once before training."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.catalogue.world import REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.models.baselines.recolouring import Recolouring
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.pictures import Pictures as RenderedPictures
from tumble.comphy.models.data.placed import ChosenFrames, placed_frames
from tumble.progress import bar

CHUNK = 64
"""Sets that are rendered together."""
BACKGROUND_FRAMES = 240
"""Frames whose median is the empty table."""


@dataclass(frozen=True)
class FrameCounts:
    """Numbers of frames taken from each video; no reference frames if the references are not used."""

    target: int
    reference: int


@dataclass(frozen=True, eq=False)
class Pictures:
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

    def pictures(self, versions: Tensor, rows: Tensor) -> Pictures:
        """The frames of some sets, each in one version."""
        references = None if self.references is None else self.references[versions, rows]
        return Pictures(self.target[versions, rows], references)

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
    parts = [(version, first) for version in range(shape[0]) for first in range(0, len(sets), CHUNK)]
    with bar("Rendering frames", shape[0] * len(sets)) as advance:
        for version, first in parts:
            rows = range(first, min(first + CHUNK, len(sets)))
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


def pictures_of_videos(videos: Sequence[np.ndarray], counts: FrameCounts, size: tuple[int, int]) -> Pictures:
    """The frames of one set from its decoded videos of any size, uint8 [frame, height, width, 3], the target first."""
    target = _resized(videos[0][frame_numbers(len(videos[0]), counts.target)], size)
    if not counts.reference:
        return Pictures(target[None], None)
    chosen = [_resized(video[frame_numbers(len(video), counts.reference)], size) for video in videos[1:]]
    return Pictures(target[None], torch.stack(chosen)[None])


def _resized(frames: np.ndarray, size: tuple[int, int]) -> Tensor:
    """uint8 [frame, height, width, 3]: each new pixel is the mean of those that it covers."""
    width, height = size
    values = torch.from_numpy(np.ascontiguousarray(frames)).permute(0, 3, 1, 2).float()
    values = functional.interpolate(values, (height, width), mode="area")
    return values.round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()
