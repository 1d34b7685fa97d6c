"""Motion and collisions in tracks on the table: observed, for symbolic programs, and in altered worlds.

Two bodies collide when they are near and their relative velocity jumps. In an altered world bodies follow their
observed tracks until something that changed reaches them: a body whose mass is changed moves as observed until it
touches another; a changed charge acts from the start. From then on a body is predicted, and so is every body that it
comes near to, or that it touched in the observed video.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.body import Collision, Motion, yaw_quaternions
from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, PLAIN, RADIUS, STEPS_PER_FRAME
from tumble.comphy.models.data.geometry import (
    PICTURE_SIZE,
    heights_of,
    in_picture,
    object_gaps,
    to_picture,
    world_of_shapes,
)
from tumble.comphy.models.data.track_tensors import VideoTensors, local_lines, slopes_per_second
from tumble.comphy.models.graph.dynamics import (
    BEYOND,
    FIT_TOLERANCE,
    DynamicsNetwork,
    Properties,
    Rollout,
    States,
    fitted_states,
    noise_of,
)
from tumble.comphy.simulation.events import APART_FRAMES

REACH = 2
"""Velocities before and after a frame are fitted to 2 * REACH + 1 frames each, up to the frame next to it."""


@dataclass(frozen=True)
class Thresholds:
    """Thresholds by which two bodies collide; lengths in units, speeds per second."""

    touching: float
    """Below this gap between their outlines they touch, whatever their velocities do."""
    near: float
    """Below this gap they touch if their relative velocity jumps."""
    jump: float
    """Least change of the speed at which they part."""
    hold: float
    """Below this gap two bodies that touched still touch."""


OBSERVED_THRESHOLDS = Thresholds(touching=0.0, near=0.05, jump=0.25, hold=0.04)
PREDICTED_THRESHOLDS = Thresholds(touching=0.005, near=0.05, jump=0.15, hold=0.02)


def collision_onsets(
    places: Tensor, yaws: Tensor, present: Tensor, shapes: Tensor, thresholds: Thresholds = PREDICTED_THRESHOLDS
) -> Tensor:
    """bool [world, frame, body, body]: the frames in which two bodies begin to collide, symmetric.

    places are [world, frame, body, 2], yaws and present [world, frame, body], shapes [world, body, shape]. Contacts of
    a pair that has not been apart for APART_FRAMES belong to one collision.
    """
    gap, jump, both = pair_signals(places, yaws, present, shapes)
    touching = both & ((gap < thresholds.touching) | ((gap < thresholds.near) & (jump > thresholds.jump)))
    return contact_onsets(touching, both & (gap < thresholds.hold))


def contact_onsets(touching: Tensor, holding: Tensor) -> Tensor:
    """bool [world, frame, …]: frames that touch after APART_FRAMES frames of neither touching nor holding on."""
    apart = torch.full_like(touching[:, 0], APART_FRAMES + 1, dtype=torch.long)
    found = []
    for now, held in zip(touching.unbind(1), holding.unbind(1), strict=True):
        found.append(now & (apart > APART_FRAMES))
        apart = torch.where(now | (held & (apart <= APART_FRAMES)), torch.zeros_like(apart), apart + 1)
    return torch.stack(found, 1)


def pair_signals(places: Tensor, yaws: Tensor, present: Tensor, shapes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """[world, frame, body, body] each: gap, jump of the speed at which two bodies part, whether both are there."""
    offset = places[:, :, None] - places[:, :, :, None]  # [world, frame, one, other, 2]
    distance = torch.linalg.vector_norm(offset, dim=-1).clamp(min=0.05)
    normal = offset / distance[..., None]
    change = _change_of_velocity(places, present)
    jump = ((change[:, :, None] - change[:, :, :, None]) * normal).sum(-1)
    bodies = present.shape[-1]
    distinct = ~torch.eye(bodies, dtype=torch.bool, device=present.device)
    return outline_gaps(offset, yaws, shapes), jump, present[:, :, None] & present[:, :, :, None] & distinct


def _change_of_velocity(places: Tensor, present: Tensor) -> Tensor:
    """[world, frame, body, 2]: velocity in the frames after a frame, less that in the frames before."""
    velocity, known = slopes_per_second(places, present, REACH), present[..., None]
    count = places.shape[1]
    frames = torch.arange(count, device=places.device)
    change = torch.zeros_like(places)
    for shift in range(REACH + 1, 0, -1):  # nearer frames where a body is not there in the farther ones
        later, earlier = (frames + shift).clamp(max=count - 1), (frames - shift).clamp(min=0)
        both = known[:, later] & known[:, earlier]
        change = torch.where((change == 0.0) & both, velocity[:, later] - velocity[:, earlier], change)
    return change


def outline_gaps(offset: Tensor, yaws: Tensor, shapes: Tensor) -> Tensor:
    """[world, frame, one, other]: the gap between the outlines of two bodies seen from above; below 0 they overlap.

    offset is [world, frame, one, other, 2], yaws [world, frame, body], shapes [world, body, shape].
    """
    if world_of_shapes(shapes) is not PLAIN:
        return object_gaps(offset, yaws, shapes)
    distance = torch.linalg.vector_norm(offset, dim=-1)
    in_one, in_other = _turned(offset, yaws[:, :, :, None]).abs(), _turned(offset, yaws[:, :, None]).abs()
    cube = shapes[:, None, :, 0] > 0.5
    one, other = cube[..., None], cube[..., None, :]
    balls = distance - 2.0 * RADIUS
    turn = yaws[:, :, :, None] - yaws[:, :, None]
    reach = CUBE_HALF_SIZE * (1.0 + turn.cos().abs() + turn.sin().abs())
    both = torch.maximum(in_one.amax(-1), in_other.amax(-1)) - reach
    mixed = torch.where(one, _square_gap(in_one), _square_gap(in_other)) - RADIUS
    return torch.where(one & other, both, torch.where(one | other, mixed, balls))


def _square_gap(inside: Tensor) -> Tensor:
    """Distance of points [..., 2], in the axes of a square, from its border; below 0 inside."""
    away = inside - CUBE_HALF_SIZE
    outside: Tensor = torch.linalg.vector_norm(away.clamp(min=0.0), dim=-1)
    return outside + away.amax(-1).clamp(max=0.0)


def _turned(offset: Tensor, yaws: Tensor) -> Tensor:
    """Offsets [..., 2] in axes turned by yaws [...]."""
    cosine, sine = yaws.cos(), yaws.sin()
    x, y = offset.unbind(-1)
    return torch.stack([cosine * x + sine * y, cosine * y - sine * x], -1)


VELOCITY_REACHES = (2, 3, 5, 8, 12)
"""Frames to each side over which velocities are fitted: the most that agree with one velocity."""


def observed_motion(video: VideoTensors, shapes: Tensor) -> Motion:
    """The motion in a perceived video [frame, body, …] of bodies with shapes [body, shape].

    Positions and velocities are 0 where a body is not in view.
    """
    one = video_of_one(video)
    onsets = collision_onsets(one.places, one.yaws, one.present, shapes[None], OBSERVED_THRESHOLDS)[0]
    return motion_of(video.places, video.yaws, local_velocities(one, shapes[None])[0], video.present, shapes, onsets)


def video_of_one(video: VideoTensors) -> VideoTensors:
    """A video as a batch of one."""
    return VideoTensors(video.places[None], video.yaws[None], video.boxes[None], video.present[None])


def local_velocities(video: VideoTensors, shapes: Tensor) -> Tensor:
    """[video, frame, body, 2]: velocities on the table, from as many frames around each one as agree with a line."""
    heights = heights_of(shapes)[:, None].expand(video.present.shape)
    size = torch.tensor(PICTURE_SIZE, dtype=video.places.dtype, device=video.places.device)
    points = to_picture(video.places, heights) * size
    allowed = FIT_TOLERANCE[0] * noise_of(video, shapes)[:, None, None] + FIT_TOLERANCE[1]
    velocity, _ = local_lines(video.places, video.present, VELOCITY_REACHES[0])
    for reach in VELOCITY_REACHES[1:]:
        slope, _ = local_lines(video.places, video.present, reach)
        _, rest = local_lines(points, video.present, reach)
        velocity = torch.where((rest < allowed)[..., None], slope, velocity)
    return velocity


def motion_of(
    places: Tensor, yaws: Tensor, velocities: Tensor, in_view: Tensor, shapes: Tensor, onsets: Tensor
) -> Motion:
    """The motion of tracks [frame, body, …] with the onsets of collisions [frame, body, body]."""
    heights = heights_of(shapes)[None, :, None].expand(*places.shape[:2], 1)
    seen = in_view[..., None]
    flat = torch.cat([velocities[..., :2], torch.zeros_like(heights)], -1) * seen
    positions = torch.cat([places * seen, heights], -1)
    upper = torch.ones(onsets.shape[1:], dtype=torch.bool, device=onsets.device).triu(1)
    found = (onsets & upper).nonzero().tolist()
    orientations = yaw_quaternions(_array(yaws))
    return Motion(
        _array(positions),
        orientations,
        _array(flat),
        np.zeros_like(orientations[..., :3]),
        in_view.cpu().numpy(),
        tuple(Collision(frame * STEPS_PER_FRAME, one, other) for frame, one, other in found),
    )


def _array(values: Tensor) -> np.ndarray:
    return values.detach().double().cpu().numpy()


CONTACT_AHEAD = 3
"""Frames before an observed contact in which a body is let go."""
NEAR_GAP = 0.15
"""Gap below which a predicted body may touch another."""
SETTLED_FRAMES = 5
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
    settled = frames - video.present[0].long().argmax(0) >= SETTLED_FRAMES
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
        states = _merged_states(predicted, _world_states(observed, frame, worlds), free)
        seen = in_picture((to_picture(states.places, heights) + BEYOND) / (1.0 + 2.0 * BEYOND))
        gone = gone | (free & ~seen)
        states = replace(states, present=states.present & ~gone)
        free = _spread(states, free, changed, contact[frame], kinds)
        found.append(states)
        freed.append(free)
    tracks = _rollout(found, heights)
    return AlteredRollout(tracks, torch.stack(freed, 1), _altered_onsets(tracks, torch.stack(freed, 1), video, kinds))


def _spread(states: States, free: Tensor, changed: Tensor, contact: Tensor, shapes: Tensor) -> Tensor:
    """bool [world, body]: which bodies are free after a frame, from those that were."""
    touches = contact[None]  # [1, body, body]
    free = free | (changed[..., 1] & states.present) | (changed[..., 0] & touches.any(-1))
    offset = states.places[:, None] - states.places[:, :, None]
    gaps = outline_gaps(offset[:, None], states.yaws[:, None], shapes)[:, 0]
    near = (gaps < NEAR_GAP) & states.present[:, :, None] & states.present[:, None]
    reached = ((near | touches) & free[:, None]).any(-1)
    return (free | reached) & states.present


def _contacts_ahead(video: VideoTensors, shapes: Tensor) -> Tensor:
    """bool [frame, body, body]: whether two bodies touch in the observed video in one of the next frames."""
    offset = video.places[:, :, None] - video.places[:, :, :, None]
    gaps = outline_gaps(offset, video.yaws, shapes)
    both = video.present[:, :, None] & video.present[:, :, :, None]
    distinct = ~torch.eye(both.shape[-1], dtype=torch.bool, device=both.device)
    touching = ((gaps < OBSERVED_THRESHOLDS.near) & both & distinct)[0]
    ahead = touching.clone()
    for offset_frames in range(1, CONTACT_AHEAD + 1):
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


def _merged_states(predicted: States, observed: States, free: Tensor) -> States:
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


def _altered_onsets(tracks: Rollout, free: Tensor, video: VideoTensors, shapes: Tensor) -> Tensor:
    """Collisions: as observed of bodies that both are as observed, else those of the predicted tracks."""
    predicted = collision_onsets(tracks.places, tracks.yaws, tracks.in_view, shapes, PREDICTED_THRESHOLDS)
    seen = collision_onsets(video.places, video.yaws, video.present, shapes[:1], OBSERVED_THRESHOLDS)
    either = free[:, :, :, None] | free[:, :, None]
    return torch.where(either, predicted, seen)
