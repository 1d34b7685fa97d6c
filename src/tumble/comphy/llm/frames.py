"""Some frames of each video of a set: from the videos of the dataset, or rendered if it has none."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.observe import stored_pictures
from tumble.comphy.observation.clips import part_of, render_clips, set_clips
from tumble.comphy.observation.renderer import Size


@dataclass(frozen=True, eq=False)
class SampledVideo:
    """Some frames of a video."""

    pictures: np.ndarray
    """uint8 [frame, height, width, 3]."""
    seconds: tuple[float, ...]
    """The time of each."""


def sampled_videos(root: Path, index: int, frames: int, reference_frames: int, size: Size) -> list[SampledVideo]:
    """Evenly spaced frames of the target, then of each reference. Frames of a dataset's videos keep their own size."""
    data = _dataset(root)
    if data.has_videos:
        videos = stored_pictures(data, index)
        chosen = [even_frames(len(video), _count(k, frames, reference_frames)) for k, video in enumerate(videos)]
        pictures = [video[own] for video, own in zip(videos, chosen, strict=True)]
    else:
        clips = set_clips(data.visible_set(index))
        chosen = [even_frames(clip.frames, _count(k, frames, reference_frames)) for k, clip in enumerate(clips)]
        pictures = [
            rendered.rgb
            for rendered in render_clips([part_of(clip, own) for clip, own in zip(clips, chosen, strict=True)], size)
        ]
    seconds = [tuple(frame / FRAMES_PER_SECOND for frame in own) for own in chosen]
    return [SampledVideo(*pair) for pair in zip(pictures, seconds, strict=True)]


@lru_cache(maxsize=16)
def single_frame(root: Path, index: int, video: int, frame: int, size: Size) -> np.ndarray:
    """uint8 [height, width, 3]: a frame of a video, 0 the target; rendered in this size if there are no videos.

    The last ones are kept, since several parts of one may be looked at.
    """
    data = _dataset(root)
    if data.has_videos:
        pictures = data.pictures(index, data.layout.videos[video])
        return np.asarray(pictures[min(frame, len(pictures) - 1)])
    clip = set_clips(data.visible_set(index))[video]
    return np.asarray(render_clips([part_of(clip, [frame])], size)[0].rgb[0])


def stored_videos(root: Path) -> str:
    """The size of a dataset's videos, which are shown if there are any; empty if frames are rendered.

    The published videos have no size in their files' settings.
    """
    data = _dataset(root)
    if not data.has_videos:
        return ""
    size = data.settings.size if data.settings else None
    return "x".join(map(str, size)) if size else "published"


def even_frames(total: int, count: int) -> list[int]:
    """Evenly spaced frames of a video, the first and the last among them; all if there are no more.

    >>> even_frames(50, 4)
    [0, 16, 33, 49]
    """
    return sorted(set(np.linspace(0, total - 1, min(count, total)).round().astype(int).tolist()))


def _count(video: int, frames: int, reference_frames: int) -> int:
    return reference_frames if video else frames


@lru_cache(maxsize=4)
def _dataset(root: Path) -> Dataset:
    return open_dataset(root)
