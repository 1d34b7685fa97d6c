"""The five videos of a set: as clips to render, and as MP4 files in memory."""

from concurrent.futures import ThreadPoolExecutor

from tumble.comphy.observation.renderer import ANALYTIC, Clip, Size, clip_of, get_renderer
from tumble.comphy.observation.video import encode_video
from tumble.comphy.tasks.constants import SHOWN_FRAMES
from tumble.comphy.tasks.video_set import VideoSet
from tumble.engine.host.machine import usable_cores
from tumble.progress import bar


def set_clips(videos: VideoSet) -> list[Clip]:
    """The clips of a set: the target's shown frames, then the references."""
    clips = [clip_of(videos.bodies, videos.target, slice(SHOWN_FRAMES))]
    for reference in videos.references:
        clips.append(clip_of(tuple(videos.bodies[k] for k in reference.members), reference.motion))
    return clips


def render_videos(videos: VideoSet, size: Size, device: str = "cpu", renderer: str = ANALYTIC) -> list[bytes]:
    """Renders the videos of a set: MP4 files, the target first."""
    clips = set_clips(videos)
    with bar("Rendering", sum(clip.frames for clip in clips)) as advance:
        rendered = get_renderer(renderer)(clips, size, device, progress=advance)
    with ThreadPoolExecutor(usable_cores()) as pool:
        return list(pool.map(encode_video, [frames.rgb for frames in rendered]))
