"""The five videos of a set: what they show, and as MP4 files in memory."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tumble.comphy.observation.renderer import ANALYTIC, Clip, Size, clip_of, renderer_named
from tumble.comphy.observation.video import write_video
from tumble.comphy.tasks.constants import SHOWN_FRAMES
from tumble.comphy.tasks.video_set import VideoSet
from tumble.progress import bar


def clips_of(videos: VideoSet) -> list[Clip]:
    """What is shown of a set: the target's shown frames, then the references."""
    clips = [clip_of(videos.bodies, videos.target, slice(SHOWN_FRAMES))]
    return clips + [clip_of(tuple(videos.bodies[k] for k in own.members), own.motion) for own in videos.references]


def films_of(videos: VideoSet, size: Size, device: str = "cpu", renderer: str = ANALYTIC) -> list[bytes]:
    """The videos of a set, rendered now."""
    clips = clips_of(videos)
    with bar("Rendering", sum(clip.frames for clip in clips)) as advance:
        rendered = renderer_named(renderer)(clips, size, device, progress=advance)
    films = []
    with TemporaryDirectory() as folder:
        for frames in rendered:
            path = Path(folder) / "film.mp4"
            write_video(path, frames.rgb)
            films.append(path.read_bytes())
    return films
