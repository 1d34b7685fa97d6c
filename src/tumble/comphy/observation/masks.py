"""Which body is seen at each pixel: boxes around bodies, and a small lossless file for the masks of a video."""

import zipfile
import zlib
from pathlib import Path

import numpy as np

from tumble.scene.files import whole_file


class MaskError(ValueError):
    """Masks that can't be, or a file that isn't a whole one."""


def boxes_of(mask: np.ndarray, bodies: int) -> np.ndarray:
    """uint8 [frame, height, width] to float32 [frame, body, 4]: x from, y from, x to, y to in pixels; NaN if unseen.

    A box ends where its last pixel does: a body of one pixel has a box of width 1.
    """
    if not 1 <= bodies <= 63:
        raise MaskError(f"there must be from 1 to 63 bodies, not {bodies}")
    bit = np.zeros(256, np.min_scalar_type((1 << bodies) - 1))
    bit[1 : bodies + 1] = 1 << np.arange(bodies)
    bits = bit[mask]
    number = np.arange(bodies).astype(bit.dtype)
    boxes = np.full((len(mask), bodies, 4), np.nan, np.float32)
    for axis, low in ((1, 0), (2, 1)):
        there = (np.bitwise_or.reduce(bits, axis=axis)[:, None, :] >> number[:, None]) & 1 > 0
        seen = there.any(axis=-1)
        boxes[..., low] = np.where(seen, there.argmax(axis=-1), np.nan)
        boxes[..., low + 2] = np.where(seen, there.shape[-1] - there[..., ::-1].argmax(axis=-1), np.nan)
    return boxes


def write_masks(path: str | Path, mask: np.ndarray) -> None:
    """Writes uint8 [frame, height, width] masks as runs of equal pixels, compressed; the same masks, the same bytes."""
    if mask.ndim != 3 or mask.dtype != np.uint8:
        raise MaskError(f"masks must be uint8 [frame, height, width], not {mask.dtype} {list(mask.shape)}")
    flat = mask.reshape(-1)
    starts = np.concatenate([np.zeros(min(flat.size, 1), int), np.flatnonzero(flat[1:] != flat[:-1]) + 1])
    lengths = np.diff(starts, append=flat.size).astype(np.uint32)
    with whole_file(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, shape=np.array(mask.shape), lengths=lengths, labels=flat[starts])


def read_masks(path: str | Path) -> np.ndarray:
    """The masks of a file, uint8 [frame, height, width]."""
    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            shape, lengths, labels = (file[name] for name in ("shape", "lengths", "labels"))
        return np.repeat(labels, lengths).reshape(shape)
    except FileNotFoundError as error:
        raise MaskError(f"{path}: there is no such file") from error
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise MaskError(f"{path}: damaged or not a file of masks ({error})") from error
