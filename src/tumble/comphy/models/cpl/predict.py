"""CPL at test: from a perception to inferred bodies, predicted motion, and the scene that programs run on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.video_set import CHANGES, Alteration, world_key
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.models.cpl.network import CplNetwork
from tumble.comphy.models.cpl.training import CplConfig
from tumble.comphy.models.data.matched_truth import MatchedTruth
from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors
from tumble.comphy.models.graph.altered import altered_rollout
from tumble.comphy.models.graph.collisions import PREDICTED, collision_onsets
from tumble.comphy.models.graph.dynamics import DynamicsNetwork, Rollout
from tumble.comphy.models.graph.hypotheses import likely_bodies
from tumble.comphy.models.graph.observed_motion import motion_of, observed_motion
from tumble.comphy.models.graph.property_network import PropertyLogits
from tumble.comphy.models.graph.states import Properties, observed_end, properties_of
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.models.shipped import checkpoint_path
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import Event, events_of
from tumble.learning.trainer import load_network

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
def predict(
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
    motion, future = _future(network.dynamics, tracks, found, shown)
    shown_events = events_of(found, shown, 0, SHOWN_FRAMES)
    altered, motions = _altered(network.dynamics, tracks, found, shown_events)
    motions[None] = visible_places(motion)
    if dynamics is not None:
        future = dynamics.future.events
        motions[None] = np.concatenate([motions[None][:SHOWN_FRAMES], dynamics.future.places])
        altered |= {change: world.events for change, world in dynamics.altered.items()}
        motions |= {change: world.places for change, world in dynamics.altered.items()}
    scene = SymbolicScene(found, motion, shown_events, future, altered)
    return CplPrediction(perception, logits, found, scene, motions)


def _future(
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
    onsets = collision_onsets(seam.places, seam.yaws, seam.present, shapes, PREDICTED)[0]
    found = _motion(later, 0, shapes[0], torch.zeros_like(onsets[:1]).expand(steps + 1, -1, -1))
    whole = _joined(shown, found)
    after = motion_of(seam.places[0], seam.yaws[0], seam.places[0] * 0.0, seam.present[0], shapes[0], onsets)
    first = SHOWN_FRAMES - SEAM_FRAMES
    events = events_of(bodies, after, SEAM_FRAMES, SEAM_FRAMES + steps)
    return whole, tuple(replace(event, frame=event.frame + first) for event in events)


def _altered(
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


def _joined(shown: Motion, later: Motion) -> Motion:
    """The shown motion, followed by the predicted one after its first frame."""
    return Motion(
        np.concatenate([shown.positions, later.positions[1:]]),
        np.concatenate([shown.orientations, later.orientations[1:]]),
        np.concatenate([shown.velocities, later.velocities[1:]]),
        np.concatenate([shown.angular_velocities, later.angular_velocities[1:]]),
        np.concatenate([shown.in_view, later.in_view[1:]]),
        shown.collisions,
    )
