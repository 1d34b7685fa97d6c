"""Tracks on the table: the perceived centres put back into space through the camera, with smoothed velocities."""

from dataclasses import dataclass

import numpy as np

from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, HALF_HEIGHTS

REACH = 3
"""Frames before and after a frame from which its velocity is estimated."""


@dataclass(frozen=True, eq=False)
class TableTracks:
    """Where the bodies of a video are on the table."""

    members: tuple[int, ...]
    """Indices of the set's bodies; the columns of all arrays are in this order."""
    positions: np.ndarray
    """float64 [frame, body, 2]: x and y of the bodies' centres in units of the simulation; NaN where not seen."""
    velocities: np.ndarray
    """float64 [frame, body, 2]: units per second; NaN where a body is seen in fewer than two frames around a frame."""


def table_tracks(perception: Perception) -> tuple[TableTracks, ...]:
    """The tracks of all videos of a set: the target's, then the references'."""
    videos = (perception.target, *perception.references)
    return tuple(video_table_tracks(video, perception) for video in videos)


def video_table_tracks(video: PerceivedVideo, perception: Perception, reach: int = REACH) -> TableTracks:
    """The tracks of a video of a perception; velocities from `reach` frames to both sides."""
    heights = np.array([HALF_HEIGHTS[perception.appearances[k].shape] for k in video.members], float)
    positions = CAMERA.places(np.where(video.seen[..., None], video.centres, np.nan), heights)
    return TableTracks(video.members, positions, smoothed_velocities(positions, video.errors, reach))


def smoothed_velocities(positions: np.ndarray, errors: np.ndarray, reach: int = REACH) -> np.ndarray:
    """float64 [frame, body, 2]: slopes of weighted linear fits to the positions [frame, body, 2] around each frame.

    Weights are the inverse squares of `errors` [frame, body]; missing positions (NaN) have no weight.
    """
    frames, bodies = positions.shape[:2]
    known = np.isfinite(positions).all(axis=-1)
    weights = np.where(known, 1.0 / np.where(known, errors, 1.0) ** 2, 0.0)
    values = np.where(known[..., None], positions, 0.0)
    padding = ((reach, reach), (0, 0))
    around = np.stack([np.pad(weights, padding)[k : k + frames] for k in range(2 * reach + 1)])
    places = np.stack([np.pad(values, (*padding, (0, 0)))[k : k + frames] for k in range(2 * reach + 1)])
    times = (np.arange(2 * reach + 1) - reach)[:, None, None] / FRAMES_PER_SECOND
    total = np.maximum(around.sum(axis=0), 1e-12)
    centred = times - (around * times).sum(axis=0) / total
    spread = (around * centred**2).sum(axis=0)
    slopes = (around * centred)[..., None] * places
    enough = (around > 0.0).sum(axis=0) >= 2
    result = np.full((frames, bodies, 2), np.nan)
    result[enough] = slopes.sum(axis=0)[enough] / spread[enough][:, None]
    return result
