"""Pictures of a video as files in a folder: frame_00000.png and so on."""

import re
from pathlib import Path

import numpy as np
from PIL import Image

from tumble.comphy.dataset.json_files import DataError

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
        with Image.open(path) as picture:
            return scaled(picture, size)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: this is not a picture: {error}") from None
