"""DQN's network: planes of pictures and actions go in, logits come out; an ensemble is the mean of several.

A ResNet-18 encodes the picture, given as a plane for each colour. An action encoder gives a gain and a bias for each
channel of the features at the fusion point (feature-wise linear modulation). All before that point is computed once
for each picture, however many actions are scored. With fusion "drawn", which is not in the paper, the balls are also
drawn into the features.

    features = network.encode(planes_of(tasks, side, device))  # of each task
    logits = network.score(features, actions)                  # actions [n * m, numbers], m for each task in turn

It may also predict dense outcomes of the action, from the features that the logit comes from.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import pairwise
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.learning.networks import STAGES, ResidualBlock, full_precision, initialise_convolutions, max_pool
from tumble.phyre.catalogue.task import Task
from tumble.phyre.observation import view
from tumble.phyre.observation.view import COLOURS
from tumble.phyre.simulation.actions import MAX_RADIUS, MIN_RADIUS, SCALE
from tumble.phyre.simulation.dense_outcomes import NAMES
from tumble.runs.participant import AgentError

PICTURE_SIDE = 256
"""Pixels of a picture, across and up."""
PICTURES_TOGETHER = 256
"""Pictures that are converted together."""


def planes_of(tasks: Sequence[Task], side: int, device: torch.device) -> Tensor:
    """uint8 [tasks, 7, side, side]: of the pictures of tasks at the start; the top row first."""
    parts = []
    for first in range(0, len(tasks), PICTURES_TOGETHER):
        pictures = np.stack([view.picture(task.scene) for task in tasks[first : first + PICTURES_TOGETHER]])
        parts.append(colour_planes(torch.from_numpy(pictures).to(device), side))
    return torch.cat(parts)


def colour_planes(pictures: Tensor, side: int) -> Tensor:
    """uint8 [n, 7, side, side] from pictures, uint8 [n, 256, 256]: the pixels of each colour in each cell."""
    cell = PICTURE_SIDE // side
    colours = torch.arange(COLOURS, dtype=torch.uint8, device=pictures.device)
    pixels = (pictures[:, None] == colours.view(-1, 1, 1)).view(torch.uint8)
    rows = reduce(torch.add, [pixels[:, :, k::cell] for k in range(cell)])
    return reduce(torch.add, [rows[..., k::cell] for k in range(cell)])


def colour_shares(planes: Tensor) -> Tensor:
    """float [n, 7, side, side], channels last in memory: the share of each colour in each cell."""
    area = (PICTURE_SIDE // planes.shape[-1]) ** 2
    return (planes.to(torch.float32, memory_format=torch.channels_last)) / area


NETWORK_SIDES = (32, 64, 128, 256)
"""Sizes to which pictures can be averaged down."""
MAX_WIDTH = 8.0
FUSIONS = ("last", "drawn", "published")
"""How an action is fused with a picture: see `QNetwork`."""
DRAWN_AT = 1
"""The stage at whose input fusion "drawn" adds a drawing of the balls."""
LAST = 3
"""The last stage, at whose input every network is modulated by the action."""
ACTION_UNITS = 512
"""Of the hidden layer that encodes an action."""


class Modulation(nn.Module):
    """Multiplies features by 1 + gain and adds a bias, both per channel and from an encoded action; initially 0."""

    def __init__(self, inputs: int, channels: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, 2 * channels)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, features: Tensor, encoded: Tensor) -> Tensor:
        """Features [n, channels, …] and encoded actions [n * m, …] give [n * m, channels, …]."""
        with full_precision(encoded.device):
            gain, bias = self.linear(encoded).view(len(features), -1, 2, features.shape[1]).unbind(2)
        last = features.movedim(1, -1).unsqueeze(1)  # channels last, as in memory
        shape = (*gain.shape[:2], *(1,) * (features.dim() - 2), -1)
        gain, bias = (1.0 + gain).to(features.dtype).view(shape), bias.to(features.dtype).view(shape)
        return torch.addcmul(bias, last, gain).flatten(0, 1).movedim(-1, 1)


class Brush(nn.Module):
    """Adds a drawing of an action's balls, in any order, to features; the initial weights add nothing."""

    scale: Tensor
    FIELD = 32.0
    """Pixels from a ball's edge over which its distance field saturates."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.paint = nn.Conv2d(3, channels, 3, padding=1, bias=False)
        self.register_buffer("scale", torch.tensor(SCALE, dtype=torch.float32).view(3, 1, 1), persistent=False)

    def forward(self, features: Tensor, actions: Tensor) -> Tensor:
        """Features [n, channels, h, w] and actions [n * m, numbers] give [n * m, channels, h, w]."""
        with full_precision(actions.device):
            maps = self.ball_maps(actions, features.shape[2]).to(features.dtype)
        drawing = self.paint(maps.contiguous(memory_format=torch.channels_last))
        total: Tensor = features.unsqueeze(1) + drawing.view(len(features), -1, *drawing.shape[1:])
        return total.flatten(0, 1).contiguous(memory_format=torch.channels_last)

    def ball_maps(self, actions: Tensor, cells: int) -> Tensor:
        """[k, 3, cells, cells]: the share of a cell that balls cover, that times the radius, distance to an edge."""
        balls = actions.view(len(actions), -1, 3, 1, 1) * self.scale
        size = PICTURE_SIDE / cells
        centres = size * (torch.arange(cells, device=actions.device) + 0.5)
        x, y = centres.view(1, 1, 1, -1), (PICTURE_SIDE - centres).view(1, 1, -1, 1)  # the top row comes first
        radius = balls[:, :, 2] + MIN_RADIUS
        inside = radius - torch.hypot(x - balls[:, :, 0], y - balls[:, :, 1])
        covered = (1.0 + inside / size).clamp(0.0, 1.0)
        field = (inside / self.FIELD).tanh().amax(1)
        return torch.stack([covered.amax(1), (covered * radius / MAX_RADIUS).amax(1), field], dim=1)


class Scout(nn.Module):
    """A pre-ranking head: predicts the network's logit from local features at the balls, global ones and the action.

    It is a thousand times cheaper than the network and selects the actions that the network scores. It is trained
    together with the network, but no gradient flows from it into the features. Features of an early stage first pass
    through residual blocks of its own, with these channels, once for each picture.
    """

    def __init__(self, channels: Sequence[int], numbers: int, units: int = 256) -> None:
        super().__init__()
        self.blocks = nn.Sequential(*(ResidualBlock(first, second, 2) for first, second in pairwise(channels)))
        inputs = channels[-1] * (1 + numbers // 3) + numbers
        self.layers = nn.Sequential(
            nn.Linear(inputs, units), nn.ReLU(), nn.Linear(units, units), nn.ReLU(), nn.Linear(units, 1)
        )

    def forward(self, features: Tensor, actions: Tensor) -> Tensor:
        """Logits [n * m] of features [n, channels, h, w] and actions scaled to -1 … 1, m for each in turn."""
        rows = self.blocks(features.detach())
        with full_precision(actions.device):
            rows = rows.float()
            centres = actions.view(len(rows), -1, actions.shape[1] // 3, 3)[..., :2]
            grid = torch.stack([centres[..., 0], -centres[..., 1]], dim=-1)  # the top row of a picture comes first
            local = functional.grid_sample(rows, grid, align_corners=False).permute(0, 2, 3, 1).flatten(2).flatten(0, 1)
            pooled = rows.amax((2, 3)).repeat_interleave(grid.shape[1], dim=0)
            logits: Tensor = self.layers(torch.cat([local, pooled, actions], dim=1)).squeeze(1)
        return logits


class QNetwork(nn.Module):
    """A ResNet-18 that scores actions on pictures of `side` pixels; `width` scales its channels.

    With fusion "last", the input of the last stage is modulated by the encoded action. With "drawn", the balls are
    drawn into the features before conv3 as well. "published" is the paper's network to the last layer: "last" with
    3 x 3 max pooling, and without a scout. If it is `dense`, it has a head that predicts dense outcomes.
    """

    def __init__(
        self, numbers: int, fusion: str = "last", side: int = 128, width: float = 1.0, dense: bool = False
    ) -> None:
        super().__init__()
        check_network_settings(side, width, fusion)
        channels = [max(1, round(count * width)) for count in STAGES]
        before = [channels[0], *channels]
        self._pools_by_three = fusion == "published"
        self._first_stage = DRAWN_AT if fusion == "drawn" else LAST
        self.brush = Brush(before[DRAWN_AT]) if fusion == "drawn" else None
        self.stem = nn.Sequential(
            nn.Conv2d(COLOURS, channels[0], 7, 2, padding=3, bias=False), nn.BatchNorm2d(channels[0]), nn.ReLU()
        )
        self.stages = nn.ModuleList(
            nn.Sequential(ResidualBlock(before[k], count, 1 if k == 0 else 2), ResidualBlock(count, count, 1))
            for k, count in enumerate(channels)
        )
        self.action_encoder = nn.Sequential(nn.Linear(numbers, ACTION_UNITS), nn.ReLU())
        self.modulation = Modulation(ACTION_UNITS, before[LAST])
        self.output = nn.Linear(channels[-1], 1)
        scouted = {"last": before[LAST : LAST + 1], "drawn": before[DRAWN_AT : LAST + 1]}.get(fusion)
        self.scout = Scout(scouted, numbers) if scouted else None
        initialise_convolutions(self)
        if self.brush is not None:
            nn.init.zeros_(self.brush.paint.weight)
        self.dense_head = dense_head(channels[-1]) if dense else None  # last: all other weights are as without it

    def encode(self, pictures: Tensor) -> Tensor:
        """The features of pictures, uint8 [n, 7, side, side] as in `planes_of`, before actions come in."""
        x = self.stem(colour_shares(pictures))
        x = functional.max_pool2d(x, 3, 2, padding=1) if self._pools_by_three else max_pool(x)
        return self._through_stages(x, 0, self._first_stage)

    def score(self, features: Tensor, actions: Tensor) -> Tensor:
        """Logits [n * m] of actions [n * m, numbers] on features [n, …]: m on each picture, in their order."""
        return self._logits(self._pooled(features, actions))

    def score_and_dense(self, features: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        """As `score`, and the logits [n * m, number] of dense outcomes; only if the network is `dense`."""
        assert self.dense_head is not None
        x = self._pooled(features, actions)
        with full_precision(x.device):
            dense: Tensor = self.dense_head(x.float())
        return self._logits(x), dense

    def prerank(self, features: Tensor, actions: Tensor) -> Tensor:
        """The scout's logits; only if there is one."""
        assert self.scout is not None
        logits: Tensor = self.scout(features, _scaled_actions(actions))
        return logits

    def _pooled(self, features: Tensor, actions: Tensor) -> Tensor:
        """[n * m, channels]: the output of the last stage, max-pooled."""
        with full_precision(actions.device):
            encoded = self.action_encoder(_scaled_actions(actions))
        x = features if self.brush is None else self.brush(features, actions)
        x = self.modulation(self._through_stages(x, self._first_stage, LAST), encoded)
        return self._through_stages(x, LAST, LAST + 1).amax((2, 3))

    def _through_stages(self, x: Tensor, first: int, end: int) -> Tensor:
        for stage in self.stages[first:end]:
            x = stage(x)
        return x

    def _logits(self, x: Tensor) -> Tensor:
        with full_precision(x.device):
            logits: Tensor = self.output(x.float()).squeeze(1)
        return logits


def dense_head(channels: int, units: int = 128) -> nn.Sequential:
    """Predicts dense outcomes from the features of the last stage."""
    return nn.Sequential(nn.Linear(channels, units), nn.ReLU(), nn.Linear(units, len(NAMES)))


def check_network_settings(side: int, width: float, fusion: str = "last") -> None:
    """Raises an AgentError if no network can be made with these settings."""
    if fusion not in FUSIONS:
        raise AgentError(f"no fusion {fusion!r}; there are {', '.join(FUSIONS)}")
    if side not in NETWORK_SIDES:
        raise AgentError(f"side must be one of {', '.join(map(str, NETWORK_SIDES))}, not {side}")
    if not 0.0 < width <= MAX_WIDTH:
        raise AgentError(f"width must be above 0 and at most {MAX_WIDTH:g}, not {width}")


def _scaled_actions(actions: Tensor) -> Tensor:
    """Actions as the encoders take them."""
    return 2.0 * actions - 1.0


Features = list[Tensor]
"""Of tasks, by each member."""


class Ensemble(nn.Module):
    """Scores an action by the mean of its members' logits."""

    def __init__(self, members: Iterable[QNetwork]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    @property
    def networks(self) -> list[QNetwork]:
        return cast("list[QNetwork]", list(self.members))

    @property
    def has_scouts(self) -> bool:
        return self.networks[0].scout is not None

    def encode(self, pictures: Tensor) -> Features:
        """The features of pictures, as in `planes_of`."""
        return [network.encode(pictures) for network in self.networks]

    def score(self, features: Features, actions: Tensor) -> Tensor:
        """Mean logits of actions, as `QNetwork.score`."""
        each = zip(self.networks, features, strict=True)
        return torch.stack([network.score(own, actions) for network, own in each]).mean(0)

    def prerank(self, features: Features, actions: Tensor) -> Tensor:
        """Mean logits of the scouts; only if it `has_scouts`."""
        each = zip(self.networks, features, strict=True)
        return torch.stack([network.prerank(own, actions) for network, own in each]).mean(0)


def flipped_planes(planes: Tensor, flip: Tensor) -> Tensor:
    """Planes of pictures [n, colours, side, side], mirrored where `flip` [n] is true."""
    return torch.where(flip.view(-1, 1, 1, 1), planes.flip(3), planes)


def flipped_actions(actions: Tensor, flip: Tensor) -> Tensor:
    """Actions [n, m, numbers] on these tasks, mirrored in the same way."""
    return torch.where(flip.view(-1, 1, 1), mirror_image(actions), actions)


def mirror_image(actions: Tensor) -> Tensor:
    """The mirror image of each action […, numbers]; still in the unit cube."""
    found = actions.clone()
    found[..., ::3] = (256.0 / 255.0 - actions[..., ::3]).clamp(max=1.0)
    return found
