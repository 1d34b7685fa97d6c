"""Files of pictures: videos as MP4, on disk or in memory, and the segmentation masks of a video.

Equal frames give equal bytes. Masks are stored without loss in a small file, and give the bodies' bounding boxes.
"""

from collections.abc import Iterable
from io import BytesIO
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tumble.bounded import BoundError, arrays, read_bytes
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.errors import TumbleError
from tumble.scene.files import whole_file

MOST_CONTENT, MOST_PER_BYTE = 96 << 20, 360
"""Bytes that the frames of a file may take, and further ones for each of its bytes …"""
LARGE, MOST_PER_LATER_BYTE = 1 << 20, 600
"""… and for each above these."""
MOST_PIXELS = 1 << 24
"""Of a frame."""
KEPT_FRAMES = 8
"""As many bytes as these frames have may be kept by the decoder."""
ENCODER = "libx264"
ENCODING = {"crf": "18", "preset": "veryfast", "threads": "1", "x264-params": "cpu-independent=1"}
"""One thread, since the bytes depend on the number of threads. Without cpu-independent they depend on the processor,
and sometimes on what was in memory before."""


class VideoError(TumbleError):
    """Frames that can't be encoded, or a file that is damaged or not a video."""


def write_video(path: str | Path, rgb: np.ndarray) -> None:
    """Writes uint8 [frame, height, width, 3] frames, 25 per second."""
    _check_frames(rgb)
    with whole_file(path) as partial:
        _encode(str(partial), rgb)


def encode_video(rgb: np.ndarray) -> bytes:
    """The MP4 file of uint8 [frame, height, width, 3] frames, as `write_video` writes it."""
    _check_frames(rgb)
    stream = BytesIO()
    _encode(stream, rgb)
    return stream.getvalue()


def read_video(path: str | Path) -> np.ndarray:
    """The frames of a video file, uint8 [frame, height, width, 3]."""
    if not Path(path).is_file():
        raise VideoError(f"{path}: there is no such file")
    try:
        return _decode(read_bytes(path), str(path))
    except BoundError as error:
        raise VideoError(f"{path}: {error}") from None


def decode_video(mp4: bytes) -> np.ndarray:
    """The frames of a video file in memory, uint8 [frame, height, width, 3]."""
    return _decode(mp4, "video")


def _check_frames(rgb: np.ndarray) -> None:
    if rgb.ndim != 4 or rgb.shape[3] != 3 or rgb.dtype != np.uint8 or not len(rgb):
        raise VideoError(f"frames must be uint8 [frame, height, width, 3], not {rgb.dtype} {list(rgb.shape)}")
    height, width = rgb.shape[1:3]
    if height % 2 or width % 2:
        raise VideoError(f"width and height must be even, not {width}x{height}: colours are stored for 2x2 pixels")


def _encode(target: str | BytesIO, rgb: np.ndarray) -> None:
    av = _av()
    with av.open(target, "w", format="mp4") as file:
        stream = file.add_stream(ENCODER, rate=FRAMES_PER_SECOND, options=ENCODING)
        stream.height, stream.width, stream.pix_fmt = *rgb.shape[1:3], "yuv420p"
        for picture in rgb:
            file.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")))
        file.mux(stream.encode())


def _decode(mp4: bytes, name: str) -> np.ndarray:
    """The frames of an MP4 file; of no other format, as some of these name further files to be opened."""
    av = _av()
    try:
        with av.open(BytesIO(mp4), format="mp4", options={"err_detect": "explode"}) as file:
            if not file.streams.video:
                raise VideoError(f"{name}: there is no video in it")
            stream = file.streams.video[0]
            if stream.codec_context is None:
                raise VideoError(f"{name}: its video is in a format that can't be read")
            stream.thread_count = 1  # each thread keeps pictures
            stream.codec_context.options = {"max_pixels": str(MOST_PIXELS)}
            frames, count = _frames(file.decode(stream), stream.frames, _most_bytes(len(mp4)), name)
    except (av.error.FFmpegError, EOFError, UnicodeDecodeError) as error:
        raise VideoError(f"{name}: damaged or cut off ({getattr(error, 'strerror', '') or error})") from error
    if count < max(len(frames), 1):
        raise VideoError(f"{name}: damaged or cut off, only {count} of {len(frames)} frames can be read")
    return frames


def _most_bytes(size: int) -> int:
    """The bytes that the frames of a file of a size may take; larger pictures are packed more densely."""
    return MOST_CONTENT + MOST_PER_BYTE * size + MOST_PER_LATER_BYTE * max(0, size - LARGE)


def _frames(pictures: Iterable[Any], expected: int, most: int, name: str) -> tuple[np.ndarray, int]:
    """uint8 [frame, height, width, 3]: as many frames as there should be, and how many there were."""
    frames = np.zeros((0, 0, 0, 3), np.uint8)
    count = 0
    for count, picture in enumerate(pictures, 1):
        size = (picture.height, picture.width, 3)
        if count == 1:
            if (max(expected, 1) + KEPT_FRAMES) * prod(size) > most:
                raise VideoError(f"{name}: {max(expected, 1)} frames of {size[1]} x {size[0]} pixels are too many")
            frames = np.empty((max(expected, 1), *size), np.uint8)
        if size != frames.shape[1:] or count > len(frames):
            raise VideoError(f"{name}: it has more frames than the {expected} that it says, or of several sizes")
        frames[count - 1] = picture.to_ndarray(format="rgb24")
    return frames, count


def _av() -> ModuleType:
    try:
        import av
    except ImportError as error:
        raise VideoError("videos need PyAV: pip install tumble[video]") from error
    return av


MAX_BODIES = 63
MOST_MASK_CONTENT = 384 << 20
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
        found = arrays(read_bytes(path), MOST_MASK_CONTENT // 4)
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
    if (shape < 0).any() or (lengths < 0).any() or size + 13.0 * len(labels) > MOST_MASK_CONTENT:
        raise ValueError("impossible sizes")
    if float(lengths.sum(dtype=float)) != size:
        raise ValueError("its runs do not fill its frames")
    return np.repeat(labels, lengths.astype(np.int64)).reshape(shape)
