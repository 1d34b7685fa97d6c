"""Makes observations: what can be seen of a set in memory, or of a set of a dataset."""

from collections.abc import Callable
from functools import partial

import numpy as np

from tumble.comphy.dataset.annotations import read_set
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.layout import VideoKey
from tumble.comphy.dataset.load import Dataset, read_checked
from tumble.comphy.dataset.tracks import normalise_boxes, project_boxes, read_boxes
from tumble.comphy.observation.video import read_video
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.observation import Appearance, Observation, SeenVideo, seen_track
from tumble.comphy.tasks.video_set import VideoSet

ReadArray = Callable[[], np.ndarray]
Readers = Callable[[VideoKey, ReadArray], tuple[ReadArray, ReadArray]]
"""The readers of a video's boxes and pictures, given one that projects the boxes."""


def observe_stored(data: Dataset, index: int) -> Observation:
    """What can be seen of a set of a dataset; counterfactual motions are not read."""
    if index not in data.splits:
        raise DataError(f"there is no set {index:05d} in {data.layout.root}")
    videos = read_set(data.layout.root, index, data.files.check, with_altered=False).videos
    return _observe(videos, partial(_stored_readers, data, index))


def observe_videos(videos: VideoSet) -> Observation:
    """What can be seen of a set in memory, which has no pictures; boxes are projected."""
    return _observe(videos, lambda _, project: (project, _no_pictures))


def _observe(videos: VideoSet, readers: Readers) -> Observation:
    all_members = tuple(range(len(videos.bodies)))
    appearances = tuple(Appearance(*body.appearance) for body in videos.bodies)

    def seen(video: VideoKey, members: tuple[int, ...], motion: Motion) -> SeenVideo:
        track = seen_track(motion, SHOWN_FRAMES if video == "target" else REFERENCE_FRAMES)
        project = partial(_projected_boxes, tuple(appearances[k] for k in members), track)
        return SeenVideo(members, track, *readers(video, project))

    return Observation(
        appearances,
        seen("target", all_members, videos.target),
        tuple(seen(k, one.members, one.motion) for k, one in enumerate(videos.references)),
    )


def _stored_readers(data: Dataset, index: int, video: VideoKey, project: ReadArray) -> tuple[ReadArray, ReadArray]:
    """Readers of stored boxes, or of projected ones where none are stored, and of pictures."""
    check, is_published = data.files.check, data.settings is None
    boxes, pictures = data.layout.tracks(index, video), data.layout.video(index, video)

    def read_stored_boxes() -> np.ndarray:
        if data_size is None or not check(boxes).exists():
            return project()
        return normalise_boxes(read_checked(check, boxes, read_boxes, video, is_published), data_size)

    def read_pictures() -> np.ndarray:
        if not check(pictures).exists():
            raise DataError(f"{pictures}: there is no such file: the dataset has no video of this set")
        return read_checked(check, pictures, read_video, video, is_published)

    data_size = data.size
    return read_stored_boxes, read_pictures


def _projected_boxes(appearances: tuple[Appearance, ...], track: Motion) -> np.ndarray:
    return project_boxes(tuple(Body(*appearance) for appearance in appearances), track)


def _no_pictures() -> np.ndarray:
    raise DataError("this set is not in a dataset with videos, so there are no pictures")
