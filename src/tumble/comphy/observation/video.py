"""Videos as MP4 files, on disk or in memory: equal frames give equal bytes."""

from io import BytesIO
from pathlib import Path
from types import ModuleType

import numpy as np

from tumble.comphy.tasks.constants import FRAMES_PER_SECOND
from tumble.errors import TumbleError
from tumble.scene.files import whole_file

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
    return _decode(str(path), str(path))


def decode_video(mp4: bytes) -> np.ndarray:
    """The frames of a video file in memory, uint8 [frame, height, width, 3]."""
    return _decode(BytesIO(mp4), "video")


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


def _decode(source: str | BytesIO, name: str) -> np.ndarray:
    av = _av()
    try:
        with av.open(source, options={"err_detect": "explode"}) as file:
            if not file.streams.video:
                raise VideoError(f"{name}: there is no video in it")
            stream = file.streams.video[0]
            frames = [frame.to_ndarray(format="rgb24") for frame in file.decode(stream)]
            expected = stream.frames
    except av.error.FFmpegError as error:
        raise VideoError(f"{name}: damaged or cut off ({error.strerror})") from error
    if len(frames) < max(expected, 1):
        raise VideoError(f"{name}: damaged or cut off, only {len(frames)} of {expected} frames can be read")
    return np.stack(frames)


def _av() -> ModuleType:
    try:
        import av
    except ImportError as error:
        raise VideoError("videos need PyAV: pip install tumble[video]") from error
    return av
