"""One set's share of a dataset: made and written by one worker, without any other set."""

from pathlib import Path

from tumble.comphy.dataset.annotations import write_set
from tumble.comphy.dataset.checksums import digest, digests
from tumble.comphy.dataset.layout import VIDEOS, Layout, PlannedSet
from tumble.comphy.dataset.settings import Settings
from tumble.comphy.dataset.tracks import write_boxes
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.observation.films import clips_of
from tumble.comphy.observation.masks import boxes_of, write_masks
from tumble.comphy.observation.renderer import renderer_named
from tumble.comphy.observation.video import write_video
from tumble.comphy.tasks.video_set import VideoSet
from tumble.jobs.job import ProgressCallback


def make_files(
    root: Path, settings: Settings, row: PlannedSet, device: str, report: ProgressCallback
) -> dict[str, str]:
    """Makes a set and writes its files; gives their checksums."""
    layout = Layout(root)
    videos = make_set(row.index, row.family, settings.seed)
    write_set(root, videos)
    if settings.size is not None:
        write_videos(layout, videos, settings.size, device, settings.renderer)
    return digests(root, layout.files_of(row.index, settings.size is not None))


def is_finished(root: Path, files: list[Path], sums: dict[str, str]) -> bool:
    """Whether files are all there, just as they were written."""
    wanted = [sums.get(path.relative_to(root).as_posix()) for path in files]
    if None in wanted or not all(path.is_file() for path in files):
        return False
    return all(digest(path) == own for path, own in zip(files, wanted, strict=True))


def write_videos(layout: Layout, videos: VideoSet, size: tuple[int, int], device: str, renderer: str) -> None:
    """Renders the five videos of a set and writes them, with the masks and boxes of what is seen."""
    clips = clips_of(videos)
    rendered = renderer_named(renderer)(clips, size, device, threads=1)
    for which, clip, frames in zip(VIDEOS, clips, rendered, strict=True):
        video, masks = layout.video(videos.index, which), layout.masks(videos.index, which)
        for path in (video, masks):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_video(video, frames.rgb)
        write_masks(masks, frames.mask)
        write_boxes(layout.tracks(videos.index, which), boxes_of(frames.mask, len(clip.bodies)), size)
