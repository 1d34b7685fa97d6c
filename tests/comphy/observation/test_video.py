"""Videos keep what is put into them, and damaged ones are named."""

from pathlib import Path

import numpy as np
import pytest

from tumble.comphy.catalogue.body import Body
from tumble.comphy.observation.renderer import Clip, render_many
from tumble.comphy.observation.video import VideoError, read_video, write_video

pytest.importorskip("av", reason="needs PyAV: pip install tumble[video]")


@pytest.fixture(scope="module")
def rgb() -> np.ndarray:
    """A sphere that crosses the table."""
    positions = np.stack([np.linspace(-1.0, 1.0, 20), np.zeros(20), np.full(20, 0.2)], axis=-1)[:, None]
    bodies = (Body("blue", "metal", "sphere"),)
    return render_many([Clip(bodies, positions, np.tile([1.0, 0.0, 0.0, 0.0], (20, 1, 1)))], (240, 160), threads=1)[
        0
    ].rgb


def test_a_video_is_close_to_its_frames(rgb: np.ndarray, tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", rgb)
    read = read_video(tmp_path / "a.mp4")
    assert read.shape == rgb.shape
    error = np.mean((read.astype(float) - rgb) ** 2)
    assert 10 * np.log10(255**2 / error) > 36


def test_the_same_frames_give_the_same_bytes(rgb: np.ndarray, tmp_path: Path) -> None:
    for name in ("a.mp4", "b.mp4"):
        write_video(tmp_path / name, rgb)
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


def test_a_cut_video_is_named(rgb: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "sim_00007.mp4"
    write_video(path, rgb)
    whole = path.read_bytes()
    for part in (0, 10, len(whole) // 2, len(whole) - 100):
        path.write_bytes(whole[:part])
        with pytest.raises(VideoError, match=r"sim_00007.mp4: damaged or cut off"):
            read_video(path)


def test_a_damaged_video_is_named(rgb: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "sim_00007.mp4"
    write_video(path, rgb)
    whole = bytearray(path.read_bytes())
    start = whole.index(b"mdat") + 1200
    whole[start : start + 1500] = bytes(1500)
    path.write_bytes(whole)
    with pytest.raises(VideoError, match="damaged"):
        read_video(path)


def test_a_video_in_an_unknown_format_is_named(rgb: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    write_video(path, rgb)
    path.write_bytes(path.read_bytes().replace(b"avc1", b"zzzz"))
    with pytest.raises(VideoError, match=r"a\.mp4: its video is in a format that can't be read"):
        read_video(path)


def test_what_is_no_video_is_named(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="there is no such file"):
        read_video(tmp_path / "none.mp4")
    with pytest.raises(VideoError, match="must be even, not 5x4"):
        write_video(tmp_path / "odd.mp4", np.zeros((1, 4, 5, 3), np.uint8))
    with pytest.raises(VideoError, match="must be uint8"):
        write_video(tmp_path / "float.mp4", np.zeros((1, 4, 4, 3)))
    assert not list(tmp_path.iterdir())
