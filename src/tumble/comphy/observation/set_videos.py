"""The five videos of a set: as clips to render, and as MP4 files in memory."""

from concurrent.futures import ThreadPoolExecutor

from tumble.comphy.observation.clips import AnyClip, clip_on, render_clips
from tumble.comphy.observation.renderer import ANALYTIC, Size
from tumble.comphy.observation.video import encode_video
from tumble.comphy.tasks.constants import SHOWN_FRAMES
from tumble.comphy.tasks.video_set import VideoSet
from tumble.engine.host.machine import usable_cores
from tumble.progress import bar


def set_clips(videos: VideoSet) -> list[AnyClip]:
    """The clips of a set: the target's shown frames, then the references."""
    clips = [clip_on(videos.bodies, videos.target, videos.stage, slice(SHOWN_FRAMES))]
    for reference in videos.references:
        members = tuple(videos.bodies[k] for k in reference.members)
        clips.append(clip_on(members, reference.motion, videos.stage))
    return clips


def render_videos(videos: VideoSet, size: Size, device: str = "cpu", renderer: str = ANALYTIC) -> list[bytes]:
    """Renders the videos of a set: MP4 files, the target first."""
    clips = set_clips(videos)
    with bar("Rendering", sum(clip.frames for clip in clips)) as advance:
        rendered = render_clips(clips, size, device, renderer=renderer, progress=advance)
    with ThreadPoolExecutor(usable_cores()) as pool:
        return list(pool.map(encode_video, [frames.rgb for frames in rendered]))
