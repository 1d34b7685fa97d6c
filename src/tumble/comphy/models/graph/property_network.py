"""The property network: masses and charge relations of bodies, from their tracks in several videos.

A factor graph network in the manner of neural relational inference: edges -> nodes -> edges, with a skip. An edge is
a pair of bodies in a video; it starts from convolutions over the frames in which the two are in view together, since
mass shows in collisions and charge in accelerations. What two bodies do is described in axes that point from one to
the other, so that it is the same however the table is turned. The graph's logits of the videos are joined by their
maximum.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors, slopes_per_second

SHORT_SPAN, LONG_SPAN = 2, 5
"""Frames to each side over which velocities and accelerations are fitted."""
CONTACT_DISTANCE = 0.4
"""Distance of two touching balls."""
CHANNELS = 24
"""Features of a pair in a frame."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The ordered pairs of bodies that are in view together in a video."""

    rows: Tensor
    """int [pair]: which video of the flattened [set, video]."""
    one: Tensor
    """int [pair]: the first body."""
    other: Tensor
    """int [pair]: the second body."""
    features: Tensor
    """float [pair, CHANNELS, frame]; 0 in frames in which the two are not in view together."""
    together: Tensor
    """bool [pair, frame]."""


def pairs_of_videos(videos: VideoTensors, shapes: Tensor) -> Pairs:
    """The pairs in videos [video, frame, body, …], with the shapes [video, body, shape] of their bodies."""
    present = videos.present
    together = present.transpose(1, 2)[:, :, None] & present.transpose(1, 2)[:, None]  # [video, one, other, frame]
    bodies = present.shape[-1]
    distinct = ~torch.eye(bodies, dtype=torch.bool, device=present.device)
    rows, one, other = (together.any(-1) & distinct).nonzero(as_tuple=True)
    both = together[rows, one, other]
    velocity = slopes_per_second(videos.places, present, SHORT_SPAN)
    steady = slopes_per_second(videos.places, present, LONG_SPAN)
    sudden_change, steady_change = (
        slopes_per_second(velocity, present, 1),
        slopes_per_second(steady, present, LONG_SPAN),
    )
    values = torch.cat([videos.places, velocity, steady, sudden_change, steady_change], -1).transpose(1, 2)
    first, second = (values[rows, body].reshape(*both.shape, 5, 2) for body in (one, other))
    offset = second[:, :, 0] - first[:, :, 0]
    distance = torch.linalg.vector_norm(offset, dim=-1).clamp(min=0.05)
    normal = offset / distance[..., None]
    axes = torch.stack([normal, torch.stack([-normal[..., 1], normal[..., 0]], -1)], -1)  # [pair, frame, 2, axis]
    local = torch.cat([(first[:, :, 1:] @ axes).flatten(2), (second[:, :, 1:] @ axes).flatten(2)], -1)
    scale = local.new_tensor([1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.3, 0.3] * 2)
    pull = ((first[:, :, 4] - second[:, :, 4]) * normal).sum(-1) * distance.clamp(max=1.5) ** 2
    closing = ((second[:, :, 1] - first[:, :, 1]) * normal).sum(-1)
    own = [
        distance,
        torch.exp((CONTACT_DISTANCE - distance) / 0.15),
        torch.exp((CONTACT_DISTANCE - distance) / 0.6),
        pull,
        closing,
    ]
    frames = torch.cat([local * scale, torch.stack(own, -1), torch.ones_like(distance)[..., None]], -1)
    kinds = torch.zeros(
        *frames.shape[:2], 2, device=frames.device
    )  # how far apart in time a body is from a track's end
    kinds[..., 0] = present.transpose(1, 2)[rows, one].float()
    kinds[..., 1] = present.transpose(1, 2)[rows, other].float()
    features = torch.cat([frames * both[..., None], kinds], -1).transpose(1, 2)
    return Pairs(rows, one, other, features, both)


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
