"""A picture of a set for its card: some frames of each of its five videos."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from tumble.comphy.dataset.layout import VIDEOS, VideoKey
from tumble.comphy.dataset.load import Example
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND
from tumble.scene.files import whole_file

COLUMNS = 6
CELL_WIDTH = 200
_GAP = 4
_LABEL_HEIGHT = 18


def write_contact_sheet(path: Path, example: Example) -> None:
    """Writes a PNG file with evenly spaced frames: a row for the target, and one for each reference."""
    rows = [_row(example, video) for video in VIDEOS[: 1 + len(example.videos.references)]]
    width = max(row.width for row in rows)
    sheet = Image.new("RGB", (width, sum(row.height for row in rows)), "white")
    top = 0
    for row in rows:
        sheet.paste(row, (0, top))
        top += row.height
    with whole_file(path) as partial:
        sheet.save(partial)


def _row(example: Example, video: VideoKey) -> Image.Image:
    frames = example.frames(video)
    chosen = np.linspace(0, len(frames) - 1, COLUMNS).round().astype(int).tolist()
    height, width = frames.shape[1:3]
    cell = (CELL_WIDTH, round(CELL_WIDTH * height / width))
    row = Image.new("RGB", (COLUMNS * (cell[0] + _GAP) - _GAP, _LABEL_HEIGHT + cell[1] + _GAP), "white")
    draw = ImageDraw.Draw(row)
    name = "target" if video == "target" else f"reference {video}"
    for column, frame in enumerate(chosen):
        left = column * (cell[0] + _GAP)
        label = f"{frame / FRAMES_PER_SECOND:.1f} s"
        draw.text((left + 2, 3), f"{name}, {label}" if column == 0 else label, fill="black")
        row.paste(Image.fromarray(frames[frame]).resize(cell, Image.Resampling.LANCZOS), (left, _LABEL_HEIGHT))
    return row
