"""The files of one set: generated and written by one worker, independently of all other sets."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tumble.comphy.dataset.annotations import write_set
from tumble.comphy.dataset.checksums import digest, digests
from tumble.comphy.dataset.layout import VIDEOS, Layout, PlannedSet
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.dataset.tracks import write_boxes
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.observation.clips import body_count, render_each_clip
from tumble.comphy.observation.masks import bounding_boxes, write_masks
from tumble.comphy.observation.renderer import Frames
from tumble.comphy.observation.set_videos import set_clips
from tumble.comphy.observation.video import write_video
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.comphy.tasks.video_set import VideoSet
from tumble.jobs.job import ProgressCallback

GPU_THREADS = 2
"""Threads of a worker that uses a GPU: one encodes while the other waits for pictures."""


@dataclass(frozen=True)
class WrittenSet:
    """A set whose files have been written."""

    sums: dict[str, str]
    """The checksums of its files."""
    scene: SymbolicScene
    """What questions are asked about."""
    seconds: float
    """That it took."""
    size: int
    """Bytes of its files."""


def generate_set_files(
    root: Path, settings: Settings, planned: PlannedSet, device: str, report: ProgressCallback
) -> WrittenSet:
    """Generates a set and writes its files."""
    start, layout, index = time.perf_counter(), Layout(root), planned.index
    videos = make_set(index, planned.family, settings.seed, settings.world)
    sums = {path.relative_to(root).as_posix(): checksum for path, checksum in write_set(root, videos).items()}
    if settings.size is not None:
        write_videos(layout, videos, settings.size, device, settings.renderer)
        sums |= digests(root, set(layout.files_of(index, True)) - set(layout.files_of(index, False)))
    size = sum((root / name).stat().st_size for name in sums)
    return WrittenSet(sums, symbolic_scene(videos), time.perf_counter() - start, size)


def is_finished(root: Path, files: list[Path], sums: Mapping[str, str], written: int) -> bool:
    """Whether all files exist and have checksums. Those changed since `written` (ns) are compared with them."""
    for path in files:
        expected = sums.get(path.relative_to(root).as_posix())
        if expected is None:
            return False
        try:
            if path.stat().st_mtime_ns > written and digest(path) != expected:
                return False
        except FileNotFoundError:
            return False
    return True


def write_videos(layout: Layout, videos: VideoSet, size: tuple[int, int], device: str, renderer: str) -> None:
    """Renders the five videos of a set and writes them, with their masks and boxes."""
    clips = set_clips(videos)

    def write(number: int, frames: Frames) -> None:
        key, clip = VIDEOS[number], clips[number]
        video, masks = layout.video(videos.index, key), layout.masks(videos.index, key)
        for path in (video, masks):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_video(video, frames.rgb)
        write_masks(masks, frames.mask)
        write_boxes(layout.tracks(videos.index, key), bounding_boxes(frames.mask, body_count(clip)), size)

    render_each_clip(clips, write, size, device, 1 if device == "cpu" else GPU_THREADS, renderer)
