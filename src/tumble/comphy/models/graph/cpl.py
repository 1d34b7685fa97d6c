"""CPL: hidden properties and dynamics learned from labels, and what it infers and predicts of a perceived set.

A property network learns masses and charges from labels, a dynamics network motion from exact tracks with labels.
From a perception follow the most probable bodies (in our data one is heavy, or two are charged, and never both),
their predicted motion, and the scene that programs run on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from tumble.comphy.catalogue.body import HEAVY, Body, Motion
from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.catalogue.video_set import CHANGES, Alteration, world_key
from tumble.comphy.catalogue.world import PLAIN, SHOWN_FRAMES, TARGET_FRAMES, named_world
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors, joined_videos, with_noise
from tumble.comphy.models.graph.dynamics import DynamicsNetwork, Properties, Rollout, observed_end, properties_of
from tumble.comphy.models.graph.losses import busy_frames, property_losses, video_window, window_loss
from tumble.comphy.models.graph.motion import (
    PREDICTED_THRESHOLDS,
    altered_rollout,
    collision_onsets,
    motion_of,
    observed_motion,
)
from tumble.comphy.models.graph.property_network import PropertyLogits, PropertyNetwork
from tumble.comphy.models.perceiver.perception import MatchedTruth, Perception
from tumble.comphy.models.registry import checkpoint_path
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import Event, events_of
from tumble.learning.checkpoint import load_network
from tumble.learning.harness import LossTraining, Optimisation


class CplNetwork(nn.Module):
    """Both networks, trained together from labels."""

    def __init__(
        self,
        property_hidden: int,
        property_channels: int,
        dropout: float,
        dynamics_hidden: int,
        property_blind: bool,
        world: str = PLAIN.name,
    ) -> None:
        super().__init__()
        self.world = named_world(world)
        shapes = len(self.world.shapes)
        self.properties = PropertyNetwork(property_hidden, property_channels, dropout, shapes)
        self.dynamics = DynamicsNetwork(dynamics_hidden, property_blind, shapes)


@dataclass(frozen=True)
class CplConfig:
    """All that CPL's weights depend on besides data and seed."""

    property_blind: bool = False
    """Whether the dynamics network does without masses and charges (CPL-DPI)."""
    property_hidden: int = 256
    """Width of the property network's perceptrons."""
    property_channels: int = 96
    """Channels of its convolutions over frames."""
    dropout: float = 0.1
    """In the property network."""
    dynamics_hidden: int = 128
    """Width of the dynamics network's perceptrons."""
    batch: int = 96
    """Sets for the property network in a step."""
    windows: int = 384
    """Parts of videos for the dynamics network in a step."""
    steps: int = 8
    """Frames that are predicted in such a part at first."""
    last_steps: int = 16
    """Frames that are predicted in the second half of the training."""
    busy_share: float = 0.6
    """Share of the parts that begin where two bodies are near each other."""
    target_share: float = 0.6
    """Share of the parts that are from targets."""
    reference_share: float = 0.8
    """Share of the references that the property network gets in a step."""
    least_error: float = 0.2
    """Of the standard errors of centres, in pixels: the property network is trained on noisy tracks."""
    most_error: float = 1.0
    """The largest of them."""
    dynamics_weight: float = 0.5
    """Of the dynamics network's loss."""
    learning_rate: float = 1e-3
    """At its highest."""
    world: str = PLAIN.name
    """Of the sets."""

    def network(self) -> CplNetwork:
        """The untrained network."""
        return CplNetwork(
            self.property_hidden,
            self.property_channels,
            self.dropout,
            self.dynamics_hidden,
            self.property_blind,
            self.world,
        )


class CplTraining(LossTraining):
    """Trains both networks together."""

    config_class = CplConfig

    network: CplNetwork

    def __init__(self, config: CplConfig, sets: PackedSets, device: torch.device, seed: int) -> None:
        self.config = config
        self.name = "cpl-dpi" if config.property_blind else "cpl"
        self.optimisation = Optimisation(learning_rate=config.learning_rate)
        torch.manual_seed(seed)
        self.network = config.network().to(device)
        self.device = device
        self.tracks = TrackTensors.from_packed(sets, device)
        masses, charges = (torch.from_numpy(values.copy()).to(device) for values in (sets.mass, sets.charge))
        self.properties = properties_of(masses, charges)
        references = self.tracks.references
        self.references = VideoTensors(
            references.places.flatten(0, 1),
            references.yaws.flatten(0, 1),
            references.boxes.flatten(0, 1),
            references.present.flatten(0, 1),
        )
        self.reference_count = references.present.shape[1]
        shapes = self.tracks.shapes
        self.busy = busy_frames(self.tracks.target, shapes)
        self.busy_references = busy_frames(self.references, shapes.repeat_interleave(self.reference_count, 0))

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        found = self._property_losses()
        steps = self.config.steps if progress < 0.5 else self.config.last_steps
        found["dynamics"] = self.config.dynamics_weight * self._dynamics_loss(steps)
        return found

    def _property_losses(self) -> dict[str, Tensor]:
        config = self.config
        rows = torch.randint(len(self.tracks), (config.batch,), device=self.device)
        angles = 2.0 * torch.pi * torch.rand(config.batch, device=self.device)
        mirrored = torch.rand(config.batch, device=self.device) < 0.5
        tracks = with_noise(self.tracks[rows], config.least_error, config.most_error).turned(angles, mirrored)
        used = torch.rand(config.batch, 1 + self.reference_count, device=self.device) < config.reference_share
        used[:, 0] = True
        logits = self.network.properties(tracks, used)
        return property_losses(logits, self.properties[rows], tracks.exists)

    def _dynamics_loss(self, steps: int) -> Tensor:
        """The loss on parts of targets and references, predicted together to keep the number of GPU operations low."""
        targets = round(self.config.windows * self.config.target_share)
        rows, frames = self._starts(self.tracks.target, self.busy, targets, steps)
        own = video_window(self.tracks.target, rows, frames, steps)
        others, frames = self._starts(self.references, self.busy_references, self.config.windows - targets, steps)
        part = joined_videos(own, video_window(self.references, others, frames, steps))
        sets = torch.cat([rows, torch.div(others, self.reference_count, rounding_mode="floor")])
        return window_loss(self.network.dynamics, part, self.tracks.shapes[sets], self.properties[sets], steps)

    def _starts(self, video: VideoTensors, busy: Tensor, count: int, steps: int) -> tuple[Tensor, Tensor]:
        """Videos [window] and their first frames [window]: some shortly before two bodies are near, others anywhere."""
        length = video.present.shape[1]
        rows = torch.randint(len(video.present), (count,), device=self.device)
        frames = torch.randint(1, length - steps, (count,), device=self.device)
        if len(busy):
            chosen = busy[torch.randint(len(busy), (count,), device=self.device)]
            early = torch.randint(0, steps // 2 + 1, (count,), device=self.device)
            near = (chosen[:, 1] - early).clamp(1, length - steps - 1)
            take = torch.rand(count, device=self.device) < self.config.busy_share
            rows, frames = torch.where(take, chosen[:, 0], rows), torch.where(take, near, frames)
        return rows, frames


def likely_bodies(logits: PropertyLogits, row: int, appearances: tuple[Appearance, ...]) -> tuple[Body, ...]:
    """The bodies of a set with the properties of the best hypothesis: one heavy body, or one charged pair.

    The sign of a pair's first charge can't be seen and is positive.
    """
    count = len(appearances)
    bodies = [Body(*appearance) for appearance in appearances]
    heavy, pairs = hypothesis_scores(logits, count, row)
    best_heavy, best_pair = int(heavy.argmax()), int(pairs.argmax())
    if count < 2 or heavy.flatten()[best_heavy] >= pairs.flatten()[best_pair]:
        bodies[best_heavy] = replace(bodies[best_heavy], mass=HEAVY)
        return tuple(bodies)
    relation, rest = best_pair % 2, best_pair // 2
    one, other = rest // count, rest % count
    bodies[one] = replace(bodies[one], charge=1)
    bodies[other] = replace(bodies[other], charge=1 if relation == 0 else -1)
    return tuple(bodies)


def hypothesis_scores(logits: PropertyLogits, count: int, row: int) -> tuple[Tensor, Tensor]:
    """Log-odds that each body is heavy [body], and that each pair has same or opposite charges [body, body, 2].

    Pairs count once, with the first body before the second; the others have minus infinity.
    """
    mass, charge = logits.mass[row, :count], logits.charge[row, :count, :count]
    upper = torch.ones(count, count, dtype=torch.bool, device=charge.device).triu(1)
    odds = charge[..., 1:] - charge[..., :1]
    return mass[:, 1] - mass[:, 0], torch.where(upper[..., None], odds, torch.full_like(odds, -torch.inf))


SEAM_FRAMES = 20
"""Shown frames before the predicted ones in which contacts are looked for, since they may continue."""


@dataclass(frozen=True, eq=False)
class CplPrediction:
    """CPL's results for a set."""

    perception: Perception
    logits: PropertyLogits
    bodies: tuple[Body, ...]
    """With inferred masses and charges."""
    scene: SymbolicScene
    motions: Mapping[Alteration | None, np.ndarray]
    """float64 [frame, body, 2]: places on the table, of the target with its future (None) and after changes; NaN where
    a body is not in view."""


def load_cpl(name: str, checkpoint: str | Path = "") -> CplNetwork:
    """The network of "cpl" or "cpl-dpi", from a checkpoint or from the package."""
    content = load_network(checkpoint_path(name, checkpoint), name)
    network = CplConfig(**content["config"]).network()
    network.load_state_dict(content["network"])
    return network.eval()


@torch.inference_mode()
def predict_set(
    network: CplNetwork,
    perception: Perception,
    bodies: tuple[Body, ...] | None = None,
    dynamics: MatchedTruth | None = None,
) -> CplPrediction:
    """CPL's results for a perception; with `bodies`, these are used instead of inferred ones.

    With `dynamics`, what happens after the shown frames and after changes is taken from the truth, not predicted.
    """
    tracks = TrackTensors.from_perceptions([perception], torch.device("cpu"))
    logits = network.properties(tracks)
    found = bodies or likely_bodies(logits, 0, perception.appearances)
    shapes = tracks.shapes[:1]
    shown = observed_motion(tracks.target[0], shapes[0])
    motion, future = _future_motion(network.dynamics, tracks, found, shown)
    shown_events = events_of(found, shown, 0, SHOWN_FRAMES)
    altered, motions = _altered_events(network.dynamics, tracks, found, shown_events)
    motions[None] = visible_places(motion)
    if dynamics is not None:
        future = dynamics.future.events
        motions[None] = np.concatenate([motions[None][:SHOWN_FRAMES], dynamics.future.places])
        altered |= {change: world.events for change, world in dynamics.altered.items()}
        motions |= {change: world.places for change, world in dynamics.altered.items()}
    scene = SymbolicScene(found, motion, shown_events, future, altered)
    return CplPrediction(perception, logits, found, scene, motions)


def _future_motion(
    network: DynamicsNetwork, tracks: TrackTensors, bodies: tuple[Body, ...], shown: Motion
) -> tuple[Motion, tuple[Event, ...]]:
    """The motion shown and predicted, and the events after the shown frames."""
    video, shapes = tracks.target, tracks.shapes
    steps = TARGET_FRAMES - SHOWN_FRAMES
    later = network.rollout(observed_end(video, shapes), shapes, properties_of_bodies([bodies]), steps)
    seam = VideoTensors(
        torch.cat([video.places[:, -SEAM_FRAMES:], later.places[:, 1:]], 1),
        torch.cat([video.yaws[:, -SEAM_FRAMES:], later.yaws[:, 1:]], 1),
        video.boxes[:0],
        torch.cat([video.present[:, -SEAM_FRAMES:], later.in_view[:, 1:]], 1),
    )
    onsets = collision_onsets(seam.places, seam.yaws, seam.present, shapes, PREDICTED_THRESHOLDS)[0]
    found = _motion(later, 0, shapes[0], torch.zeros_like(onsets[:1]).expand(steps + 1, -1, -1))
    whole = _joined_motion(shown, found)
    after = motion_of(seam.places[0], seam.yaws[0], seam.places[0] * 0.0, seam.present[0], shapes[0], onsets)
    first = SHOWN_FRAMES - SEAM_FRAMES
    events = events_of(bodies, after, SEAM_FRAMES, SEAM_FRAMES + steps)
    return whole, tuple(replace(event, frame=event.frame + first) for event in events)


def _altered_events(
    network: DynamicsNetwork, tracks: TrackTensors, bodies: tuple[Body, ...], shown: tuple[Event, ...]
) -> tuple[dict[Alteration, tuple[Event, ...]], dict[Alteration | None, np.ndarray]]:
    """Events and places after every change; a change without an effect, as of a charge that is 0, has those shown."""
    changes = [Alteration(body, change) for body in range(len(bodies)) for change in CHANGES]
    worlds = {world_key(change.apply(bodies)): change.apply(bodies) for change in changes}
    worlds.pop(world_key(bodies), None)
    keys, many = list(worlds), list(worlds.values())
    found = altered_rollout(
        network, tracks.target, tracks.shapes, properties_of_bodies(many), changed_bodies(bodies, many)
    )
    shapes = tracks.shapes[0]
    motions = {key: _motion(found.tracks, row, shapes, found.onsets[row]) for row, key in enumerate(keys)}
    events = {key: events_of(altered, motions[key], 0, SHOWN_FRAMES) for key, altered in zip(keys, many, strict=True)}
    by_change = {change: world_key(change.apply(bodies)) for change in changes}
    return (
        {change: events.get(key, shown) for change, key in by_change.items()},
        {change: visible_places(motions[key]) for change, key in by_change.items() if key in motions},
    )


def properties_of_bodies(worlds: list[tuple[Body, ...]]) -> Properties:
    """The properties of the bodies of worlds."""
    masses = torch.tensor([[body.mass for body in bodies] for bodies in worlds])
    return properties_of(masses, torch.tensor([[body.charge for body in bodies] for bodies in worlds]))


def changed_bodies(bodies: tuple[Body, ...], worlds: list[tuple[Body, ...]]) -> Tensor:
    """bool [world, body, 2]: bodies of another mass, and those that a charge of another effect acts on."""
    result = torch.zeros(len(worlds), len(bodies), 2, dtype=torch.bool)
    pairs = [
        (k, j) for k, one in enumerate(bodies) for j, other in enumerate(bodies) if k < j and one.charge * other.charge
    ]
    for row, altered in enumerate(worlds):
        for k, (body, new) in enumerate(zip(bodies, altered, strict=True)):
            result[row, k, 0] = body.mass != new.mass
        for pair in pairs:
            if any(altered[k] != bodies[k] for k in pair):
                result[row, list(pair), 1] = True
    return result


def visible_places(motion: Motion) -> np.ndarray:
    """float64 [frame, body, 2]: places on the table; NaN where a body is not in view."""
    return np.where(motion.in_view[..., None], motion.positions[..., :2], np.nan)


def _motion(tracks: Rollout, row: int, shapes: Tensor, onsets: Tensor) -> Motion:
    return motion_of(tracks.places[row], tracks.yaws[row], tracks.velocities[row], tracks.in_view[row], shapes, onsets)


def _joined_motion(shown: Motion, later: Motion) -> Motion:
    """The shown motion, followed by the predicted one after its first frame."""
    return Motion(
        np.concatenate([shown.positions, later.positions[1:]]),
        np.concatenate([shown.orientations, later.orientations[1:]]),
        np.concatenate([shown.velocities, later.velocities[1:]]),
        np.concatenate([shown.angular_velocities, later.angular_velocities[1:]]),
        np.concatenate([shown.in_view, later.in_view[1:]]),
        shown.collisions,
    )
