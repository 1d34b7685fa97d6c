"""The network of PCR: grounder, property network and dynamics network, and the scores that they give together.

Predicted worlds are the motion after the shown frames, and from the start after a change of a property.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot, pad

from tumble.comphy.catalogue.world import PLAIN, SHOWN_FRAMES, TARGET_FRAMES, named_world
from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors
from tumble.comphy.models.graph.dynamics import (
    DynamicsNetwork,
    Entries,
    Properties,
    States,
    fitted_states,
    observed_end,
    observed_start,
)
from tumble.comphy.models.graph.property_network import UNKNOWN, PropertyNetwork
from tumble.comphy.models.pcr.concepts import (
    COLLISION,
    HEAVIER,
    LIGHTER,
    LIMIT,
    NONE,
    OPPOSITE,
    OPPOSITELY,
    SAME,
    UNCHARGED,
    Altered,
    ConceptScores,
    SlotLayout,
    SlotTensors,
    logit_of,
)
from tumble.comphy.models.pcr.crops import Crops
from tumble.comphy.models.pcr.grounder import Grounder, shape_chances
from tumble.comphy.models.pcr.operators import Context

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


LAYOUT = SlotLayout()
IMPOSSIBLE = -30.0
"""Log probability of what can't be."""


@dataclass(frozen=True, eq=False)
class Scenes:
    """A batch of sets as the network has understood them."""

    tracks: TrackTensors
    """With the shapes that the network sees, as probabilities."""
    scores: ConceptScores

    def rows(self, numbers: Tensor) -> "Scenes":
        """Some of the sets."""
        return Scenes(self.tracks[numbers], self.scores.rows(numbers))


class PcrNetwork(nn.Module):
    """Sees a set and scores all concepts."""

    def __init__(
        self,
        object_width: int = 256,
        property_hidden: int = 192,
        property_channels: int = 64,
        dynamics_hidden: int = 128,
        dropout: float = 0.1,
        references: bool = True,
        exclusive: bool = True,
        world: str = PLAIN.name,
    ) -> None:
        super().__init__()
        self.world = named_world(world)
        shapes = len(self.world.shapes)
        self.references, self.exclusive = references, exclusive
        self.grounder = Grounder(LAYOUT, object_width, world=self.world)
        self.properties = PropertyNetwork(property_hidden, property_channels, dropout, shapes)
        self.dynamics = DynamicsNetwork(dynamics_hidden, shapes=shapes)
        self.mass_prior = nn.Parameter(torch.tensor(-1.0))
        self.charge_prior = nn.Parameter(torch.tensor([2.0, 0.0, 0.0]))

    def forward(self, tracks: TrackTensors, crops: Crops, visible: int = 0) -> Scenes:
        """The scores of sets; of the first `visible` ones the hidden properties are not inferred, which saves time."""
        exists = tracks.exists
        words = self.grounder.words(crops.pictures, crops.exists.to(torch.float32))
        shapes = shape_chances(words) * exists[..., None]
        seen = replace(tracks, shapes=shapes)
        temporal = self.grounder.temporal(seen.target, shapes)
        sets, bodies = exists.shape
        heavy = self.mass_prior.expand(visible, bodies)
        relations = self.charge_prior.log_softmax(-1).expand(visible, bodies, bodies, 3)
        if visible < sets:
            inferred = self._hidden(seen[slice(visible, None)], exists[visible:])
            heavy, relations = torch.cat([heavy, inferred[0]]), torch.cat([relations, inferred[1]])
        scores = ConceptScores(
            present=exists,
            words=words,
            moving=temporal.moving,
            moving_at=temporal.moving_at,
            direction=temporal.direction,
            direction_at=temporal.direction_at,
            events=temporal.events,
            frames=temporal.frames,
            heavy=heavy,
            relations=relations,
            future=torch.full((sets, len(LAYOUT.pairs)), -LIMIT, device=words.device),
        )
        return Scenes(seen, scores)

    def _hidden(self, tracks: TrackTensors, exists: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of heavy bodies [set, body] and log probabilities of relations [set, body, body, 3]."""
        hard = one_hot(tracks.shapes.argmax(-1), tracks.shapes.shape[-1]).to(tracks.shapes.dtype) * exists[..., None]
        videos = None
        if not self.references:
            videos = torch.arange(1 + tracks.references.present.shape[1], device=tracks.device) == 0
        logits = self.properties(replace(tracks, shapes=hard), videos)
        mass, charge = logits.mass, logits.charge
        heavy = mass[..., 1] - mass[..., 0]
        heavy = torch.where((mass > UNKNOWN + 1.0).any(-1) & exists, heavy, self.mass_prior)
        known = (charge > UNKNOWN + 1.0).any(-1, keepdim=True)
        charge = torch.where(known, charge, self.charge_prior)
        distinct = ~torch.eye(exists.shape[1], dtype=torch.bool, device=exists.device)
        pairs = exists[:, :, None] & exists[:, None] & distinct
        if self.exclusive:
            return _one_hypothesis(heavy, charge, exists, pairs)
        nothing = torch.full_like(charge, -LIMIT)
        nothing[..., NONE] = LIMIT
        return heavy, torch.where(pairs[..., None], charge, nothing).log_softmax(-1)

    def with_future(self, scenes: Scenes) -> tuple[Scenes, PredictedTracks]:
        """The scenes with the scores of collisions after the shown frames."""
        shapes = hard_shapes(scenes)
        with torch.no_grad():
            found = future_tracks(self.dynamics, scenes.tracks.target, shapes, hard_properties(scenes.scores))
        future = self._collisions(found, shapes)
        return replace(scenes, scores=replace(scenes.scores, future=future)), found

    def altered(
        self, scenes: Scenes, slots: SlotTensors, body: Tensor, change: Tensor
    ) -> tuple[Tensor, PredictedTracks]:
        """Scores [set, pair] of collisions after a change [set] of a body [set], and the predicted tracks."""
        shapes = hard_shapes(scenes)
        with torch.no_grad():
            matters = change_matters(scenes.scores, slots, body, change)
            properties = hard_properties(scenes.scores)
            found = altered_tracks(self.dynamics, scenes.tracks.target, shapes, properties, body, change, matters)
        return self._collisions(found, shapes, from_first=False), found

    def _collisions(self, found: PredictedTracks, shapes: Tensor, from_first: bool = True) -> Tensor:
        earliest = found.first if from_first else torch.zeros_like(found.first)
        return self.grounder.predicted_collisions(found.places, found.yaws, found.in_view, shapes, earliest)

    def context(self, scenes: Scenes, slots: SlotTensors, soft: bool) -> Context:
        """What programs run on."""

        def altered(weights: Tensor, change: Tensor) -> Tensor:
            return self.altered(scenes, slots, weights.detach().argmax(-1), change)[0]

        run: Altered = altered
        return Context(scenes.scores, slots, run, soft)


def hard_shapes(scenes: Scenes) -> Tensor:
    """[set, body, shape]: the likeliest shapes, one-hot; zeros for a body that a set does not have."""
    shapes = scenes.tracks.shapes
    return one_hot(shapes.argmax(-1), shapes.shape[-1]).to(shapes.dtype) * scenes.scores.present[..., None]


def padded_tracks(tracks: TrackTensors, bodies: int = LAYOUT.bodies) -> TrackTensors:
    """Tracks with room for a number of bodies."""
    missing = bodies - tracks.shapes.shape[1]
    if missing <= 0:
        return tracks
    return TrackTensors(
        pad(tracks.shapes, (0, 0, 0, missing)), *(_padded(one, missing) for one in (tracks.target, tracks.references))
    )


def _padded(video: VideoTensors, missing: int) -> VideoTensors:
    return VideoTensors(
        pad(video.places, (0, 0, 0, missing)),
        pad(video.yaws, (0, missing)),
        pad(video.boxes, (0, 0, 0, missing), value=-1.0),
        pad(video.present, (0, missing)),
    )


def _one_hypothesis(heavy: Tensor, charge: Tensor, exists: Tensor, pairs: Tensor) -> tuple[Tensor, Tensor]:
    """Scores of heavy bodies and log probabilities of relations where nothing, one body or one pair is special.

    heavy [set, body] and charge [set, body, body, 3] are logits, exists bool [set, body] and pairs bool
    [set, body, body].
    """
    bodies = heavy.shape[1]
    odds = charge - charge[..., NONE : NONE + 1]
    kinds = torch.arange(charge.shape[-1], device=charge.device) != NONE
    ordered = torch.ones(bodies, bodies, dtype=torch.bool, device=charge.device).triu(1)
    heavy = torch.where(exists, heavy, IMPOSSIBLE)
    counted = torch.where((pairs & ordered)[..., None] & kinds, odds, IMPOSSIBLE).flatten(1)
    total = torch.cat([heavy, counted, torch.zeros_like(heavy[:, :1])], 1).logsumexp(1)
    single = torch.where(pairs[..., None] & kinds, odds - total[:, None, None, None], IMPOSSIBLE)
    neither = torch.log1p(-single.exp().sum(-1).clamp(max=1.0 - 1e-6))
    return logit_of(heavy - total[:, None]), torch.where(kinds, single, neither[..., None])
