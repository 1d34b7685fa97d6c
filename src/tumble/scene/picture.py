"""Pictures for people: anti-aliased colour images and animations of scenes, in memory and as files."""

from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from tumble.scene.animation import check_animation, write_animation
from tumble.scene.checks import PictureError
from tumble.scene.colours import PALETTE
from tumble.scene.files import whole_file
from tumble.scene.poses import as_poses
from tumble.scene.raster import LARGEST_SIDE, checked_size, rasterize
from tumble.scene.scene import Scene

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
    rows, columns = _checked_size(size, smooth)
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
        return _checked_size(size, SMOOTHNESS)
    scale = LONGER_SIDE / max(scene.width, scene.height)
    return max(1, round(scene.height * scale)), max(1, round(scene.width * scale))


def _checked_size(size: tuple[int, int], smooth: int) -> tuple[int, int]:
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
