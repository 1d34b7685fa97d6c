"""Clips of bodies on the gray table or of objects on a stage, and their renderers; the videos of a set."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeVar

from tumble.comphy.catalogue.body import Body, Motion, world_of_bodies
from tumble.comphy.catalogue.video_set import Stage, VideoSet
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.observation.renderer import (
    ANALYTIC,
    FULL_SIZE,
    Clip,
    ClipError,
    Frames,
    Size,
    clip_of,
    get_renderer,
    render_each_with,
)
from tumble.comphy.observation.staged import StagedClip, get_staged_renderer, render_each_staged_with
from tumble.comphy.observation.staged.clips import staged_clip_of
from tumble.comphy.observation.video import encode_video
from tumble.engine.host.machine import usable_cores
from tumble.progress import bar

AnyClip = Clip | StagedClip
T = TypeVar("T", Clip, StagedClip)


def clip_on(
    bodies: tuple[Body, ...], motion: Motion, stage: Stage | None = None, frames: slice = slice(None)
) -> AnyClip:
    """The clip of a motion, or of some of its frames; `stage` is that of the set, None in the plain world."""
    if stage is not None:
        return staged_clip_of(bodies, motion, stage, frames)
    world = world_of_bodies(bodies)
    if world.has_stages:
        raise ClipError(f"objects of the {world.name} world can't be rendered without a stage")
    return clip_of(bodies, motion, frames)


def part_of(clip: AnyClip, frames: slice | Sequence[int]) -> AnyClip:
    """Some frames of a clip."""
    if isinstance(clip, StagedClip):
        return StagedClip(clip.looks, clip.positions[frames], clip.orientations[frames], clip.stage)
    return Clip(clip.bodies, clip.positions[frames], clip.orientations[frames])


def body_count(clip: AnyClip) -> int:
    """The number of bodies of a clip."""
    return int(clip.positions.shape[1])


def render_clips(
    clips: Sequence[AnyClip],
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    renderer: str = ANALYTIC,
    progress: Callable[[int], None] = lambda frames: None,
) -> list[Frames]:
    """Renders clips of one world in one batch."""
    if clips and isinstance(clips[0], StagedClip):
        staged = list(_all_of(StagedClip, clips))
        return get_staged_renderer(renderer)(staged, size, device, threads, progress=progress)
    return get_renderer(renderer)(list(_all_of(Clip, clips)), size, device, threads, progress=progress)


def render_each_clip(
    clips: Iterable[AnyClip],
    deliver: Callable[[int, Frames], None],
    size: Size,
    device: str = "cpu",
    threads: int = 0,
    renderer: str = ANALYTIC,
) -> None:
    """Renders any number of clips of one world and calls `deliver(number, frames)` for each; see `render_each`."""
    taken = iter(clips)
    first = next(taken, None)
    if first is None:
        return
    every = chain([first], taken)
    if isinstance(first, StagedClip):
        render_each_staged_with(renderer, _all_of(StagedClip, every), deliver, size, device, threads)
    else:
        render_each_with(renderer, _all_of(Clip, every), deliver, size, device, threads)


def _all_of(kind: type[T], clips: Iterable[AnyClip]) -> Iterator[T]:
    for clip in clips:
        if not isinstance(clip, kind):
            raise ClipError("clips of different worlds can't be rendered together")
        yield clip


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
