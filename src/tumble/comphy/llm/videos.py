"""How a set's videos are shown to a model: contact sheets, an enlarged frame, and tables of tracks.

Frames come from the videos of the dataset, or are rendered if it has none. A table of tracks says for each video
where its bodies are while they are in view, in the table's plane with axes that are turned with the camera: x to the
right in the picture, y away from the camera. So directions in the picture can be read from it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tumble.comphy.catalogue.task import Appearance, Observation, SeenVideo
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES
from tumble.comphy.dataset.load import Dataset, open_dataset
from tumble.comphy.dataset.observe import stored_pictures
from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.clips import part_of, render_clips, set_clips
from tumble.comphy.observation.renderer import FULL_SIZE, Size
from tumble.llm.puzzle import AnswerError, Picture
from tumble.llm.zoom import SIDES, Box, box_properties, png_bytes, read_box, read_number, with_axes


@dataclass(frozen=True, eq=False)
class SampledVideo:
    """Some frames of a video."""

    pictures: np.ndarray
    """uint8 [frame, height, width, 3]."""
    seconds: tuple[float, ...]
    """The time of each."""


def sampled_videos(root: Path, index: int, frames: int, reference_frames: int, size: Size) -> list[SampledVideo]:
    """Evenly spaced frames of the target, then of each reference. Frames of a dataset's videos keep their own size."""
    data = _dataset(root)
    if data.has_videos:
        videos = stored_pictures(data, index)
        chosen = [even_frames(len(video), _count(k, frames, reference_frames)) for k, video in enumerate(videos)]
        pictures = [video[own] for video, own in zip(videos, chosen, strict=True)]
    else:
        clips = set_clips(data.visible_set(index))
        chosen = [even_frames(clip.frames, _count(k, frames, reference_frames)) for k, clip in enumerate(clips)]
        pictures = [
            rendered.rgb
            for rendered in render_clips([part_of(clip, own) for clip, own in zip(clips, chosen, strict=True)], size)
        ]
    seconds = [tuple(frame / FRAMES_PER_SECOND for frame in own) for own in chosen]
    return [SampledVideo(*pair) for pair in zip(pictures, seconds, strict=True)]


@lru_cache(maxsize=16)
def single_frame(root: Path, index: int, video: int, frame: int, size: Size) -> np.ndarray:
    """uint8 [height, width, 3]: a frame of a video, 0 the target; rendered in this size if there are no videos.

    The last ones are kept, since several parts of one may be looked at.
    """
    data = _dataset(root)
    if data.has_videos:
        pictures = data.pictures(index, data.layout.videos[video])
        return np.asarray(pictures[min(frame, len(pictures) - 1)])
    clip = set_clips(data.visible_set(index))[video]
    return np.asarray(render_clips([part_of(clip, [frame])], size)[0].rgb[0])


def stored_videos(root: Path) -> str:
    """The size of a dataset's videos, which are shown if there are any; empty if frames are rendered.

    The published videos have no size in their files' settings.
    """
    data = _dataset(root)
    if not data.has_videos:
        return ""
    size = data.settings.size if data.settings else None
    return "x".join(map(str, size)) if size else "published"


def even_frames(total: int, count: int) -> list[int]:
    """Evenly spaced frames of a video, the first and the last among them; all if there are no more.

    >>> even_frames(50, 4)
    [0, 16, 33, 49]
    """
    return sorted(set(np.linspace(0, total - 1, min(count, total)).round().astype(int).tolist()))


def _count(video: int, frames: int, reference_frames: int) -> int:
    return reference_frames if video else frames


@lru_cache(maxsize=4)
def _dataset(root: Path) -> Dataset:
    return open_dataset(root)


CELL_GAP = 6
LABEL_HEIGHT = 18
FONT_SIZE = 13
Cell = tuple[Image.Image, str]
"""A frame and the text below it."""


def contact_sheets(videos: Sequence[SampledVideo], size: Size) -> list[Picture]:
    """A picture of the target's frames, and one of those of all references, a row for each; frames have this size."""
    target, *references = videos
    count = len(target.seconds)
    sheets = [
        Picture(
            _sheet(_cells(target, size), columns=math.ceil(math.sqrt(count))),
            f"Target video: {count} frames, in order from left to right and from top to bottom",
        )
    ]
    if references:
        columns = max(len(video.seconds) for video in references)
        cells = [_cells(video, size, f"reference {k}, ") for k, video in enumerate(references, 1)]
        sheets.append(
            Picture(
                _sheet([cell for own in cells for cell in own], columns),
                f"Reference videos 1 to {len(references)}: a row for each, {columns} frames in order in each row",
            )
        )
    return sheets


def _cells(video: SampledVideo, size: Size, label: str = "") -> list[Cell]:
    return [
        (_resized(Image.fromarray(picture), size), f"{label}{seconds:.2f} s")
        for picture, seconds in zip(video.pictures, video.seconds, strict=True)
    ]


def _resized(picture: Image.Image, size: Size) -> Image.Image:
    return picture if picture.size == size else picture.resize(size, Image.Resampling.LANCZOS)


def _sheet(cells: Sequence[Cell], columns: int) -> bytes:
    """The PNG file of cells of equal size, row by row."""
    width, height = cells[0][0].size
    rows = math.ceil(len(cells) / columns)
    sheet = Image.new("RGB", (columns * (width + CELL_GAP) - CELL_GAP, rows * (height + LABEL_HEIGHT)), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(FONT_SIZE)
    for k, (picture, label) in enumerate(cells):
        left, top = k % columns * (width + CELL_GAP), k // columns * (height + LABEL_HEIGHT)
        sheet.paste(picture, (left, top))
        draw.text((left + width // 2, top + height + 1), label, fill="black", font=font, anchor="ma")
    stream = BytesIO()
    sheet.save(stream, "PNG", optimize=True)
    return stream.getvalue()


WHOLE_FRAME = Box(0.0, 0.0, *map(float, FULL_SIZE))
"""All of a frame, in the pixels of a video of full size, whatever size the dataset's videos have."""
SMALLEST_SIDE = 20.0
"""Of these pixels along a part, at least."""
RENDERED_SIZE = 2 * FULL_SIZE[0], 2 * FULL_SIZE[1]
"""Of frames of a dataset without videos."""
LOOK_DESCRIPTION = (
    f"Shows a frame of a video, by number (0: the target, 1 to {REFERENCE_COUNT}: the references) and time in seconds; "
    f"or a part of it, enlarged: left, bottom, right and top of a rectangle in px, where a frame is "
    f"{WHOLE_FRAME.right:g} x {WHOLE_FRAME.top:g} and (0, 0) its bottom left."
)
LOOK_SCHEMA = {
    "type": "object",
    "properties": {
        "video": {"type": "integer", "minimum": 0, "maximum": REFERENCE_COUNT},
        "time": {"type": "number", "minimum": 0, "maximum": (SHOWN_FRAMES - 1) / FRAMES_PER_SECOND},
        **box_properties(WHOLE_FRAME),
    },
    "required": ["video", "time"],
    "additionalProperties": False,
}


def frame_part(root: Path, index: int, wanted: Mapping[str, Any]) -> Picture:
    """A picture of the frame of a set that is wanted, or of a part of it, with axes."""
    video, frame = _read_video(wanted), _read_frame(wanted)
    given = [side for side in SIDES if wanted.get(side) is not None]
    box = read_box(wanted, WHOLE_FRAME, SMALLEST_SIDE) if given else WHOLE_FRAME
    picture = Image.fromarray(single_frame(root, index, video, frame, RENDERED_SIZE))
    across, up = picture.width / WHOLE_FRAME.right, picture.height / WHOLE_FRAME.top
    corners = (
        box.left * across,
        (WHOLE_FRAME.top - box.top) * up,
        box.right * across,
        (WHOLE_FRAME.top - box.bottom) * up,
    )
    enlarged = picture.resize(box.pixels(), Image.Resampling.LANCZOS, corners)
    name = f"Reference video {video}" if video else "Target video"
    caption = f"{name} at {frame / FRAMES_PER_SECOND:.2f} s{'' if box == WHOLE_FRAME else f', {box}'}, in px"
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


DECIMALS = 2
OUT_OF_VIEW = "-"
SEPARATOR = "; "


def track_tables(observation: Observation, every: int) -> str:
    """The tables of all videos of a set, the target first."""
    tables = [track_table("Target video", observation.appearances, observation.target, every)]
    for k, reference in enumerate(observation.references, 1):
        tables.append(track_table(f"Reference video {k}", observation.appearances, reference, every))
    return "\n\n".join(tables)


def track_table(title: str, appearances: Sequence[Appearance], video: SeenVideo, every: int) -> str:
    """The table of a video: a row for every k-th frame and for the last one, with its time in seconds."""
    names = [" ".join(appearances[member]) for member in video.members]
    places = table_places(video.track.positions)
    rows = [
        SEPARATOR.join([f"{frame / FRAMES_PER_SECOND:.2f}", *map(_place_text, places[frame])])
        for frame in sampled_frames(video.track.frames, every)
    ]
    return "\n".join([title, SEPARATOR.join(["time", *names]), *rows])


def sampled_frames(frames: int, every: int) -> list[int]:
    """Every k-th frame, and the last one.

    >>> sampled_frames(12, 5)
    [0, 5, 10, 11]
    """
    return sorted({*range(0, frames, every), frames - 1})


def table_axes(camera: Camera = CAMERA) -> np.ndarray:
    """[2, 2]: unit vectors in the table's plane to the right of the picture and away from the camera, as rows."""
    right, _, forward = camera.axes[:, :2]
    return np.stack([right / np.linalg.norm(right), forward / np.linalg.norm(forward)])


def table_places(positions: np.ndarray) -> np.ndarray:
    """[..., 3] positions to [..., 2]: x to the right and y away from the camera."""
    return np.asarray(positions[..., :2] @ table_axes().T)


def _place_text(place: np.ndarray) -> str:
    """A place, or a dash if it is NaN."""
    if not np.isfinite(place).all():
        return OUT_OF_VIEW
    return " ".join(f"{round(float(value), DECIMALS) + 0.0:.{DECIMALS}f}" for value in place)  # + 0.0: no "-0.00"
