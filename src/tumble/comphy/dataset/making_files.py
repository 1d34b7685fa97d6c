"""One set's share of a dataset: made and written by one worker, without any other set."""

from pathlib import Path

import numpy as np

from tumble.comphy.constants import SHOWN_FRAMES
from tumble.comphy.dataset.annotations import write_set
from tumble.comphy.dataset.checksums import digest, digests, write_sums
from tumble.comphy.dataset.layout import VIDEOS, Layout, PlannedSet
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.dataset.tracks import boxes_of
from tumble.comphy.making import make_set
from tumble.comphy.sets import VideoSet
from tumble.runs.executor import Report
from tumble.scene.files import whole_file


def make_files(root: Path, settings: Settings, row: PlannedSet, device: str, report: Report) -> None:
    """Makes a set and writes its files; their checksums come last, and only with them the set is finished."""
    layout = Layout(root)
    videos = make_set(row.index, row.family, settings.seed)
    write_set(root, videos)
    if settings.size is not None:
        write_videos(layout, videos, settings.size, device)
    write_sums(set_sums(layout, row.index), digests(root, layout.files_of(row.index, settings.size is not None)))


def set_sums(layout: Layout, index: int) -> Path:
    """Where a set's checksums are until all sets are there."""
    return layout.parts / f"{index:05d}.sha256"


def is_finished(root: Path, files: list[Path], sums: dict[str, str]) -> bool:
    """Whether files are all there, just as they were written."""
    names = [path.relative_to(root).as_posix() for path in files]
    return all(name in sums and path.is_file() for name, path in zip(names, files, strict=True)) and all(
        digest(path) == sums[name] for name, path in zip(names, files, strict=True)
    )


def write_videos(layout: Layout, videos: VideoSet, size: tuple[int, int], device: str) -> None:
    """Renders the five videos of a set and writes them, with the masks and boxes of what is seen."""
    from tumble.comphy.masks import write_masks
    from tumble.comphy.renderer.clips import clip_of
    from tumble.comphy.renderer.ray_tracer import render_many
    from tumble.comphy.video import write_video

    clips = [clip_of(videos.bodies, videos.target, slice(SHOWN_FRAMES))]
    for reference in videos.references:
        clips.append(clip_of(tuple(videos.bodies[k] for k in reference.members), reference.motion))
    for which, clip, frames in zip(VIDEOS, clips, render_many(clips, size, device, threads=1), strict=True):
        for path in (layout.video, layout.masks, layout.tracks):
            path(videos.index, which).parent.mkdir(parents=True, exist_ok=True)
        write_video(layout.video(videos.index, which), frames.rgb)
        write_masks(layout.masks(videos.index, which), frames.mask)
        with whole_file(layout.tracks(videos.index, which)) as partial:
            np.save(partial, boxes_of(frames.mask, len(clip.bodies)))
