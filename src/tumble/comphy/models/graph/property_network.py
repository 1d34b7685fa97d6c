"""The property network: masses and charge relations of bodies, from their tracks in several videos.

A factor graph network in the manner of neural relational inference: edges -> nodes -> edges, with a skip. An edge is a
pair of bodies in a video; it starts from convolutions over the frames in which the two are in view together, since
mass shows in collisions and charge in accelerations. The graph's logits of the videos are joined by their maximum.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors
from tumble.comphy.models.graph.pair_features import CHANNELS, Pairs, pairs_of_videos

MASSES = ("light", "heavy")
RELATIONS = ("none", "same", "opposite")
"""Of the charges of two bodies."""
UNKNOWN = -20.0
"""Logit of every class of a body or a pair in a video that does not show it."""


@dataclass(frozen=True, eq=False)
class PropertyLogits:
    """What the property network finds."""

    video_mass: Tensor
    """[set, video, body, 2]: logits of MASSES in each video; UNKNOWN for a body that is not shown."""
    video_charge: Tensor
    """[set, video, body, body, 3]: logits of RELATIONS, symmetric; UNKNOWN for a pair that is not shown."""

    @property
    def mass(self) -> Tensor:
        """[set, body, 2]: the maximum over the videos."""
        return self.video_mass.amax(1)

    @property
    def charge(self) -> Tensor:
        """[set, body, body, 3]: the maximum over the videos."""
        return self.video_charge.amax(1)


class PropertyNetwork(nn.Module):
    """From tracks to the logits of masses and charge relations."""

    def __init__(self, hidden: int = 192, channels: int = 64, dropout: float = 0.1, shapes: int = 3) -> None:
        """`shapes`: how many the world has."""
        super().__init__()
        self.frames = nn.Sequential(
            nn.Conv1d(CHANNELS + 2 * shapes, channels, 5, stride=2, padding=2),
            nn.ELU(),
            nn.Conv1d(channels, channels, 5, stride=2, padding=2),
            nn.ELU(),
            nn.Conv1d(channels, channels, 5, padding=2),
            nn.ELU(),
        )
        self.edge_in = perceptron(2 * channels, hidden, hidden, dropout)
        self.node = perceptron(2 * hidden, hidden, hidden, dropout)
        self.edge = perceptron(3 * hidden, hidden, hidden, dropout)
        self.node_out = perceptron(2 * hidden, hidden, hidden, dropout)
        self.mass = nn.Linear(hidden, len(MASSES))
        self.charge = nn.Linear(hidden, len(RELATIONS))

    def forward(self, tracks: TrackTensors, videos: Tensor | None = None) -> PropertyLogits:
        """The logits of sets; `videos` bool [5] or [set, 5] selects the videos used (the target first), None all."""
        size = len(tracks), 1 + tracks.references.present.shape[1]
        used = torch.ones(size, dtype=torch.bool, device=tracks.device)
        if videos is not None:
            used = used & videos.to(tracks.device)
        target = self._logits(_flat(tracks.target, used[:, :1], 1), tracks.shapes, 1)
        references = self._logits(_flat(tracks.references, used[:, 1:], 0), tracks.shapes, size[1] - 1)
        return PropertyLogits(torch.cat([target[0], references[0]], 1), torch.cat([target[1], references[1]], 1))

    def _logits(self, videos: VideoTensors, shapes: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Logits of masses [set, video, body, 2] and of relations [set, video, body, body, 3]."""
        sets, bodies = shapes.shape[:2]
        each = shapes[:, None].expand(sets, count, bodies, shapes.shape[-1]).flatten(0, 1)
        pairs = pairs_of_videos(videos, each)
        nodes = sets * count * bodies
        first, second = pairs.rows * bodies + pairs.one, pairs.rows * bodies + pairs.other
        edges = self.edge_in(self._encoded(pairs, each))
        node = self.node(_gathered(edges, first, nodes))
        edges = edges + self.edge(torch.cat([node[first], node[second], edges], -1))
        joined = _gathered(edges, first, nodes)
        mass = self.mass(self.node_out(joined) + node).float()
        charge = self.charge(edges).float()
        shown = torch.zeros(nodes, dtype=torch.bool, device=shapes.device).index_fill_(0, first, True)
        mass = torch.where(shown[:, None], mass, torch.full_like(mass, UNKNOWN))
        table = torch.zeros(nodes * bodies, len(RELATIONS), device=shapes.device)
        known = torch.zeros(nodes * bodies, 1, device=shapes.device)
        table = table.index_put((first * bodies + pairs.other,), charge)
        known = known.index_put((first * bodies + pairs.other,), torch.ones_like(charge[:, :1]))
        grid = table.view(sets, count, bodies, bodies, -1)
        grid = 0.5 * (grid + grid.transpose(2, 3))
        relations = torch.where(known.view(sets, count, bodies, bodies, 1) > 0.0, grid, torch.full_like(grid, UNKNOWN))
        return mass.view(sets, count, bodies, -1), relations

    def _encoded(self, pairs: Pairs, shapes: Tensor) -> Tensor:
        """[pair, 2 * channels]: the frames of pairs, pooled by their maximum and their mean."""
        kinds = torch.cat([shapes[pairs.rows, pairs.one], shapes[pairs.rows, pairs.other]], -1)
        kinds = kinds[..., None].expand(-1, -1, pairs.features.shape[-1])
        found = self.frames(torch.cat([pairs.features, kinds], 1))
        mask = nn.functional.max_pool1d(pairs.together[:, None].float(), 5, 4, padding=2, ceil_mode=True)
        mask = mask[..., : found.shape[-1]]
        highest = torch.where(mask > 0.0, found, torch.full_like(found, -1e4)).amax(-1)
        mean = (found * mask).sum(-1) / mask.sum(-1).clamp(min=1.0)
        return torch.cat([highest, mean], -1)


def perceptron(inputs: int, hidden: int, outputs: int, dropout: float = 0.0) -> nn.Sequential:
    """Two linear layers with ELU, then layer norm: what a body gets does not depend on the rest of the batch."""
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        nn.ELU(),
        nn.Dropout(dropout),
        nn.Linear(hidden, outputs),
        nn.ELU(),
        nn.LayerNorm(outputs),
    )


def _flat(videos: VideoTensors, used: Tensor, middle: int) -> VideoTensors:
    """Videos [set * video, frame, body, …], without bodies in those that are not used; a middle 1 means one a set."""
    parts = [getattr(videos, name) for name in ("places", "yaws", "boxes", "present")]
    places, yaws, boxes, present = parts if middle else [part.flatten(0, 1) for part in parts]
    return VideoTensors(places, yaws, boxes, present & used.flatten()[:, None, None])


def _gathered(edges: Tensor, nodes: Tensor, count: int) -> Tensor:
    """[node, 2 * channel]: sum and maximum of the edges of each node; zeros for a node without."""
    total = torch.zeros(count, edges.shape[-1], dtype=edges.dtype, device=edges.device).index_add(0, nodes, edges)
    index = nodes[:, None].expand_as(edges)
    highest = torch.zeros_like(total).scatter_reduce(0, index, edges, "amax", include_self=False)
    return torch.cat([total, highest], -1)
