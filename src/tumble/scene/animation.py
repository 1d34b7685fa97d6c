"""Animations: .gif and .webp files that repeat endlessly."""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tumble.scene.checks import PictureError
from tumble.scene.files import whole_file

GIF_FPS_LIMIT = 50


def check_animation(path: str | Path, fps: float) -> str:
    """The suffix of an animation's file name; a PictureError if there can be no such file."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".gif", ".webp"):
        raise PictureError(f"{path}: the name of this file must end in .gif or .webp")
    limit = GIF_FPS_LIMIT if suffix == ".gif" else 1000
    if not 0.0 < fps <= limit:
        raise PictureError(f"fps of a {suffix} file must be greater than 0 and at most {limit}, got {fps!r}")
    return suffix


def write_animation(
    path: str | Path, pictures: Iterable[Image.Image], count: int, fps: float, palette: NDArray[np.uint8]
) -> None:
    """Write `count` pictures to a file, whole or not at all; a .gif gets the nearest of the palette's 256 colours."""
    suffix = check_animation(path, fps)
    frames = iter(pictures)
    with whole_file(path) as temporary:
        if suffix == ".gif":
            frames = (in_palette(picture, palette) for picture in frames)
        next(frames).save(
            temporary,
            format=suffix[1:].upper(),
            save_all=True,
            append_images=frames,
            duration=_durations(count, fps, tick=10 if suffix == ".gif" else 1),
            loop=0,
            lossless=True,
        )


def in_palette(picture: Image.Image, palette: NDArray[np.uint8]) -> Image.Image:
    """The picture in the nearest colours; Pillow's own search is inexact and would tint the white."""
    red, green, blue = np.moveaxis(np.asarray(picture, dtype=np.int32), -1, 0)
    codes, code_of_pixel = np.unique(red << 16 | green << 8 | blue, return_inverse=True)
    colours = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=-1)
    nearest = np.square(colours[:, np.newaxis] - palette.astype(np.int32)).sum(axis=-1).argmin(axis=-1)
    indexed = Image.fromarray(nearest.astype(np.uint8)[code_of_pixel].reshape(red.shape))
    indexed.putpalette(palette.tobytes())
    return indexed


def _durations(count: int, fps: float, tick: int) -> list[int]:
    """Milliseconds of each frame, in whole ticks, such that rounding errors do not add up."""
    ends = [tick * round(k * 1000.0 / (fps * tick)) for k in range(count + 1)]
    return [end - start for start, end in pairwise(ends)]
