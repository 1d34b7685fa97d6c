"""Counterfactual motion: bodies follow their observed tracks until something that changed reaches them.

A body whose mass is changed moves as observed until it touches another; a changed charge acts from the start. From then
on a body is predicted, and so is every body that it comes near to, or that it touched in the observed video.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from tumble.comphy.models.data.shape_geometry import heights_of
from tumble.comphy.models.data.table_camera import in_picture, to_picture
from tumble.comphy.models.data.track_tensors import VideoTensors
from tumble.comphy.models.graph.collisions import OBSERVED, PREDICTED, collision_onsets, outline_gaps
from tumble.comphy.models.graph.dynamics import BEYOND, DynamicsNetwork, Rollout
from tumble.comphy.models.graph.states import Properties, States, fitted_states

AHEAD = 3
"""Frames before an observed contact in which a body is let go."""
NEAR = 0.15
"""Gap below which a predicted body may touch another."""
SETTLED = 5
"""Frames after which a body's state is fitted to the frames before instead of those after."""


@dataclass(frozen=True, eq=False)
class AlteredRollout:
    """Tracks of altered worlds, and the onsets of their collisions."""

    tracks: Rollout
    free: Tensor
    """bool [world, frame, body]: whether a body is predicted; else it is as observed."""
    onsets: Tensor
    """bool [world, frame, body, body]."""


def states_in_all_frames(video: VideoTensors, shapes: Tensor) -> States:
    """The states of a video [1, frame, body, …] in all of its frames, as worlds [frame, body, …]."""
    count, bodies = video.present.shape[1:]
    many = VideoTensors(
        video.places.expand(count, -1, -1, -1),
        video.yaws.expand(count, -1, -1),
        video.boxes[:0],
        video.present.expand(count, -1, -1),
    )
    frames = torch.arange(count, device=shapes.device)[:, None].expand(count, bodies)
    kinds = shapes.expand(count, -1, -1)
    before, after = (fitted_states(many, kinds, frames, direction) for direction in (-1, 1))
    settled = frames - video.present[0].long().argmax(0) >= SETTLED
    return States(
        torch.where(settled[..., None], before.places, after.places),
        torch.where(settled, before.yaws, after.yaws),
        torch.where(settled[:, None, :, None], before.velocities, after.velocities),
        video.present[0],
    )


def altered_rollout(
    network: DynamicsNetwork, video: VideoTensors, shapes: Tensor, properties: Properties, changed: Tensor
) -> AlteredRollout:
    """The motion of altered worlds in the frames of an observed video [1, frame, body, …].

    properties are those after the change, [world, …]; shapes are [1, body, shape]; changed is bool [world, body, 2]:
    bodies that act differently when they touch, and those that act differently from the start.
    """
    worlds, frames = len(changed), video.present.shape[1]
    observed = states_in_all_frames(video, shapes)
    kinds = shapes.expand(worlds, -1, -1)
    heights = heights_of(kinds)
    contact = _contacts_ahead(video, shapes)
    free = changed[..., 1] & observed.present[0]
    states = _world_states(observed, 0, worlds)
    gone = torch.zeros_like(free)
    found, freed = [states], [free]
    for frame in range(1, frames):
        predicted = network.step(states, kinds, properties)
        states = _merged(predicted, _world_states(observed, frame, worlds), free)
        seen = in_picture((to_picture(states.places, heights) + BEYOND) / (1.0 + 2.0 * BEYOND))
        gone = gone | (free & ~seen)
        states = replace(states, present=states.present & ~gone)
        free = _spread(states, free, changed, contact[frame], kinds)
        found.append(states)
        freed.append(free)
    tracks = _rollout(found, heights)
    return AlteredRollout(tracks, torch.stack(freed, 1), _onsets(tracks, torch.stack(freed, 1), video, kinds))


def _spread(states: States, free: Tensor, changed: Tensor, contact: Tensor, shapes: Tensor) -> Tensor:
    """bool [world, body]: which bodies are free after a frame, from those that were."""
    touches = contact[None]  # [1, body, body]
    free = free | (changed[..., 1] & states.present) | (changed[..., 0] & touches.any(-1))
    offset = states.places[:, None] - states.places[:, :, None]
    gaps = outline_gaps(offset[:, None], states.yaws[:, None], shapes)[:, 0]
    near = (gaps < NEAR) & states.present[:, :, None] & states.present[:, None]
    reached = ((near | touches) & free[:, None]).any(-1)
    return (free | reached) & states.present


def _contacts_ahead(video: VideoTensors, shapes: Tensor) -> Tensor:
    """bool [frame, body, body]: whether two bodies touch in the observed video in one of the next frames."""
    offset = video.places[:, :, None] - video.places[:, :, :, None]
    gaps = outline_gaps(offset, video.yaws, shapes)
    both = video.present[:, :, None] & video.present[:, :, :, None]
    distinct = ~torch.eye(both.shape[-1], dtype=torch.bool, device=both.device)
    touching = ((gaps < OBSERVED.near) & both & distinct)[0]
    ahead = touching.clone()
    for offset_frames in range(1, AHEAD + 1):
        ahead[:-offset_frames] |= touching[offset_frames:]
    return ahead


def _world_states(observed: States, frame: int, worlds: int) -> States:
    """The observed states of a frame, in every world."""
    one = observed[slice(frame, frame + 1)]
    return States(
        one.places.expand(worlds, -1, -1),
        one.yaws.expand(worlds, -1),
        one.velocities.expand(worlds, -1, -1, -1),
        one.present.expand(worlds, -1),
    )


def _merged(predicted: States, observed: States, free: Tensor) -> States:
    """Predicted states of free bodies, and observed ones of the others."""
    return States(
        torch.where(free[..., None], predicted.places, observed.places),
        torch.where(free, predicted.yaws, observed.yaws),
        torch.where(free[:, None, :, None], predicted.velocities, observed.velocities),
        torch.where(free, predicted.present, observed.present),
    )


def _rollout(frames: list[States], heights: Tensor) -> Rollout:
    places = torch.stack([one.places for one in frames], 1)
    present = torch.stack([one.present for one in frames], 1)
    in_view = present & in_picture(to_picture(places, heights[:, None].expand(places.shape[:-1])))
    return Rollout(
        places,
        torch.stack([one.yaws for one in frames], 1),
        torch.stack([one.velocities[:, 0] for one in frames], 1),
        present,
        in_view,
    )


def _onsets(tracks: Rollout, free: Tensor, video: VideoTensors, shapes: Tensor) -> Tensor:
    """Collisions: as observed of bodies that both are as observed, else those of the predicted tracks."""
    predicted = collision_onsets(tracks.places, tracks.yaws, tracks.in_view, shapes, PREDICTED)
    seen = collision_onsets(video.places, video.yaws, video.present, shapes[:1], OBSERVED)
    either = free[:, :, :, None] | free[:, :, None]
    return torch.where(either, predicted, seen)
