"""Reads the files of single sets: annotations or tracks, boxes, pictures and masks, checked for damage and length."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image

from tumble.comphy.dataset.annotations import (
    ALTERED,
    COLLISIONS,
    FUTURE,
    NO_SEED,
    PROPERTIES,
    REFERENCE_VIDEOS,
    StoredSet,
    StoredTarget,
    read_references,
    read_set,
    read_target,
)
from tumble.comphy.dataset.checksums import CheckedFiles
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import Layout, Split, VideoKey, published_set
from tumble.comphy.dataset.picture_folder import read_picture_folder, scaled
from tumble.comphy.dataset.real_layout import RealLayout
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.dataset.track_files import reference_of_tracks, target_of_tracks
from tumble.comphy.dataset.tracks import normalise_boxes, read_boxes
from tumble.comphy.observation.video import read_video
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.tasks.video_set import Family, Reference, VideoSet
from tumble.comphy.tasks.world import PLAIN, ObjectWorld, named_world
from tumble.errors import TumbleError

Reader = Callable[[Path], np.ndarray]

PUBLISHED_SIZE = (480, 320)
PUBLISHED_SHARE = 0.9
"""Share of the frames that a published video must have: some are a few frames shorter than others."""


@dataclass
class SetFiles:
    """The files of the sets of a dataset."""

    layout: Layout
    settings: Settings | None
    """None for the published files."""
    splits: dict[int, Split]
    """The split of each set."""
    files: CheckedFiles
    """Checks a file against its checksum, if it has one."""

    @property
    def is_real(self) -> bool:
        """Whether the videos are real ones."""
        return isinstance(self.layout, RealLayout)

    @property
    def world(self) -> ObjectWorld:
        """The world of the sets; published ones are of the plain world."""
        return PLAIN if self.settings is None else named_world(self.settings.world)

    @cached_property
    def families(self) -> dict[int, Family]:
        """The family of each set, as planned."""
        if self.is_real:
            return dict.fromkeys(self.splits, "both")
        plan = published_set if self.settings is None else self.settings.planned_set
        return {index: plan(index).family for index in self.splits}

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height of the videos, if there are any."""
        return PUBLISHED_SIZE if self.settings is None else self.settings.size

    def stored_set(self, index: int) -> StoredSet:
        """The annotations of a set; without those, what its tracks tell."""
        if self.has_motion(index):
            stored = read_set(self.layout.root, index, self.files.check)
            if REFERENCE_VIDEOS not in stored.missing:
                return stored
            references = self.references(index, stored.videos.bodies)
            still_missing = stored.missing - ({REFERENCE_VIDEOS} if references else set())
            return StoredSet(replace(stored.videos, references=references), still_missing)
        target = self.target(index)
        references = self.references(index, target.bodies)
        missing = {FUTURE, COLLISIONS, ALTERED, *({} if references else {REFERENCE_VIDEOS})}
        missing |= set() if target.has_properties else {PROPERTIES}
        family = self.families[index]
        videos = VideoSet(index, NO_SEED, family, target.bodies, target.motion, references, {})
        return StoredSet(videos, frozenset(missing))

    def has_motion(self, index: int) -> bool:
        """Whether there is an annotation of the target's motion."""
        return not self.is_real and (self.settings is not None or self.layout.annotation(index).exists())

    def target(self, index: int) -> StoredTarget:
        """The bodies and the motion of a target, from its annotation or else from its tracks."""
        if self.has_motion(index):
            return read_target(self.layout.root, index, self.files.check)
        return target_of_tracks(self._looks(index, "target"), self.boxes(index, "target"))

    def visible_set(self, index: int) -> VideoSet:
        """A set as far as it is needed to render its videos."""
        target = self.target(index)
        references = self.references(index, target.bodies)
        family = self.families[index]
        return VideoSet(index, NO_SEED, family, target.bodies, target.motion, references, {}, stage=target.stage)

    def references(self, index: int, bodies: tuple[Body, ...]) -> tuple[Reference, ...]:
        """The references of a set with these bodies, from annotations or else from tracks; none if it has neither."""
        if not self.is_real:
            annotated = read_references(self.layout.root, index, bodies, self.files.check)
            if annotated or self.settings is not None:
                return annotated
        videos = [k for k in range(self.layout.reference_count) if self.layout.tracks(index, k).exists()]
        return tuple(reference_of_tracks(self._looks(index, k), self.boxes(index, k), bodies) for k in videos)

    def boxes(self, index: int, video: VideoKey) -> np.ndarray:
        """float32 [frame, body, 4]: the stored boxes of a video, normalised."""
        if self.size is None:
            raise DataError(f"{self.layout.root}: there are no boxes, since there are no videos")
        return normalise_boxes(self.read(self.layout.tracks(index, video), read_boxes, video), self.size)

    def pictures(self, index: int, video: VideoKey) -> np.ndarray:
        """uint8 [frame, height, width, 3]: the pictures of a video."""
        path = self.layout.video(index, video)
        if not self.is_real:
            return self.read(path, read_video, video)
        return self.read(path, lambda own: _real_pictures(own, PUBLISHED_SIZE), video)

    def read(self, path: Path, read: Reader, video: VideoKey) -> np.ndarray:
        """The content of a file of a video, checked for damage and for enough frames.

        Real videos may have any number of frames; of theirs, as many as others have are taken, evenly spaced.
        """
        if not self.files.check(path).exists():
            raise DataError(f"{path}: there is no such file")
        try:
            content = read(path)
        except TumbleError as error:
            raise DataError(str(error)) from None
        expected = frame_count(video)
        if self.is_real and len(content):
            return np.asarray(content[np.linspace(0, len(content) - 1, expected).round().astype(int)])
        fewest = expected if self.settings is not None else round(expected * PUBLISHED_SHARE)
        if len(content) < fewest:
            raise DataError(f"{path}: there are {len(content)} frames, there must be {expected}")
        return content

    def _looks(self, index: int, video: VideoKey) -> Path:
        """The file with the looks of the bodies of a video that has tracks only."""
        return self.layout.tracks(index, video).with_suffix(".json")


def _real_pictures(path: Path, size: tuple[int, int]) -> np.ndarray:
    """The pictures of a real video, from a folder of pictures or a video file, scaled to a width and a height."""
    if path.is_dir():
        return read_picture_folder(path, size)
    return np.stack([scaled(Image.fromarray(frame), size) for frame in read_video(path)])


def frame_count(video: VideoKey) -> int:
    """The number of frames of a video."""
    return SHOWN_FRAMES if video == "target" else REFERENCE_FRAMES
