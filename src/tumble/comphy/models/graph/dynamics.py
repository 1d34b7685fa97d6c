"""The dynamics network: the motion of bodies on the table from frame to frame, by messages between them.

Two rounds of messages change the velocities. A message depends on what the pair does in axes that point from one body
to the other, on both shapes and masses, and on the relation of the charges, each of which has its own network; a body's
own network adds what the table does. All of it turns with the table.
"""

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.comphy.models.data.shape_geometry import folds_of, has_heading, heights_of
from tumble.comphy.models.data.table_camera import in_picture, to_picture
from tumble.comphy.models.graph.property_network import RELATIONS
from tumble.comphy.models.graph.states import HISTORY, Entries, Properties, States

ROUNDS = 2
NEAR, FAR = 0.75, 1.0
"""Distances between which the messages of uncharged pairs fade: they only touch."""
BEYOND = 0.12
"""Share of the picture's size by which a centre may be outside before the body takes no part any more."""
PAIR_INPUTS = 15
"""Besides both shapes."""
NODE_INPUTS = 2 + 3 * HISTORY
"""Besides the shape."""
MEMORY = 8
"""Further channels of a message."""


@dataclass(frozen=True, eq=False)
class Rollout:
    """Predicted tracks; the first frame is the start."""

    places: Tensor
    """[world, frame, body, 2]."""
    yaws: Tensor
    """[world, frame, body]."""
    velocities: Tensor
    """[world, frame, body, 3]."""
    present: Tensor
    """bool [world, frame, body]: whether the body takes part."""
    in_view: Tensor
    """bool [world, frame, body]: whether its centre is in the picture too."""


class DynamicsNetwork(nn.Module):
    """Predicts motion frame by frame; with `property_blind` it does not use masses and charges."""

    def __init__(self, hidden: int = 128, property_blind: bool = False, shapes: int = 3) -> None:
        """`shapes`: how many the world has."""
        super().__init__()
        self.property_blind = property_blind
        kinds = 1 if property_blind else len(RELATIONS)
        self.messages = nn.ModuleList(
            nn.ModuleList(_network(PAIR_INPUTS + 2 * shapes, hidden, 3 + MEMORY) for _ in range(kinds))
            for _ in range(ROUNDS)
        )
        self.nodes = nn.ModuleList(_network(NODE_INPUTS + shapes + MEMORY, hidden, 3) for _ in range(ROUNDS))

    def step(self, states: States, shapes: Tensor, properties: Properties) -> States:
        """The states one frame later, from shapes [world, body, shape]."""
        velocity = states.velocities[:, 0]
        for messages, node in zip(self.messages, self.nodes, strict=True):
            velocity = velocity + self._change(messages, node, states, velocity, shapes, properties)
        velocity = velocity * states.present[..., None]
        return States(
            states.places + velocity[..., :2] / FRAMES_PER_SECOND,
            states.yaws + velocity[..., 2] / FRAMES_PER_SECOND,
            torch.cat([velocity[:, None], states.velocities[:, :-1]], 1),
            states.present,
        )

    def rollout(
        self,
        start: States,
        shapes: Tensor,
        properties: Properties,
        steps: int,
        entries: Entries | None = None,
        leaves: bool = True,
    ) -> Rollout:
        """The motion in some steps of one frame each; a body that leaves the picture by far takes part no more."""
        states, frames = start, [start]
        heights = heights_of(shapes)
        for frame in range(1, steps + 1):
            states = self.step(states, shapes, properties)
            if entries is not None:
                states = _joined(states, entries, entries.frames == frame)
            if leaves:
                seen = in_picture((to_picture(states.places, heights) + BEYOND) / (1.0 + 2.0 * BEYOND))
                states = replace(states, present=states.present & seen)
            frames.append(states)
        places = torch.stack([one.places for one in frames], 1)
        present = torch.stack([one.present for one in frames], 1)
        return Rollout(
            places,
            torch.stack([one.yaws for one in frames], 1),
            torch.stack([one.velocities[:, 0] for one in frames], 1),
            present,
            present & in_picture(to_picture(places, heights[:, None].expand(places.shape[:-1]))),
        )

    def _change(
        self,
        messages: nn.Module,
        node: nn.Module,
        states: States,
        velocity: Tensor,
        shapes: Tensor,
        properties: Properties,
    ) -> Tensor:
        """[world, body, 3]: the change of velocities in a round."""
        offset = states.places[:, None] - states.places[:, :, None]  # [world, one, other, 2]
        distance = torch.linalg.vector_norm(offset + 1e-9, dim=-1).clamp(min=0.05)
        normal = offset / distance[..., None]
        tangent = torch.stack([-normal[..., 1], normal[..., 0]], -1)
        pairs = self._pair_inputs(states, velocity, shapes, properties, distance, normal, tangent)
        both = states.present[:, :, None] & states.present[:, None]
        both = both & ~torch.eye(both.shape[-1], dtype=torch.bool, device=both.device)
        near = ((FAR - distance) / (FAR - NEAR)).clamp(0.0, 1.0) * both
        assert isinstance(messages, nn.ModuleList)
        if self.property_blind:
            sent = _sent(messages[0], pairs, near)
        else:
            sent = _sent(messages[0], pairs, near * properties.relations[..., 0])
            for kind in range(1, len(RELATIONS)):
                sent = sent + _sent(messages[kind], pairs, both * properties.relations[..., kind])
        push = (sent[..., :1] * normal + sent[..., 1:2] * tangent).sum(2)
        speed = torch.linalg.vector_norm(velocity[..., :2] + 1e-9, dim=-1, keepdim=True)
        ahead = velocity[..., :2] / speed.clamp(min=1e-2)
        across = torch.stack([-ahead[..., 1], ahead[..., 0]], -1)
        past = [
            torch.stack([(one[..., :2] * ahead).sum(-1), (one[..., :2] * across).sum(-1), 0.2 * one[..., 2]], -1)
            for one in (velocity, *states.velocities[:, 1:].unbind(1))
        ]
        heavy = torch.zeros_like(properties.heavy) if self.property_blind else properties.heavy
        inputs = [shapes, heavy[..., None], torch.exp(-10.0 * speed), *past, sent[..., 3:].sum(2)]
        own = node(torch.cat(inputs, -1))
        moved = push + own[..., :1] * ahead + own[..., 1:2] * across
        turned = (sent[..., 2].sum(2) + own[..., 2]) * has_heading(shapes)
        return torch.cat([moved, turned[..., None]], -1)

    def _pair_inputs(
        self,
        states: States,
        velocity: Tensor,
        shapes: Tensor,
        properties: Properties,
        distance: Tensor,
        normal: Tensor,
        tangent: Tensor,
    ) -> Tensor:
        """[world, one, other, channel]: what a message depends on."""
        size = distance.shape
        relative = velocity[:, None, :, :2] - velocity[:, :, None, :2]
        before = states.velocities[:, 1, :, :2]
        changed = (before[:, None] - before[:, :, None] - relative) * 0.5
        angle = torch.atan2(normal[..., 1], normal[..., 0])
        folds, turning = folds_of(shapes), has_heading(shapes)
        turns = [folds[:, :, None] * (states.yaws[:, :, None] - angle), folds[:, None] * (states.yaws[:, None] - angle)]
        turned = [turning[:, :, None].expand(size), turning[:, None].expand(size)]
        heavy = torch.zeros_like(properties.heavy) if self.property_blind else properties.heavy
        own = [
            distance.clamp(max=2.0),
            torch.exp((0.4 - distance) * 10.0).clamp(max=4.0),
            (0.16 / distance**2).clamp(max=2.0),
            (relative * normal).sum(-1),
            (relative * tangent).sum(-1),
            (changed * normal).sum(-1),
            (changed * tangent).sum(-1),
            turns[0].cos() * turned[0],
            turns[0].sin() * turned[0],
            turns[1].cos() * turned[1],
            turns[1].sin() * turned[1],
            heavy[:, :, None].expand(size),
            heavy[:, None].expand(size),
        ]
        spins = [(0.1 * velocity[..., 2] * turning)[:, :, None].expand(size)]
        spins.append((0.1 * velocity[..., 2] * turning)[:, None].expand(size))
        kinds = [shapes[:, :, None].expand(*size, -1), shapes[:, None].expand(*size, -1)]
        return torch.cat([torch.stack([*own, *spins], -1), *kinds], -1)


def _network(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Three linear layers; the last one starts small, so that untrained bodies go straight on."""
    last = nn.Linear(hidden, outputs)
    nn.init.normal_(last.weight, std=0.1 / math.sqrt(hidden))
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Linear(inputs, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), last)


def _sent(network: nn.Module, pairs: Tensor, weights: Tensor) -> Tensor:
    """[world, one, other, channel]: messages by their weights; on a CPU only those with a weight are computed."""
    if pairs.device.type != "cpu":
        result: Tensor = network(pairs) * weights[..., None]
        return result
    index = weights.nonzero(as_tuple=True)
    found = network(pairs[index]) * weights[index][:, None]
    return torch.zeros(*weights.shape, found.shape[-1], dtype=found.dtype).index_put(index, found)


def _joined(states: States, entries: Entries, now: Tensor) -> States:
    """States with those of the bodies that come into view now."""
    found = entries.states
    return States(
        torch.where(now[..., None], found.places, states.places),
        torch.where(now, found.yaws, states.yaws),
        torch.where(now[:, None, :, None], found.velocities, states.velocities),
        states.present | now,
    )
