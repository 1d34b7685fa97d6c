"""WebP pictures and short WebP clips of bounded size."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image

MAX_BYTES = 60_000
ENCODINGS = {
    True: {"lossless": True, "method": 3},
    False: {"lossless": False, "quality": 75, "method": 2, "kmin": 15, "kmax": 80},
}
"""Options of Pillow's WebP encoder: lossless for flat colours, else lossy with few key frames."""
REST = 1.0
"""Seconds for which the last frame of a clip is shown before it starts again."""


def write_picture(path: Path, picture: Image.Image) -> None:
    """Write one lossless picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path, "WEBP", lossless=True, method=4)


def write_clip(
    path: Path, frames: Sequence[Image.Image], fps: float, lossless: bool, max_bytes: int = MAX_BYTES
) -> int:
    """Write an endlessly repeated clip and return its size in bytes.

    Where all frames take more than `max_bytes`, only every second, third, … frame is kept: the speed stays the same.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    step = 0
    while True:
        step += 1
        kept = [*frames[:-1:step], frames[-1]]
        durations = [round(1000 * step / fps)] * (len(kept) - 1) + [round(1000 * REST)]
        options = {"save_all": True, "append_images": kept[1:], "duration": durations, "loop": 0}
        kept[0].save(path, "WEBP", **ENCODINGS[lossless], **options)
        size = path.stat().st_size
        if size <= max_bytes or len(kept) <= 2:
            return size
