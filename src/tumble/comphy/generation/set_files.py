"""The files of one set: generated and written by one worker, independently of all other sets."""

from pathlib import Path

from tumble.comphy.dataset.annotations import write_set
from tumble.comphy.dataset.checksums import digest, digests
from tumble.comphy.dataset.layout import VIDEOS, Layout, PlannedSet
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.dataset.tracks import write_boxes
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.observation.masks import bounding_boxes, write_masks
from tumble.comphy.observation.renderer import get_renderer
from tumble.comphy.observation.set_videos import set_clips
from tumble.comphy.observation.video import write_video
from tumble.comphy.tasks.video_set import VideoSet
from tumble.jobs.job import ProgressCallback


def generate_set_files(
    root: Path, settings: Settings, planned: PlannedSet, device: str, report: ProgressCallback
) -> dict[str, str]:
    """Generates a set and writes its files; returns their checksums."""
    layout = Layout(root)
    videos = make_set(planned.index, planned.family, settings.seed)
    write_set(root, videos)
    if settings.size is not None:
        write_videos(layout, videos, settings.size, device, settings.renderer)
    return digests(root, layout.files_of(planned.index, settings.size is not None))


def is_finished(root: Path, files: list[Path], sums: dict[str, str]) -> bool:
    """Whether all files exist and have their checksums."""
    expected = [sums.get(path.relative_to(root).as_posix()) for path in files]
    if None in expected or not all(path.is_file() for path in files):
        return False
    return all(digest(path) == checksum for path, checksum in zip(files, expected, strict=True))


def write_videos(layout: Layout, videos: VideoSet, size: tuple[int, int], device: str, renderer: str) -> None:
    """Renders the five videos of a set and writes them, with their masks and boxes."""
    clips = set_clips(videos)
    rendered = get_renderer(renderer)(clips, size, device, threads=1)
    for key, clip, frames in zip(VIDEOS, clips, rendered, strict=True):
        video, masks = layout.video(videos.index, key), layout.masks(videos.index, key)
        for path in (video, masks):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_video(video, frames.rgb)
        write_masks(masks, frames.mask)
        write_boxes(layout.tracks(videos.index, key), bounding_boxes(frames.mask, len(clip.bodies)), size)
