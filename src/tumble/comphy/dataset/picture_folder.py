"""Pictures of a video as files in a folder: frame_00000.png and so on."""

import re
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from tumble.bounded import read_bytes
from tumble.comphy.dataset.json_files import DataError

MOST_PIXELS = 1 << 24
"""Of a picture; those of the published videos have 0.15 million."""
_NAME = re.compile(r"(?:frame_)?(\d+)\.(?:png|jpg|jpeg)")


def read_picture_folder(folder: Path, size: tuple[int, int]) -> np.ndarray:
    """uint8 [frame, height, width, 3]: the pictures of a folder by their numbers, scaled to a width and a height."""
    numbered = {int(match[1]): path for path in folder.iterdir() if (match := _NAME.fullmatch(path.name.lower()))}
    if not numbered:
        raise DataError(f"{folder}: there are no pictures like frame_00000.png")
    return np.stack([_picture(numbered[number], size) for number in sorted(numbered)])


def scaled(picture: Image.Image, size: tuple[int, int]) -> np.ndarray:
    """uint8 [height, width, 3]: a picture scaled to a width and a height."""
    return np.asarray(picture.convert("RGB").resize(size, Image.Resampling.BILINEAR), np.uint8)


def _picture(path: Path, size: tuple[int, int]) -> np.ndarray:
    try:
        with Image.open(BytesIO(read_bytes(path)), formats=("PNG", "JPEG")) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise ValueError(f"it has {picture.width} x {picture.height} pixels, too many")
            return scaled(picture, size)
    except (OSError, ValueError, SyntaxError) as error:  # Pillow raises the last for damaged PNG files
        raise DataError(f"{path}: this is not a picture: {error}") from None
