"""Contact sheets: frames of a video side by side in one picture, with the time below each."""

import math
from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from tumble.comphy.llm.frames import SampledVideo
from tumble.comphy.observation.renderer import Size
from tumble.llm.prompt import Picture

GAP = 6
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
    sheet = Image.new("RGB", (columns * (width + GAP) - GAP, rows * (height + LABEL_HEIGHT)), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(FONT_SIZE)
    for k, (picture, label) in enumerate(cells):
        left, top = k % columns * (width + GAP), k // columns * (height + LABEL_HEIGHT)
        sheet.paste(picture, (left, top))
        draw.text((left + width // 2, top + height + 1), label, fill="black", font=font, anchor="ma")
    stream = BytesIO()
    sheet.save(stream, "PNG", optimize=True)
    return stream.getvalue()
