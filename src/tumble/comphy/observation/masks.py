"""Segmentation masks: bounding boxes of the bodies, and a small lossless file for the masks of a video."""

from pathlib import Path

import numpy as np

from tumble.bounded import arrays, read_bytes
from tumble.errors import TumbleError
from tumble.scene.files import whole_file

MAX_BODIES = 63
MOST_CONTENT = 384 << 20
"""Bytes of the masks of a video with 13 for each run; 150 frames of 1920 x 1280 fit, those of 4096 x 4096 do not."""


class MaskError(TumbleError):
    """An array that is not a mask, or a file that is damaged or not a mask file."""


def bounding_boxes(mask: np.ndarray, bodies: int) -> np.ndarray:
    """uint8 [frame, height, width] to float32 [frame, body, 4]: left, top, right, bottom in pixels; NaN if unseen.

    Right and bottom are exclusive: the box of a single pixel has width 1.

    >>> bounding_boxes(np.array([[[0, 1, 1], [0, 0, 1]]], np.uint8), bodies=1).tolist()
    [[[1.0, 0.0, 3.0, 2.0]]]
    """
    if not 1 <= bodies <= MAX_BODIES:
        raise MaskError(f"there must be from 1 to {MAX_BODIES} bodies, not {bodies}")
    # One bit for each label: an OR along an axis then says which bodies occur in each row or column. Shifts are much
    # faster than a table of the bits; those of labels that don't fit are 0.
    dtype = np.min_scalar_type((2 << bodies) - 1)
    bits = np.left_shift(dtype.type(1), mask.astype(dtype, copy=False))
    label = np.arange(1, bodies + 1).astype(dtype)
    boxes = np.full((len(mask), bodies, 4), np.nan, np.float32)
    for axis, low in ((1, 0), (2, 1)):
        occurs = (np.bitwise_or.reduce(bits, axis=axis)[:, None, :] >> label[:, None]) & dtype.type(1) > 0
        visible = occurs.any(axis=-1)
        boxes[..., low] = np.where(visible, occurs.argmax(axis=-1), np.nan)
        boxes[..., low + 2] = np.where(visible, occurs.shape[-1] - occurs[..., ::-1].argmax(axis=-1), np.nan)
    return boxes


def write_masks(path: str | Path, mask: np.ndarray) -> None:
    """Writes uint8 [frame, height, width] masks, run-length encoded and compressed; equal masks give equal bytes."""
    if mask.ndim != 3 or mask.dtype != np.uint8:
        raise MaskError(f"masks must be uint8 [frame, height, width], not {mask.dtype} {list(mask.shape)}")
    flat = mask.reshape(-1)
    starts = np.concatenate([np.zeros(min(flat.size, 1), int), np.flatnonzero(flat[1:] != flat[:-1]) + 1])
    lengths = np.diff(starts, append=flat.size).astype(np.uint32)
    with whole_file(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, shape=np.array(mask.shape), lengths=lengths, labels=flat[starts])


def read_masks(path: str | Path) -> np.ndarray:
    """The masks in a file, uint8 [frame, height, width]."""
    try:
        found = arrays(read_bytes(path), MOST_CONTENT // 4)
        return _decoded(*(found[name] for name in ("shape", "lengths", "labels")))
    except FileNotFoundError as error:
        raise MaskError(f"{path}: there is no such file") from error
    except (ValueError, KeyError, OSError) as error:
        raise MaskError(f"{path}: damaged or not a mask file ({error})") from error


def _decoded(shape: np.ndarray, lengths: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The masks of runs; ValueError where the arrays are not those of masks."""
    kinds = shape.dtype.kind + lengths.dtype.kind
    if set(kinds) - set("iu") or labels.dtype != np.uint8 or shape.shape != (3,) or lengths.shape != labels.shape:
        raise ValueError("it has no run-length encoded masks")
    size = float(np.prod(shape, dtype=float))
    if (shape < 0).any() or (lengths < 0).any() or size + 13.0 * len(labels) > MOST_CONTENT:
        raise ValueError("impossible sizes")
    if float(lengths.sum(dtype=float)) != size:
        raise ValueError("its runs do not fill its frames")
    return np.repeat(labels, lengths.astype(np.int64)).reshape(shape)
