"""A perception made of exact tracks, for models that are to be run without errors of the perceiver."""

import numpy as np

from tumble.comphy.catalogue.task import Appearance, Observation, SeenVideo
from tumble.comphy.dataset.tracks import ABSENT
from tumble.comphy.models.data.shape_geometry import FOLDS
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception
from tumble.comphy.observation.camera import CAMERA

TRACK_ERROR = 0.05
"""Standard error of exact centres, in pixels of a picture 240 wide: above 0, since users divide by it."""


def perception_of(observation: Observation) -> Perception:
    """The perception of a set from its exact tracks; a body is seen where its centre is in view, occluded or not."""
    appearances = observation.appearances
    return Perception(
        appearances,
        _perceived(observation.target, appearances),
        tuple(_perceived(video, appearances) for video in observation.references),
        observation.forms,
    )


def _perceived(video: SeenVideo, appearances: tuple[Appearance, ...]) -> PerceivedVideo:
    seen = np.asarray(video.track.in_view, bool)
    folds = np.array([FOLDS[appearances[k].shape] for k in video.members], int)
    orientations = video.track.orientations
    turns = 2.0 * np.pi / np.maximum(folds, 1)
    yaws = np.mod(2.0 * np.arctan2(orientations[..., 3], orientations[..., 0]), turns)
    return PerceivedVideo(
        video.members,
        seen,
        np.where(seen[..., None], CAMERA.project(video.track.positions)[..., :2], np.nan),
        np.full(seen.shape, TRACK_ERROR),
        np.where(seen & (folds > 0), yaws, np.nan),
        np.where(seen[..., None], video.boxes, ABSENT).astype(np.float32),
    )
