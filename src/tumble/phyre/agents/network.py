"""The network of DQN: how well an action would do on the task of a picture, as one logit.

A residual network of 18 layers looks at the picture. The action goes through an encoder of its own, which says by how
much to multiply each channel at the fusion point, and what to add to it. All before that point is worked out once for
each picture, however many actions are scored. With fusion "drawn", which is not in the paper, the balls are drawn into
the features, too.

    features = network.encode(pictures)            # [n, …]
    logits = network.score(features, actions)      # actions [n * m, numbers], m for each picture in turn
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.phyre.agents.hardware import exact
from tumble.phyre.observation.view import COLOURS
from tumble.phyre.simulation.actions import LARGEST_RADIUS, SCALE, SMALLEST_RADIUS

SIDE = 256
"""Pixels of a picture, across and up."""
SIDES = (32, 64, 128, 256)
"""To which pictures can be averaged down."""
WIDEST = 8.0
STAGES = (64, 128, 256, 512)
"""Channels of the stages conv2 to conv5, at width 1."""
FUSIONS = {"first": (0,), "all": (0, 1, 2, 3), "last": (3,), "global": (4,), "drawn": (3,)}
"""Where the action comes in: at the input of the so-manieth stage; 4 is what is left when all are through."""
DRAWN_AT = 1
"""With fusion "drawn" its balls are drawn, too, where they lie, at the input of this stage."""


class Block(nn.Module):
    """Two convolutions whose result is added to their input."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.relu(self.first_norm(self.first(x)))
        return functional.relu(self.second_norm(self.second(inner)) + self.shortcut(x))


class Modulation(nn.Module):
    """A gain and a bias for each channel of features, from an encoded action; at first they change nothing."""

    def __init__(self, inputs: int, channels: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, 2 * channels)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, features: Tensor, encoded: Tensor) -> Tensor:
        """Features [n, channels, …] and encoded actions [n * m, …] give [n * m, channels, …]."""
        with exact(encoded.device):
            gain, bias = self.linear(encoded).view(len(features), -1, 2, features.shape[1]).unbind(2)
        last = features.movedim(1, -1).unsqueeze(1)  # channels last, which is how they lie in memory
        shape = (*gain.shape[:2], *(1,) * (features.dim() - 2), -1)
        gain, bias = (1.0 + gain).to(features.dtype).view(shape), bias.to(features.dtype).view(shape)
        return torch.addcmul(bias, last, gain).flatten(0, 1).movedim(-1, 1)


class Brush(nn.Module):
    """Draws the balls of actions into features, whichever comes first in the action; at first it leaves no trace."""

    FIELD = 32.0
    """Pixels from a ball's edge over which its surroundings fade."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.paint = nn.Conv2d(3, channels, 3, padding=1, bias=False)

    def forward(self, features: Tensor, actions: Tensor) -> Tensor:
        """Features [n, channels, h, w] and actions [n * m, numbers] give [n * m, channels, h, w]."""
        with exact(actions.device):
            strokes = self.strokes(actions, features.shape[2]).to(features.dtype)
        painted = self.paint(strokes.contiguous(memory_format=torch.channels_last))
        each: Tensor = features.unsqueeze(1) + painted.view(len(features), -1, *painted.shape[1:])
        return each.flatten(0, 1).contiguous(memory_format=torch.channels_last)

    def strokes(self, actions: Tensor, cells: int) -> Tensor:
        """[k, 3, cells, cells]: how much of each cell a ball covers, that times its radius, how far off its edge is."""
        balls = actions.view(len(actions), -1, 3, 1, 1) * actions.new_tensor(SCALE).view(3, 1, 1)
        size = SIDE / cells
        centres = size * (torch.arange(cells, device=actions.device) + 0.5)
        across, up = centres.view(1, 1, 1, -1), (SIDE - centres).view(1, 1, -1, 1)  # the top row comes first
        radius = balls[:, :, 2] + SMALLEST_RADIUS
        inside = radius - torch.hypot(across - balls[:, :, 0], up - balls[:, :, 1])
        covered = (1.0 + inside / size).clamp(0.0, 1.0)
        field = (inside / self.FIELD).tanh().amax(1)
        return torch.stack([covered.amax(1), (covered * radius / LARGEST_RADIUS).amax(1), field], dim=1)


class Scout(nn.Module):
    """Guesses what the network would say from the features where the balls lie, the strongest of all, and the action.

    A thousand times cheaper, it chooses the actions that are worth the network's time. It learns beside the network
    and does not change what that learns.
    """

    def __init__(self, channels: int, numbers: int, units: int = 256) -> None:
        super().__init__()
        inputs = channels * (1 + numbers // 3) + numbers
        self.layers = nn.Sequential(
            nn.Linear(inputs, units), nn.ReLU(), nn.Linear(units, units), nn.ReLU(), nn.Linear(units, 1)
        )

    def forward(self, features: Tensor, actions: Tensor) -> Tensor:
        """Logits [n * m] of features [n, channels, h, w] and actions scaled to -1 … 1, m for each in turn."""
        with exact(actions.device):
            rows = features.detach().float()
            placed = actions.view(len(rows), -1, actions.shape[1] // 3, 3)[..., :2]
            grid = torch.stack([placed[..., 0], -placed[..., 1]], dim=-1)  # the top row of a picture comes first
            local = functional.grid_sample(rows, grid, align_corners=False).permute(0, 2, 3, 1).flatten(2).flatten(0, 1)
            overall = rows.amax((2, 3)).repeat_interleave(grid.shape[1], dim=0)
            found: Tensor = self.layers(torch.cat([local, overall, actions], dim=1)).squeeze(1)
        return found


class QNetwork(nn.Module):
    """Scores actions on pictures; `side` is the size to which pictures are averaged down, `width` scales channels."""

    def __init__(
        self, numbers: int, fusion: str = "last", hidden: Sequence[int] = (512,), side: int = 128, width: float = 1.0
    ) -> None:
        super().__init__()
        check(fusion, hidden, side, width)
        channels = [max(1, round(count * width)) for count in STAGES]
        before = [channels[0], *channels]
        self.points = FUSIONS[fusion]
        self.brush = Brush(before[DRAWN_AT]) if fusion == "drawn" else None
        self.entry = DRAWN_AT if fusion == "drawn" else self.points[0]
        self.shrink = SIDE // side
        self.look = nn.Sequential(
            nn.Conv2d(COLOURS, channels[0], 7, 2, padding=3, bias=False), nn.BatchNorm2d(channels[0]), nn.ReLU()
        )
        self.stages = nn.ModuleList(
            nn.Sequential(Block(before[k], count, 1 if k == 0 else 2), Block(count, count, 1))
            for k, count in enumerate(channels)
        )
        sizes = [numbers, *hidden]
        self.action_encoder = nn.Sequential(
            *(layer for k in range(len(hidden)) for layer in (nn.Linear(sizes[k], sizes[k + 1]), nn.ReLU()))
        )
        self.modulations = nn.ModuleDict({str(k): Modulation(hidden[-1], before[k]) for k in self.points})
        self.judge = nn.Linear(channels[-1], 1)
        self.scout = Scout(before[3], numbers) if fusion == "last" else None
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        if self.brush is not None:
            nn.init.zeros_(self.brush.paint.weight)

    def encode(self, pictures: Tensor) -> Tensor:
        """What the pictures, uint8 [n, 256, 256], come to before the first fusion point."""
        colours = torch.arange(COLOURS, device=pictures.device, dtype=torch.uint8).view(1, -1, 1, 1)
        planes = (pictures.unsqueeze(1) == colours).float()
        x = functional.avg_pool2d(planes, self.shrink).contiguous(memory_format=torch.channels_last)
        x = _halved(self.look(x))
        for k in range(self.entry):
            x = self._through(k, x)
        return x

    def score(self, features: Tensor, actions: Tensor, image_of: Tensor | None = None) -> Tensor:
        """Logits [k] of actions [k, numbers] on the rows of features that `image_of` [k] names.

        Without it each row has as many actions as the others, in the order of the rows.
        """
        with exact(actions.device):
            encoded = self.action_encoder(_scaled(actions))
        x = features if image_of is None else features[image_of]
        for k in range(self.entry, len(self.stages) + 1):
            if self.brush is not None and k == DRAWN_AT:
                x = self.brush(x, actions)
            if k in self.points:
                x = self.modulations[str(k)](x, encoded)
            if k < len(self.stages):
                x = self._through(k, x)
        with exact(x.device):
            logits: Tensor = self.judge(x.float()).squeeze(1)
        return logits

    def guess(self, features: Tensor, actions: Tensor) -> Tensor:
        """The scout's logits; only where the action comes in last."""
        if self.scout is None:
            raise ValueError("only a network of fusion 'last' has a scout")
        found: Tensor = self.scout(features, _scaled(actions))
        return found

    def _through(self, k: int, x: Tensor) -> Tensor:
        """Through a stage; behind the last only the strongest of each channel is left."""
        x = self.stages[k](x)
        return x.amax((2, 3)) if k == len(self.stages) - 1 else x


def check(fusion: str, hidden: Sequence[int], side: int, width: float) -> None:
    """A ValueError where no network can be made with these settings."""
    if fusion not in FUSIONS:
        raise ValueError(f"no fusion {fusion!r}; there are {', '.join(FUSIONS)}")
    if not hidden or min(hidden) < 1:
        raise ValueError(f"hidden must be the units of one or more layers, not {list(hidden)}")
    if side not in SIDES:
        raise ValueError(f"side must be one of {', '.join(map(str, SIDES))}, not {side}")
    if not 0.0 < width <= WIDEST:
        raise ValueError(f"width must lie above 0 and up to {WIDEST:g}, not {width}")


def _scaled(actions: Tensor) -> Tensor:
    return 2.0 * actions - 1.0


def _halved(x: Tensor) -> Tensor:
    """The largest of each 2 x 2; unlike torch's own its gradient adds up in the same order every time."""
    count, channels, rows, columns = x.shape
    return x.view(count, channels, rows // 2, 2, columns // 2, 2).amax((3, 5))
