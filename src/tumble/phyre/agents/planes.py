"""Pictures as networks get them: a plane for each colour, with the pixels of that colour in each cell."""

from collections.abc import Sequence
from functools import reduce

import numpy as np
import torch
from torch import Tensor

from tumble.phyre.observation import view
from tumble.phyre.observation.view import COLOURS
from tumble.phyre.tasks.task import Task

SIDE = 256
"""Pixels of a picture, across and up."""
BATCH = 256
"""Pictures that are converted together."""


def planes_of(tasks: Sequence[Task], side: int, device: torch.device) -> Tensor:
    """uint8 [tasks, 7, side, side]: of the pictures of tasks at the start; the top row first."""
    parts = []
    for first in range(0, len(tasks), BATCH):
        pictures = np.stack([view.picture(task.scene) for task in tasks[first : first + BATCH]])
        parts.append(colour_planes(torch.from_numpy(pictures).to(device), side))
    return torch.cat(parts)


def colour_planes(pictures: Tensor, side: int) -> Tensor:
    """uint8 [n, 7, side, side] from pictures, uint8 [n, 256, 256]: the pixels of each colour in each cell."""
    cell = SIDE // side
    colours = torch.arange(COLOURS, dtype=torch.uint8, device=pictures.device)
    pixels = (pictures[:, None] == colours.view(-1, 1, 1)).view(torch.uint8)
    rows = reduce(torch.add, [pixels[:, :, k::cell] for k in range(cell)])
    return reduce(torch.add, [rows[..., k::cell] for k in range(cell)])


def shares(planes: Tensor) -> Tensor:
    """float [n, 7, side, side], channels last in memory: the share of each colour in each cell."""
    area = (SIDE // planes.shape[-1]) ** 2
    return (planes.to(torch.float32, memory_format=torch.channels_last)) / area
