"""The perceiver: bodies and their tracks from pictures of a set's videos, or from exact tracks.

Exact tracks are for models that are to be run without errors of the perceiver. Perceptions are written as detected
tracks in the form of a dataset's own: boxes in pixels, and the attributes of bodies.
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import Appearance, Observation, SeenVideo
from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.dataset.json_files import write_json
from tumble.comphy.dataset.layout import VIDEOS, video_name
from tumble.comphy.dataset.motion_files import AUTHOR_SIZE, author_config
from tumble.comphy.dataset.tracks import ABSENT, pixel_boxes, write_boxes
from tumble.comphy.models.data.geometry import FOLDS
from tumble.comphy.models.perceiver.identities import LEAST_IN_REFERENCE, SetBody, find_bodies, find_bodies_jointly
from tumble.comphy.models.perceiver.network import HEIGHT, WIDTH, PerceiverNetwork
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception
from tumble.comphy.models.perceiver.targets import look_counts
from tumble.comphy.models.perceiver.tracking import (
    Detections,
    detect,
    detected_folds,
    joined_detections,
    link_tracks,
    mask_labels,
)
from tumble.comphy.models.perceiver.training import NAME, PerceiverConfig
from tumble.comphy.models.registry import checkpoint_path
from tumble.comphy.observation.camera import CAMERA
from tumble.errors import TumbleError
from tumble.learning.checkpoint import load_network
from tumble.learning.networks import mixed_precision, torch_device

BATCH = {"cpu": 16, "cuda": 512}
"""Frames in a batch."""
UNSEEN_ERROR = 100.0
"""Standard error of the centre of a body that is not seen, in pixels."""


class PictureError(TumbleError):
    """Arrays that are not the pictures of videos."""


class Perceiver:
    """Finds bodies in pictures."""

    def __init__(self, network: PerceiverNetwork, device: torch.device) -> None:
        self.device, self.world = device, network.world
        self.network = network.to(device).fused()

    @classmethod
    def load(cls, checkpoint: str | Path = "", device: str = "cpu") -> "Perceiver":
        """The perceiver of a checkpoint, or the one that comes with the package."""
        content = load_network(checkpoint_path(NAME, checkpoint), NAME)
        network = PerceiverConfig(**content["config"]).network()
        network.load_state_dict(content["network"])
        return cls(network, torch_device(device))

    def perceive(self, videos: tuple[np.ndarray, ...]) -> Perception:
        """What is found in the videos of a set, the target first: uint8 [frame, height, width, 3] each."""
        found = self.detect_videos(videos)
        tracks = [track for k, one in enumerate(found) for track in link_tracks(one, k)]
        bodies = find_bodies(tracks) if self.world == PLAIN else find_bodies_jointly(tracks, found, self.world)
        looks = np.array([body.look for body in bodies], np.int64)
        appearances = appearances_of(looks, self.world)
        tracked = [_video(k, len(video), found[k], bodies, appearances, self.world) for k, video in enumerate(videos)]
        return Perception(appearances, tracked[0], tuple(tracked[1:]))

    def detect_videos(self, videos: tuple[np.ndarray, ...]) -> list[Detections]:
        """The detections of each video."""
        for video in videos:
            if video.ndim != 4 or video.shape[3] != 3 or video.dtype != np.uint8 or not video.size:
                shape = list(video.shape)
                raise PictureError(f"a video must be uint8 [frame, height, width, 3], not {video.dtype} {shape}")
        if not videos:
            raise PictureError("there are no videos to look at")
        return [self._detect_video(video) for video in videos]

    def masks(self, video: np.ndarray, perceived: PerceivedVideo) -> np.ndarray:
        """uint8 [frame, HEIGHT, WIDTH]: masks of a video, k + 1 for the body of column k of what was perceived."""
        centres = perceived.centres * (WIDTH, HEIGHT)
        labels, first = [], 0
        with torch.inference_mode(), mixed_precision(self.device):
            for part in self._parts(video):
                output = self.network(self._pictures(part))
                labels.append(mask_labels(output, centres[first : first + len(part)]))
                first += len(part)
        return np.concatenate(labels)

    def _parts(self, video: np.ndarray) -> list[np.ndarray]:
        size = BATCH[self.device.type]
        return [video[first : first + size] for first in range(0, len(video), size)]

    def _detect_video(self, video: np.ndarray) -> Detections:
        parts, first = [], 0
        with torch.inference_mode(), mixed_precision(self.device):
            for part in self._parts(video):
                parts.append(detect(self.network, self.network(self._pictures(part)), first))
                first += len(part)
        return joined_detections(parts)

    def _pictures(self, frames: np.ndarray) -> Tensor:
        """[frame, 3, HEIGHT, WIDTH], values from 0 to 1."""
        pictures = torch.from_numpy(np.ascontiguousarray(frames)).to(self.device).permute(0, 3, 1, 2).float() / 255.0
        if pictures.shape[-2:] != (HEIGHT, WIDTH):
            pictures = functional.interpolate(pictures, (HEIGHT, WIDTH), mode="bilinear", antialias=True)
        return pictures


def appearances_of(looks: np.ndarray, world: ObjectWorld) -> tuple[Appearance, ...]:
    """The words of looks, int64 [body], as the perceiver numbers them."""
    parts = np.unravel_index(looks, look_counts(world))
    return tuple(
        Appearance(world.colors[color], world.materials[material], world.shapes[shape])
        for color, material, shape in zip(*(part.tolist() for part in parts), strict=True)
    )


def _video(
    number: int,
    frames: int,
    found: Detections,
    bodies: list[SetBody],
    appearances: tuple[Appearance, ...],
    world: ObjectWorld,
) -> PerceivedVideo:
    """The tracks of a video; a target has all bodies of the set, a reference those that are seen in it."""
    tracks = [[track for track in body.tracks if track.video == number] for body in bodies]
    members = tuple(k for k in range(len(bodies)) if number == 0 or sum(map(len, tracks[k])) >= LEAST_IN_REFERENCE)
    shape = (frames, len(members))
    seen = np.zeros(shape, bool)
    centres, yaws = np.full((*shape, 2), np.nan), np.full(shape, np.nan)
    errors, boxes = np.full(shape, UNSEEN_ERROR), np.full((*shape, 4), ABSENT, np.float32)
    for column, k in enumerate(members):
        at = np.array([one for track in tracks[k] for one in track.detections], np.int64)
        rows = found.frames[at]
        seen[rows, column] = True
        centres[rows, column] = found.centres[at] / (WIDTH, HEIGHT)
        errors[rows, column] = found.errors[at]
        folds = FOLDS[appearances[k].shape]
        if folds and len(at):
            yaws[rows, column] = np.where(detected_folds(found.looks[at], world) == folds, found.yaws[at], np.nan)
        low, high = found.boxes[at, :2], np.maximum(found.boxes[at, 2:], found.boxes[at, :2])
        boxes[rows, column] = np.concatenate([(low + high) / 2, high - low], axis=1) / (WIDTH, HEIGHT, WIDTH, HEIGHT)
    return PerceivedVideo(members, seen, centres, errors, yaws, boxes)


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


def write_perception(
    perception: Perception, targets: Path, references: Path, number: int, size: tuple[int, int] = AUTHOR_SIZE
) -> None:
    """Writes a perception as detected tracks of the set of a number, in pixels of a picture of this size.

    tracks/sim_00000.npy in the folder of targets, tracks/sim_00000_0.npy … in that of references: boxes
    [frame, body, 4], the whole picture for a body that is not seen; config/sim_00000.json …: the attributes. These are
    the files that PCR and CPL read as detected tracks (`v16_prp_refine`, `v16_prp_reference` in the export for CPL).
    """
    videos = (perception.target, *perception.references)
    for key, video in zip(VIDEOS, videos, strict=False):
        folder, name = (targets if key == "target" else references), video_name(number, key)
        write_boxes(folder / "tracks" / f"{name}.npy", pixel_boxes(video.boxes, size), size)
        bodies = tuple(Body(*perception.appearances[k]) for k in video.members)
        write_json(folder / "config" / f"{name}.json", {"config": author_config(bodies, with_properties=False)})
