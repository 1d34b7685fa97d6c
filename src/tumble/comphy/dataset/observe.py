"""Makes observations: what can be seen of a set in memory, or of a set of a dataset."""

from collections.abc import Callable
from functools import partial

import numpy as np

from tumble.comphy.catalogue.body import Body, Motion, world_of_bodies
from tumble.comphy.catalogue.task import Appearance, Observation, References, SeenVideo, seen_track
from tumble.comphy.catalogue.video_set import Reference, VideoSet
from tumble.comphy.catalogue.world import PLAIN, REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import VideoKey
from tumble.comphy.dataset.load import Dataset
from tumble.comphy.dataset.tracks import project_boxes

ReadArray = Callable[[], np.ndarray]
Readers = Callable[[VideoKey, ReadArray], tuple[ReadArray, ReadArray]]
"""The readers of a video's boxes and pictures, given one that projects boxes from the track."""


def observe_stored(data: Dataset, index: int) -> Observation:
    """What can be seen of a set of a dataset; its references, boxes and pictures are read when they are asked for."""
    if index not in data.splits:
        raise DataError(f"there is no set {index:05d} in {data.layout.root}")
    target = data.target(index)
    bodies, readers = _lookalikes(target.bodies), _stored_readers(data, index)

    def references() -> References:
        return _seen_references(bodies, data.references(index, bodies), readers)

    return _observation(bodies, _seen_target(bodies, target.motion, readers), references)


def stored_pictures(data: Dataset, index: int) -> tuple[np.ndarray, ...]:
    """uint8 [frame, height, width, 3]: the pictures of the videos of a set, the target first."""
    if index not in data.splits:
        raise DataError(f"there is no set {index:05d} in {data.layout.root}")
    readers = _stored_readers(data, index)
    return tuple(readers(video, _no_pictures)[1]() for video in data.layout.videos)


def observe_videos(videos: VideoSet) -> Observation:
    """What can be seen of a set in memory, which has no pictures; boxes are projected."""
    bodies = _lookalikes(videos.bodies)

    def readers(_: VideoKey, project: ReadArray) -> tuple[ReadArray, ReadArray]:
        return project, _no_pictures

    references = _seen_references(bodies, videos.references, readers)
    return _observation(bodies, _seen_target(bodies, videos.target, readers), lambda: references)


def _observation(bodies: tuple[Body, ...], target: SeenVideo, references: Callable[[], References]) -> Observation:
    appearances = tuple(Appearance(*body.appearance) for body in bodies)
    forms = () if world_of_bodies(bodies) is PLAIN else tuple(body.form for body in bodies)
    return Observation(appearances, target, references, forms)


def _lookalikes(bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    """Light and neutral bodies that look like these."""
    return tuple(Body(*body.appearance, form=body.form) for body in bodies)


def _seen_target(bodies: tuple[Body, ...], motion: Motion, readers: Readers) -> SeenVideo:
    track = seen_track(motion, SHOWN_FRAMES)
    return _seen_video(bodies, "target", tuple(range(len(bodies))), track, readers)


def _seen_references(bodies: tuple[Body, ...], references: tuple[Reference, ...], readers: Readers) -> References:
    return tuple(
        _seen_video(bodies, k, one.members, seen_track(one.motion, REFERENCE_FRAMES), readers)
        for k, one in enumerate(references)
    )


def _seen_video(
    bodies: tuple[Body, ...], video: VideoKey, members: tuple[int, ...], track: Motion, readers: Readers
) -> SeenVideo:
    project = partial(project_boxes, tuple(bodies[k] for k in members), track)
    return SeenVideo(members, track, *readers(video, project))


def _stored_readers(data: Dataset, index: int) -> Readers:
    """Readers of stored boxes, or of projected ones where none are stored, and of pictures."""

    def readers(video: VideoKey, project: ReadArray) -> tuple[ReadArray, ReadArray]:
        boxes, pictures = data.layout.tracks(index, video), data.layout.video(index, video)

        def read_stored_boxes() -> np.ndarray:
            if data.size is None or not data.files.check(boxes).exists():
                return project()
            return data.boxes(index, video)

        def read_pictures() -> np.ndarray:
            if not data.files.check(pictures).exists():
                raise DataError(f"{pictures}: there is no such file: the dataset has no video of this set")
            return data.pictures(index, video)

        return read_stored_boxes, read_pictures

    return readers


def _no_pictures() -> np.ndarray:
    raise DataError("this set is not in a dataset with videos, so there are no pictures")
