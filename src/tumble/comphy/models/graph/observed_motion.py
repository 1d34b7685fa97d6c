"""Perceived tracks as motion: positions and velocities on the table, presence and collisions, for symbolic programs."""

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.body import Collision, Motion, yaw_quaternions
from tumble.comphy.catalogue.world import STEPS_PER_FRAME
from tumble.comphy.models.data.shape_geometry import heights_of
from tumble.comphy.models.data.table_camera import PICTURE, to_picture
from tumble.comphy.models.data.track_filters import local_lines
from tumble.comphy.models.data.track_tensors import VideoTensors
from tumble.comphy.models.graph.collisions import OBSERVED, collision_onsets
from tumble.comphy.models.graph.states import TOLERANCE, noise_of

REACHES = (2, 3, 5, 8, 12)
"""Frames to each side over which velocities are fitted: the most that agree with one velocity."""


def observed_motion(video: VideoTensors, shapes: Tensor) -> Motion:
    """The motion in a perceived video [frame, body, …] of bodies with shapes [body, shape].

    Positions and velocities are 0 where a body is not in view.
    """
    one = video_of_one(video)
    onsets = collision_onsets(one.places, one.yaws, one.present, shapes[None], OBSERVED)[0]
    return motion_of(video.places, video.yaws, local_velocities(one, shapes[None])[0], video.present, shapes, onsets)


def video_of_one(video: VideoTensors) -> VideoTensors:
    """A video as a batch of one."""
    return VideoTensors(video.places[None], video.yaws[None], video.boxes[None], video.present[None])


def local_velocities(video: VideoTensors, shapes: Tensor) -> Tensor:
    """[video, frame, body, 2]: velocities on the table, from as many frames around each one as agree with a line."""
    heights = heights_of(shapes)[:, None].expand(video.present.shape)
    size = torch.tensor(PICTURE, dtype=video.places.dtype, device=video.places.device)
    points = to_picture(video.places, heights) * size
    allowed = TOLERANCE[0] * noise_of(video, shapes)[:, None, None] + TOLERANCE[1]
    velocity, _ = local_lines(video.places, video.present, REACHES[0])
    for reach in REACHES[1:]:
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
