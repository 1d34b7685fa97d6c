"""One frame of one of a set's videos, or a part of it, enlarged."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.llm.frames import single_frame
from tumble.comphy.observation.renderer import FULL_SIZE
from tumble.llm.prompt import Picture
from tumble.llm.puzzle import AnswerError
from tumble.llm.zoom import SIDES, Box, box_properties, png_bytes, read_box, read_number, with_axes

FRAME = Box(0.0, 0.0, *map(float, FULL_SIZE))
"""All of a frame, in the pixels of a video of full size, whatever size the dataset's videos have."""
SMALLEST_SIDE = 20.0
"""Of these pixels along a part, at least."""
RENDERED_SIZE = 2 * FULL_SIZE[0], 2 * FULL_SIZE[1]
"""Of frames of a dataset without videos."""
DESCRIPTION = (
    f"Shows a frame of a video, by number (0: the target, 1 to {REFERENCE_COUNT}: the references) and time in seconds; "
    f"or a part of it, enlarged: left, bottom, right and top of a rectangle in px, where a frame is "
    f"{FRAME.right:g} x {FRAME.top:g} and (0, 0) its bottom left."
)
LOOK_SCHEMA = {
    "type": "object",
    "properties": {
        "video": {"type": "integer", "minimum": 0, "maximum": REFERENCE_COUNT},
        "time": {"type": "number", "minimum": 0, "maximum": (SHOWN_FRAMES - 1) / FRAMES_PER_SECOND},
        **box_properties(FRAME),
    },
    "required": ["video", "time"],
    "additionalProperties": False,
}


def frame_part(root: Path, index: int, wanted: Mapping[str, Any]) -> Picture:
    """A picture of the frame of a set that is wanted, or of a part of it, with axes."""
    video, frame = _read_video(wanted), _read_frame(wanted)
    given = [side for side in SIDES if wanted.get(side) is not None]
    box = read_box(wanted, FRAME, SMALLEST_SIDE) if given else FRAME
    picture = Image.fromarray(single_frame(root, index, video, frame, RENDERED_SIZE))
    across, up = picture.width / FRAME.right, picture.height / FRAME.top
    corners = box.left * across, (FRAME.top - box.top) * up, box.right * across, (FRAME.top - box.bottom) * up
    enlarged = picture.resize(box.pixels(), Image.Resampling.LANCZOS, corners)
    name = f"Reference video {video}" if video else "Target video"
    caption = f"{name} at {frame / FRAMES_PER_SECOND:.2f} s{'' if box == FRAME else f', {box}'}, in px"
    return Picture(png_bytes(with_axes(enlarged, box, lines=False)), caption)


def _read_video(wanted: Mapping[str, Any]) -> int:
    number = read_number(wanted, "video")
    if number not in range(REFERENCE_COUNT + 1):
        raise AnswerError(f'"video" must be 0 for the target, or 1 to {REFERENCE_COUNT} for a reference')
    return int(number)


def _read_frame(wanted: Mapping[str, Any]) -> int:
    frames = REFERENCE_FRAMES if _read_video(wanted) else SHOWN_FRAMES
    seconds, last = read_number(wanted, "time"), (frames - 1) / FRAMES_PER_SECOND
    if not 0.0 <= seconds <= frames / FRAMES_PER_SECOND:
        raise AnswerError(f'"time" must be from 0 to {last:g} s in this video')
    return min(frames - 1, round(seconds * FRAMES_PER_SECOND))
