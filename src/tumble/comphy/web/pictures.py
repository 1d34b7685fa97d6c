"""Frames as the renderer of the dataset makes them, a second of video on each sheet."""

from io import BytesIO

import numpy as np
from PIL import Image

from tumble.comphy.observation.clips import AnyClip, clip_on, part_of, render_clips
from tumble.comphy.observation.renderer import Size
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, SHOWN_FRAMES
from tumble.comphy.tasks.video_set import VideoSet
from tumble.web.errors import WORDS, WebError

ACROSS = 5
PER_SHEET = FRAMES_PER_SECOND
"""Frames on a sheet, ACROSS in a row."""
DRAFT, SHARP = (240, 160), (480, 320)
"""Sizes of frames: the first is there sooner, the second has the size of the published videos."""
SIZES: dict[str, Size] = {str(size[0]): size for size in (DRAFT, SHARP)}
QUALITIES = {DRAFT: 80, SHARP: 90}
"""Of WebP; lower ones show steps on the table, which is seen large only in sharp pictures."""
EFFORT = 2
"""Of WebP; the next one takes twice as long and saves 6 %."""
MEDIA_TYPE = "image/webp"


def video_clip(videos: VideoSet, name: str) -> AnyClip:
    """The target's shown frames or a reference, "0" to "3"; a WebError with status 404 for another name."""
    if name == "target":
        return clip_on(videos.bodies, videos.target, videos.stage, slice(SHOWN_FRAMES))
    if name not in map(str, range(len(videos.references))):
        raise WebError(404, WORDS[404])
    reference = videos.references[int(name)]
    return clip_on(tuple(videos.bodies[k] for k in reference.members), reference.motion, videos.stage)


def sheet(clip: AnyClip, size: str, number: str) -> bytes:
    """The WebP of a sheet of a clip's frames; a WebError with status 404 if there is no such size or sheet."""
    if size not in SIZES or number not in map(str, range(-(-clip.frames // PER_SHEET))):
        raise WebError(404, WORDS[404])
    first = int(number) * PER_SHEET
    part = slice(first, first + PER_SHEET)
    return _encoded(_rendered(part_of(clip, part), SIZES[size]))


def full_frame(videos: VideoSet) -> bytes:
    """The WebP of a frame of the target with as many bodies as possible in view, for lists of sets."""
    most = int(videos.target.in_view[:SHOWN_FRAMES].sum(axis=1).argmax())
    return _encoded(
        _rendered(clip_on(videos.bodies, videos.target, videos.stage, slice(most, most + 1)), DRAFT), across=1
    )


def square_frame(videos: VideoSet) -> bytes:
    """The WebP of the middle of the target's last shown frame, for the first page."""
    frame = _rendered(clip_on(videos.bodies, videos.target, videos.stage, slice(SHOWN_FRAMES - 1, SHOWN_FRAMES)), SHARP)
    margin = (SHARP[0] - SHARP[1]) // 2
    return _encoded(frame[:, :, margin : SHARP[0] - margin], across=1)


def _rendered(clip: AnyClip, size: Size) -> np.ndarray:
    """In one thread, so that others' physics has the other cores."""
    return render_clips([clip], size, threads=1)[0].rgb


def _encoded(frames: np.ndarray, across: int = ACROSS) -> bytes:
    count, height, width, _ = frames.shape
    rows = -(-count // across)
    cells = np.zeros((rows * across, height, width, 3), np.uint8)
    cells[:count] = frames
    whole = cells.reshape(rows, across, height, width, 3).swapaxes(1, 2).reshape(rows * height, across * width, 3)
    file = BytesIO()
    Image.fromarray(whole).save(file, "WEBP", quality=QUALITIES.get((width, height), QUALITIES[SHARP]), method=EFFORT)
    return file.getvalue()
