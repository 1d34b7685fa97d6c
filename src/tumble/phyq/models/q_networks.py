"""The networks of the paper's learners, which give a Q value to each of 180 angles, and their settings.

D-DDQN on the symbolic tensor squeezes the 12 kinds of objects to one plane and has dense layers; D-DDQN on small
pictures is ResNet-18 from scratch; both end in a dueling head, Q = V + A - mean(A). The relational agent has
attention between the 4 x 5 cells of ResNet-18's features (paper, appendix; Zambaldi et al.). Each cell is a node:
512 features and its two coordinates. Every head adds the query and the key of a node, and a linear layer turns the
sum into attention to all nodes. The maximum of each feature over the nodes gives Q values.

`make_config` makes the settings of a learner by its name, from a preset and from settings that differ from it.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.learning.networks import ResNet18
from tumble.learning.settings import TrainingError, configured
from tumble.phyq.models.registry import entry
from tumble.phyq.models.state_pictures import COLUMNS, OBSERVATIONS, ROWS

PRESETS: dict[str, dict[str, object]] = {
    "paper": {},
    "sweep": {
        "learn_from": "outcomes",
        "sweep": True,
        "rounds": 20,
        "steps": 60,
        "batch": 64,
        "cosine": True,
        "stop_rate": 1.0,
        "memory": 500_000,
    },
}
"""The paper's amount of training; and training on the outcomes of all angles at the training tasks."""
DEFAULT_PRESET = "sweep"


@dataclass(frozen=True)
class QConfig:
    """All that the weights depend on besides tasks and seed; the defaults are the paper's."""

    platforms: bool = True
    """Whether platforms are seen in the symbolic tensor."""
    learn_from: str = "shots"
    """What a batch is of: "shots", drawn from the replay, or "outcomes", states with all shots known from them."""
    sweep: bool = False
    """Whether the first round plays all 180 angles as first shots at each task, instead of `first_attempts` ones."""
    first_attempts: int = 10
    """Episodes at each task in the first round."""
    players: int = 10
    """Tasks that are drawn in a later round."""
    attempts: int = 10
    """Episodes at each of them."""
    rounds: int = 0
    """Rounds of playing and updating; 0 for a fifth of the number of tasks."""
    epochs: int = 10
    """Passes over as many shots as the replay has, in a round."""
    shrinking_epochs: bool = False
    """Whether the epochs shrink by the number of the round, down to 1, as in the released code (from 32)."""
    steps: int = 0
    """Updates in a round, instead of `epochs`; 0 for none given."""
    batch: int = 32
    shift: int = 0
    """Cells by which observations are moved at random, each way, in batches of outcomes; physics does not change."""
    memory: int = 100_000
    """Shots that the replay keeps."""
    first_epsilon: float = 0.95
    """Chance of a random angle in the first round; it falls by equal amounts in nine tenths of the rounds."""
    last_epsilon: float = 0.05
    gamma: float = 0.99
    double: bool = True
    """Double DQN: the network chooses the next shot that its copy values; the released code has the copy choose."""
    learning_rate: float = 3e-4
    cosine: bool = False
    """Whether the learning rate falls to 0 along a half cosine."""
    weight_decay: float = 0.01
    clamp: float = 1.0
    """Largest component of a gradient."""
    stop_rate: float = 0.99
    """Training ends when a round's episodes are won at more than this rate."""

    observation = "symbolic"
    """What the network sees: "symbolic" or "image"."""
    bfloat16 = True
    """Whether the network runs in mixed precision on a GPU."""
    stacked = False
    """Whether networks with the same number of tasks are updated together."""

    @abstractmethod
    def network(self) -> nn.Module:
        """An untrained network: observations [n, channels, 120, 160] to Q values [n, 180]."""

    def round_count(self, tasks: int) -> int:
        """Rounds for this number of training tasks."""
        return self.rounds or (tasks // 5 if tasks >= 5 else 50)

    def epsilon(self, progress: float) -> float:
        """The chance of a random angle at a share of the training."""
        return max(self.last_epsilon, self.first_epsilon - 0.99 * progress / 0.9)

    def update_count(self, round_number: int, tasks: int) -> int:
        """Updates in a round."""
        if self.steps:
            return self.steps
        epochs = max(1, self.epochs - round_number) if self.shrinking_epochs else self.epochs
        first = 180 if self.sweep else self.first_attempts
        shots = min(self.memory, first * tasks + self.players * self.attempts * round_number)
        return max(1, epochs * shots // self.batch)


ANGLES = 180


class DuelingHead(nn.Module):
    """Q values [n, 180] of features [n, inputs], from a value and an advantage stream.

    The released code subtracts the mean of the advantages over the whole batch (`batch_mean`), not over the angles of
    each state.
    """

    def __init__(self, inputs: int, hidden: int, batch_mean: bool = False) -> None:
        super().__init__()
        self.value = _dueling_stream(inputs, hidden, 1)
        self.advantage = _dueling_stream(inputs, hidden, ANGLES)
        self.batch_mean = batch_mean

    def forward(self, features: Tensor) -> Tensor:
        advantage = self.advantage(features)
        mean = advantage.mean() if self.batch_mean else advantage.mean(-1, keepdim=True)
        values: Tensor = self.value(features) + advantage - mean
        return values


def _dueling_stream(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.LayerNorm(hidden), nn.LeakyReLU(), nn.Linear(hidden, outputs))


def cropped(x: Tensor, crop: bool, transposed: bool) -> Tensor:
    """Pictures [n, channels, 120, 160], cut and stretched to the same size again; unchanged if neither is asked for."""
    if not crop and not transposed:
        return x
    rows, columns = x.shape[2:]
    seen = x.transpose(2, 3) if transposed else x
    if crop:
        top, left = (seen.shape[2] - rows * 3 // 4) // 2, (seen.shape[3] - columns * 3 // 4) // 2
        seen = seen[:, :, top : top + rows * 3 // 4, left : left + columns * 3 // 4]
    return functional.interpolate(seen, (rows, columns), mode="bilinear", align_corners=False)


@dataclass(frozen=True)
class DddqnSymbolicConfig(QConfig):
    """Settings of D-DDQN on the symbolic tensor; the published agents did not see platforms."""

    platforms: bool = False
    first_units: int = 512
    """Of the dense layer over the plane."""
    second_units: int = 256
    head_units: int = 128
    """Of each stream of the dueling head."""
    batch_mean: bool = False
    """Whether the mean advantage is that of the whole batch, as in the released code."""

    observation = "symbolic"
    bfloat16 = False
    stacked = True

    def network(self) -> "DddqnSymbolic":
        return DddqnSymbolic(self.first_units, self.second_units, self.head_units, self.batch_mean)


class DddqnSymbolic(nn.Module):
    """Q values [n, 180] of symbolic tensors [n, 12, 120, 160]."""

    def __init__(self, first_units: int, second_units: int, head_units: int, batch_mean: bool = False) -> None:
        super().__init__()
        self.squeeze = nn.Linear(OBSERVATIONS["symbolic"], 1)
        self.plane_norm = nn.LayerNorm([ROWS, COLUMNS])
        self.first = nn.Linear(ROWS * COLUMNS, first_units)
        self.first_norm = nn.LayerNorm(first_units)
        self.second = nn.Linear(first_units, second_units)
        self.second_norm = nn.LayerNorm(second_units)
        self.head = DuelingHead(second_units, head_units, batch_mean)

    def forward(self, x: Tensor) -> Tensor:
        weights = self.squeeze.weight.expand(len(x), 1, -1)
        plane = (torch.bmm(weights, x.flatten(2)) + self.squeeze.bias).view(len(x), ROWS, COLUMNS)
        features = self.plane_norm(functional.leaky_relu(plane)).flatten(1)
        features = self.first_norm(functional.leaky_relu(self.first(features)))
        features = self.second_norm(functional.leaky_relu(self.second(features)))
        values: Tensor = self.head(features)
        return values


@dataclass(frozen=True)
class DddqnImageConfig(QConfig):
    """Settings of D-DDQN on pictures."""

    units: int = 128
    """Of the layer after ResNet-18, and of each stream of the dueling head."""
    width: float = 1.0
    """Share of ResNet-18's channels."""
    crop: bool = False
    """Whether only the middle 360 x 480 pixels are seen, as in the released code."""
    transposed: bool = False
    """Whether rows and columns are exchanged before, as in the released code."""
    batch_mean: bool = False
    """Whether the mean advantage is that of the whole batch, as in the released code."""

    observation = "image"

    def network(self) -> "DddqnImage":
        return DddqnImage(self.units, self.width, self.crop, self.transposed, self.batch_mean)


class DddqnImage(nn.Module):
    """Q values [n, 180] of pictures [n, 3, 120, 160] with colours from -1 to 1."""

    def __init__(
        self, units: int, width: float = 1.0, crop: bool = False, transposed: bool = False, batch_mean: bool = False
    ) -> None:
        super().__init__()
        self.crop, self.transposed = crop, transposed
        self.trunk = ResNet18(OBSERVATIONS["image"], width)
        self.first = nn.Linear(self.trunk.channels, units)
        self.head = DuelingHead(units, units, batch_mean)

    def forward(self, x: Tensor) -> Tensor:
        features = self.trunk(cropped(x, self.crop, self.transposed)).mean((2, 3))
        values: Tensor = self.head(functional.leaky_relu(self.first(features)))
        return values


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
        self.queries, self.keys, self.values = (_head_projection(features, heads, head_units) for _ in range(3))
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


def _head_projection(inputs: int, heads: int, units: int) -> nn.Sequential:
    """A layer whose output is [n, nodes, heads, units], normalised over units."""
    return nn.Sequential(nn.Linear(inputs, heads * units), nn.Unflatten(-1, (heads, units)), nn.LayerNorm(units))


def make_config(name: str, preset: str = DEFAULT_PRESET, settings: Mapping[str, Any] | None = None) -> QConfig:
    """The settings of a learner.

    >>> make_config("dddqn-symbolic", "paper").round_count(80)
    16
    """
    found = entry(name)
    if preset not in PRESETS:
        raise TrainingError(f"no preset {preset!r}; there are {', '.join(PRESETS)}")
    config: QConfig = configured(name, found.load(), {**found.settings, **PRESETS[preset], **(settings or {})})
    return config
