"""Pictures of scenes: grids of colour indices for agents; smooth colour images and animations for people.

`rasterize` draws thousands of grids at a time. Images are anti-aliased, in memory or files; animations are .gif and
.webp files that repeat endlessly.
"""

from collections.abc import Iterable
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from tumble.scene.checks import PictureError
from tumble.scene.drawing import PALETTE, as_poses
from tumble.scene.files import whole_file
from tumble.scene.scene import Scene

LARGEST_SIDE = 16384


def rasterize(scene: Scene, poses: ArrayLike | None = None, size: tuple[int, int] = (256, 256)) -> NDArray[np.uint8]:
    """Draw the scene's view with `size` = (rows, columns) pixels; each pixel holds an index into PALETTE.

    Poses are [bodies, 3] (None: the initial ones) for one picture [rows, columns], or [pictures, bodies, 3]
    for [pictures, rows, columns]; a body with a NaN pose is absent. Row 0 is the top. A pixel belongs to a
    shape when its centre lies inside or on its edge, and later bodies are drawn over earlier ones.
    """
    rows, columns = checked_size(size)
    checked = as_poses(scene, poses)
    batch = checked if checked.ndim == 3 else checked[np.newaxis]
    if not len(batch) or not scene.bodies:
        return np.zeros((*checked.shape[:-2], rows, columns), dtype=np.uint8)
    from tumble.scene.painter import painter_of  # not at the top: Warp takes half a second to load

    pixels = painter_of(scene, rows, columns).paint(batch)
    return pixels if checked.ndim == 3 else pixels[0]


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """The size of a picture as two ints (rows, columns); a PictureError if it is out of range."""
    try:
        rows, columns = (int(side) for side in size)
        if (rows, columns) == tuple(size) and min(rows, columns) >= 1 and max(rows, columns) <= LARGEST_SIDE:
            return rows, columns
    except (TypeError, ValueError, OverflowError):
        pass
    raise PictureError(f"size must be (rows, columns), two whole numbers from 1 to {LARGEST_SIDE}, got {size!r}")


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


LONGER_SIDE = 512
"""Pixels along the longer side of a saved picture, unless a size is given."""

SMOOTHNESS = 4
"""Saved pictures are drawn this many times larger and then averaged, which smooths the edges."""


def render_rgb(
    scene: Scene, poses: ArrayLike | None = None, size: tuple[int, int] = (256, 256), smooth: int = 1
) -> NDArray[np.uint8]:
    """Draw like `rasterize`, in colour: [rows, columns, 3] or [pictures, rows, columns, 3].

    With `smooth` above 1 each pixel is the average of smooth x smooth finer ones.
    """
    rows, columns = _checked_smooth_size(size, smooth)
    checked = as_poses(scene, poses)
    if smooth == 1:
        return PALETTE[rasterize(scene, checked, (rows, columns))]
    if checked.ndim == 2:
        return np.array(_smooth_image(scene, checked, (rows, columns), smooth))
    pictures = np.empty((len(checked), rows, columns, 3), dtype=np.uint8)
    for k, pose in enumerate(checked):
        pictures[k] = np.asarray(_smooth_image(scene, pose, (rows, columns), smooth))
    return pictures


def save_image(
    path: str | Path, scene: Scene, poses: ArrayLike | None = None, size: tuple[int, int] | None = None
) -> None:
    """Write one smooth picture, [bodies, 3] poses (None: the initial ones), to a PNG file."""
    if Path(path).suffix.lower() != ".png":
        raise PictureError(f"{path}: the name of this file must end in .png")
    checked = as_poses(scene, poses)
    if checked.ndim != 2:
        raise PictureError("save_image draws one picture: give poses [bodies, 3], or use save_animation")
    image = _smooth_image(scene, checked, _picture_size(scene, size), SMOOTHNESS)
    with whole_file(path) as temporary:
        image.save(temporary, format="PNG", optimize=True)


def save_animation(
    path: str | Path, scene: Scene, poses: ArrayLike, fps: float = 30.0, size: tuple[int, int] | None = None
) -> None:
    """Write [pictures, bodies, 3] poses as a smooth, endlessly repeated .gif or .webp animation."""
    check_animation(path, fps)
    checked = as_poses(scene, poses)
    if checked.ndim != 3 or not len(checked):
        raise PictureError(f"an animation needs poses [pictures, bodies, 3], not empty, got {list(checked.shape)}")
    pixels = _picture_size(scene, size)
    frames = (_smooth_image(scene, pose, pixels, SMOOTHNESS) for pose in checked)
    write_animation(path, frames, len(checked), fps, _blended_palette())


def _picture_size(scene: Scene, size: tuple[int, int] | None) -> tuple[int, int]:
    if size is not None:
        return _checked_smooth_size(size, SMOOTHNESS)
    scale = LONGER_SIDE / max(scene.width, scene.height)
    return max(1, round(scene.height * scale)), max(1, round(scene.width * scale))


def _checked_smooth_size(size: tuple[int, int], smooth: int) -> tuple[int, int]:
    rows, columns = checked_size(size)
    if smooth < 1:
        raise PictureError(f"smooth must be at least 1, got {smooth!r}")
    if max(rows, columns) * smooth > LARGEST_SIDE:
        raise PictureError(f"size {size!r} is too large: a smooth side has at most {LARGEST_SIDE // smooth} pixels")
    return rows, columns


def _smooth_image(scene: Scene, poses: NDArray[np.float64], size: tuple[int, int], smooth: int) -> Image.Image:
    image = Image.fromarray(rasterize(scene, poses, (size[0] * smooth, size[1] * smooth)))
    image.putpalette(PALETTE.tobytes())
    return image.convert("RGB").reduce(smooth)


def _blended_palette() -> NDArray[np.uint8]:
    """The palette and eleven blends of any two of its colours, 238 in all: those of smoothed edges."""
    shares = np.linspace(0.0, 1.0, 13)[1:-1, np.newaxis]
    blends = [a * (1.0 - shares) + b * shares for a, b in combinations(PALETTE.astype(np.float64), 2)]
    return np.concatenate([PALETTE, *blends]).round().astype(np.uint8)
