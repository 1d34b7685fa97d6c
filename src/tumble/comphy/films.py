"""The five videos of a set as MP4 files in memory."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tumble.comphy.constants import SHOWN_FRAMES
from tumble.comphy.renderer import Size, clip_of, render_many
from tumble.comphy.sets import VideoSet
from tumble.comphy.video import write_video
from tumble.progress import bar


def films_of(videos: VideoSet, size: Size, device: str = "cpu") -> list[bytes]:
    """The target's shown frames and the references, rendered now."""
    clips = [clip_of(videos.bodies, videos.target, slice(SHOWN_FRAMES))]
    clips += [clip_of(tuple(videos.bodies[k] for k in own.members), own.motion) for own in videos.references]
    with bar("Rendering", sum(clip.frames for clip in clips)) as advance:
        rendered = render_many(clips, size, device, progress=advance)
    films = []
    with TemporaryDirectory() as folder:
        for frames in rendered:
            path = Path(folder) / "film.mp4"
            write_video(path, frames.rgb)
            films.append(path.read_bytes())
    return films
