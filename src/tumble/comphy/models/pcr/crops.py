"""Crops: small pictures of each body of a set, from a few frames of the target and one of each reference.

For training they are rendered once, from packed sets, on the device; at test time they are cut from the pictures of the
videos at the boxes that the perceiver found. Both go through `cut`.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import grid_sample

from tumble.comphy.catalogue.world import REFERENCE_COUNT
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.pictures import ChosenFrames, Pictures, placed_frames
from tumble.comphy.models.data.track_tensors import TrackTensors

CROP = 32
"""Width and height of a crop."""
TARGET_FRAMES = (8, 30, 52, 74, 96, 118)
REFERENCE_FRAME = 20
"""The frame of each reference."""
CROPS = len(TARGET_FRAMES) + REFERENCE_COUNT
"""Crops of a body."""
MARGIN = 1.15
"""Width of a crop, relative to the longer side of its box."""
SMALLEST_BOX = 0.04
"""Width of a box, as a share of the picture, below which too little of a body is seen."""
PICTURE_SIZE = (240, 160)
"""Of rendered frames."""
SETS_AT_ONCE = 64
JITTER = 0.06
"""Standard deviation by which boxes are moved and scaled for training, relative to their size."""


@dataclass(frozen=True, eq=False)
class Crops:
    """Crops of the bodies of many sets."""

    pictures: Tensor
    """uint8 [set, body, crop, 3, CROP, CROP]."""
    exists: Tensor
    """bool [set, body, crop]: whether the body is in view there."""

    def rows(self, numbers: Tensor) -> "Crops":
        """The crops of some sets."""
        return Crops(self.pictures[numbers], self.exists[numbers])

    def drawn(self, number: int) -> "Crops":
        """Some of each body's crops, drawn at random, those that exist first."""
        chances = torch.rand(self.exists.shape, device=self.exists.device) + self.exists
        chosen = chances.topk(number, dim=-1).indices
        index = chosen[..., None, None, None].expand(*chosen.shape, *self.pictures.shape[3:])
        return Crops(self.pictures.gather(2, index), self.exists.gather(2, chosen))


def rendered_crops(sets: PackedSets, tracks: TrackTensors, seed: int, stages: int = 1) -> Crops:
    """The crops of packed sets, rendered on the device of their tracks, with slightly wrong boxes.

    In a world with stages there are `stages` different ones.
    """
    renderer = Pictures(sets.world, PICTURE_SIZE, tracks.device, stages)
    boxes, seen = chosen_boxes(tracks)
    generator = torch.Generator(device=tracks.device).manual_seed(seed)
    noise = JITTER * torch.randn(boxes.shape, generator=generator, device=boxes.device)
    size = boxes[..., 2:]
    boxes = torch.cat([boxes[..., :2] + noise[..., :2] * size, size * (1.0 + noise[..., 2:])], -1)
    parts = []
    for first in range(0, len(sets), SETS_AT_ONCE):
        rows = range(first, min(first + SETS_AT_ONCE, len(sets)))
        chosen = [ChosenFrames(row, 0, list(TARGET_FRAMES)) for row in rows]
        chosen += [
            ChosenFrames(row, video, [REFERENCE_FRAME]) for row in rows for video in range(1, REFERENCE_COUNT + 1)
        ]
        frames = renderer.render(placed_frames(sets, chosen, stages)).rgb
        split = len(rows) * len(TARGET_FRAMES)
        target = frames[:split].reshape(len(rows), len(TARGET_FRAMES), *frames.shape[1:])
        references = frames[split:].reshape(len(rows), REFERENCE_COUNT, *frames.shape[1:])
        pictures = torch.cat([target, references], 1).to(tracks.device)
        parts.append(cut(pictures, boxes[rows.start : rows.stop]))
    return Crops(torch.cat(parts), seen)


def crops_of_videos(videos: tuple[np.ndarray, ...], tracks: TrackTensors) -> Crops:
    """The crops of one set, from the pictures [frame, height, width, 3] of its target and references."""
    boxes, seen = chosen_boxes(tracks)
    frames = [videos[0][min(frame, len(videos[0]) - 1)] for frame in TARGET_FRAMES]
    references = videos[1 : 1 + REFERENCE_COUNT]
    frames += [video[min(REFERENCE_FRAME, len(video) - 1)] for video in references]
    frames += [np.zeros_like(frames[0])] * (CROPS - len(frames))
    return Crops(cut(torch.from_numpy(np.stack(frames))[None], boxes), seen)


def chosen_boxes(tracks: TrackTensors) -> tuple[Tensor, Tensor]:
    """Boxes [set, crop, body, 4] in the frames of crops, and whether bodies are in view there [set, body, crop]."""
    target, references = tracks.target, tracks.references
    boxes = torch.cat([target.boxes[:, list(TARGET_FRAMES)], references.boxes[:, :, REFERENCE_FRAME]], 1)
    present = torch.cat([target.present[:, list(TARGET_FRAMES)], references.present[:, :, REFERENCE_FRAME]], 1)
    seen = present & (boxes[..., 2:] > SMALLEST_BOX).all(-1)
    return boxes, seen.transpose(1, 2)


def cut(pictures: Tensor, boxes: Tensor) -> Tensor:
    """uint8 [set, body, crop, 3, CROP, CROP]: square crops around boxes [set, crop, body, 4].

    pictures is uint8 [set, crop, height, width, 3]; beyond their borders the pixels at the border continue.
    """
    sets, crops, height, width, _ = pictures.shape
    bodies = boxes.shape[2]
    centre = boxes[..., :2] * 2.0 - 1.0
    pixels = boxes.new_tensor([width, height])
    side = (boxes[..., 2:] * pixels).amax(-1, keepdim=True).clamp(min=4.0) * MARGIN
    reach = side / pixels  # half a side, where the picture is 2 wide
    steps = (torch.arange(CROP, device=boxes.device, dtype=boxes.dtype) + 0.5) / CROP * 2.0 - 1.0
    offsets = torch.stack([steps[None, :].expand(CROP, CROP), steps[:, None].expand(CROP, CROP)], -1)
    grid = centre[..., None, None, :] + offsets * reach[..., None, None, :]
    planes = pictures.flatten(0, 1).permute(0, 3, 1, 2).float()
    points = grid.flatten(0, 1).flatten(1, 2)  # [picture, body * row, column, 2]
    sampled = grid_sample(planes, points, mode="bilinear", padding_mode="border", align_corners=False)
    found = sampled.round().clamp(0.0, 255.0).to(torch.uint8)
    return found.reshape(sets, crops, 3, bodies, CROP, CROP).permute(0, 3, 1, 2, 4, 5).contiguous()
