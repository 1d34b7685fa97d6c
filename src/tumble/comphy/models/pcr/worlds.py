"""Predicted worlds: motion after the shown frames, and from the start after a change of a property."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.models.data.track_tensors import VideoTensors
from tumble.comphy.models.graph.dynamics import DynamicsNetwork
from tumble.comphy.models.graph.states import Entries, Properties, States, fitted_states, observed_end, observed_start
from tumble.comphy.models.pcr.concept_scores import ConceptScores
from tumble.comphy.models.pcr.slots import COLLISION, SlotTensors
from tumble.comphy.models.pcr.words import HEAVIER, LIGHTER, NONE, OPPOSITE, OPPOSITELY, SAME, UNCHARGED

CONTEXT = 8
"""Shown frames before a predicted future, in which nothing is predicted."""
LEAD = 3
"""Frames before its first collision from which on a changed mass may matter."""
EARLIEST = 8
"""A world in which a change matters earlier is predicted from the start."""
_SWAPPED = tuple({NONE: NONE, SAME: OPPOSITE, OPPOSITE: SAME}[kind] for kind in range(3))


@dataclass(frozen=True, eq=False)
class PredictedTracks:
    """Tracks of worlds, observed in part."""

    places: Tensor
    """[world, frame, body, 2]."""
    yaws: Tensor
    """[world, frame, body]."""
    in_view: Tensor
    """bool [world, frame, body]."""
    first: Tensor
    """int64 [world]: the first frame that is predicted."""


def hard_properties(scenes: ConceptScores) -> Properties:
    """The likeliest properties, without a gradient."""
    relations = scenes.relations.detach()
    heavy = (scenes.heavy.detach() > 0).to(relations.dtype)
    return Properties(heavy, one_hot(relations.argmax(-1), relations.shape[-1]).to(relations.dtype))


def changed_properties(properties: Properties, body: Tensor, change: Tensor) -> Properties:
    """Properties after a change [world] of a body [world]: another mass, no charge, or the opposite charge."""
    bodies = properties.heavy.shape[1]
    own = one_hot(body, bodies).bool()
    heavy = torch.where(own & (change == HEAVIER)[:, None], 1.0, properties.heavy)
    heavy = torch.where(own & (change == LIGHTER)[:, None], 0.0, heavy)
    touching = (own[:, :, None] | own[:, None, :])[..., None]
    none = torch.zeros_like(properties.relations)
    none[..., NONE] = 1.0
    swapped = torch.stack([properties.relations[..., kind] for kind in _SWAPPED], -1)
    relations = torch.where(touching & (change == UNCHARGED)[:, None, None, None], none, properties.relations)
    return Properties(heavy, torch.where(touching & (change == OPPOSITELY)[:, None, None, None], swapped, relations))


def future_tracks(
    dynamics: DynamicsNetwork, target: VideoTensors, shapes: Tensor, properties: Properties
) -> PredictedTracks:
    """The last shown frames, and the frames after them."""
    found = dynamics.rollout(observed_end(target, shapes), shapes, properties, TARGET_FRAMES - SHOWN_FRAMES)
    places = torch.cat([target.places[:, -CONTEXT:], found.places[:, 1:]], 1)
    yaws = torch.cat([target.yaws[:, -CONTEXT:], found.yaws[:, 1:]], 1)
    in_view = torch.cat([target.present[:, -CONTEXT:], found.in_view[:, 1:]], 1)
    return PredictedTracks(places, yaws, in_view, torch.full_like(properties.heavy[:, 0].long(), CONTEXT))


def altered_tracks(
    dynamics: DynamicsNetwork,
    target: VideoTensors,
    shapes: Tensor,
    properties: Properties,
    body: Tensor,
    change: Tensor,
    matters: Tensor,
) -> PredictedTracks:
    """The shown frames after a change: as observed up to the frame `matters` [world], predicted from there on."""
    changed = changed_properties(properties, body, change)
    first = torch.where(matters >= EARLIEST, matters, 0)
    start, entries = _start(target, shapes, first)
    steps = SHOWN_FRAMES - 1
    if first.device.type == "cpu":  # elsewhere, to read a number takes longer than the steps that it saves
        steps -= int(first.min())
    found = dynamics.rollout(start, shapes, changed, steps, entries)
    frames = torch.arange(SHOWN_FRAMES, device=first.device)
    later = (frames - first[:, None]).clamp(min=0)
    rows = torch.arange(len(first), device=first.device)[:, None]
    predicted = (frames > first[:, None])[..., None]
    places = torch.where(predicted[..., None], found.places[rows, later], target.places)
    yaws = torch.where(predicted, found.yaws[rows, later], target.yaws)
    return PredictedTracks(places, yaws, torch.where(predicted, found.in_view[rows, later], target.present), first)


def _start(target: VideoTensors, shapes: Tensor, first: Tensor) -> tuple[States, Entries]:
    """States at frames [world], fitted to the frames before them, and of bodies that come into view later."""
    start, entries = observed_start(target, shapes)
    frames = first[:, None].expand(-1, shapes.shape[1])
    midway = fitted_states(target, shapes, frames, -1)
    later = (first > 0)[:, None]
    states = States(
        torch.where(later[..., None], midway.places, start.places),
        torch.where(later, midway.yaws, start.yaws),
        torch.where(later[:, None, :, None], midway.velocities, start.velocities),
        torch.where(later, midway.present, start.present),
    )
    arriving = entries.frames > frames
    return states, replace(entries, frames=torch.where(arriving, entries.frames - frames, -1))


def change_matters(scenes: ConceptScores, slots: SlotTensors, body: Tensor, change: Tensor) -> Tensor:
    """int64 [world]: the frame from which on a change may matter, as a margin before it.

    A changed mass of an uncharged body matters from its first collision on; a charge acts from the start.
    """
    bodies = scenes.heavy.shape[1]
    own = one_hot(body, bodies).bool()
    collides = (scenes.events > 0) & (slots.kinds == COLLISION) & (own[:, None] & slots.member).any(-1)
    frames = torch.where(collides, scenes.frames, SHOWN_FRAMES - 1 + LEAD).amin(-1) - LEAD
    charged = ((scenes.relations.argmax(-1) != NONE).any(-1) & own).any(-1)
    is_mass = (change == HEAVIER) | (change == LIGHTER)
    return torch.where(is_mass & ~charged, frames, 0)
