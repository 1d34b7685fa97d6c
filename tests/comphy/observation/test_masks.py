"""Masks on disk, boxes around them, and COCO's run-length form."""

from pathlib import Path

import numpy as np
import pytest

from tumble.comphy.dataset.export.clevrer import Rle, RleError, decode_rle, encode_rle
from tumble.comphy.observation.video import MaskError, bounding_boxes, read_masks, write_masks


@pytest.fixture
def mask() -> np.ndarray:
    """Two rectangles that move, one before the other."""
    mask = np.zeros((6, 40, 60), np.uint8)
    for frame in range(6):
        mask[frame, 5:15, 4 * frame : 4 * frame + 9] = 1
        mask[frame, 10:30, 20:31] = 2
    return mask


def test_masks_come_back_from_disk_and_are_small(mask: np.ndarray, tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        write_masks(tmp_path / name, mask)
    assert np.array_equal(read_masks(tmp_path / "a.npz"), mask)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert (tmp_path / "a.npz").stat().st_size < mask.size / 8


@pytest.mark.parametrize("shape", [(0, 4, 4), (1, 1, 1), (2, 3, 5)])
def test_masks_of_any_size_come_back(shape: tuple[int, int, int], tmp_path: Path) -> None:
    for value in (0, 255):
        write_masks(tmp_path / "a.npz", np.full(shape, value, np.uint8))
        assert np.array_equal(read_masks(tmp_path / "a.npz"), np.full(shape, value))


def test_damaged_masks_are_named(mask: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "masks_7.npz"
    write_masks(path, mask)
    whole = path.read_bytes()
    for part in range(0, len(whole), 40):
        path.write_bytes(whole[:part])
        with pytest.raises(MaskError, match=r"masks_7.npz: damaged"):
            read_masks(path)
    for place in range(60, len(whole) - 60, 60):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            assert np.array_equal(read_masks(path), mask)
        except MaskError:
            continue
    with pytest.raises(MaskError, match="there is no such file"):
        read_masks(tmp_path / "none.npz")
    with pytest.raises(MaskError, match="must be uint8"):
        write_masks(path, mask.astype(int))


def test_boxes_enclose_the_pixels_of_each_body(mask: np.ndarray) -> None:
    boxes = bounding_boxes(mask, 3)
    assert boxes[0].tolist()[:2] == [[0, 5, 9, 15], [20, 10, 31, 30]]
    assert boxes[5, 0].tolist() == [20, 5, 29, 10]
    assert np.isnan(boxes[:, 2]).all()


def test_run_lengths_go_down_the_columns_from_zeros() -> None:
    mask = np.array([[0, 1], [1, 1], [0, 0]], bool)
    # Runs of 1, 1, 1, 2 and 1 pixels; the last two are written as 2 - 1 and 1 - 1.
    assert encode_rle(mask) == Rle(size=[3, 2], counts="11110")
    assert encode_rle(~mask)["counts"].startswith("0")


@pytest.mark.parametrize("seed", range(20))
def test_run_lengths_come_back(seed: int) -> None:
    random = np.random.default_rng(seed)
    blocks = random.random((random.integers(1, 8), random.integers(1, 8))) < random.random()
    mask = np.kron(blocks, np.ones(random.integers(1, 60, 2), bool))
    assert np.array_equal(decode_rle(encode_rle(mask)), mask)


def test_broken_run_lengths_are_refused() -> None:
    good = encode_rle(np.eye(9, dtype=bool))
    for counts in (good["counts"][:-1], good["counts"] + "5", "o", " "):
        with pytest.raises(RleError):
            decode_rle(Rle(size=[9, 9], counts=counts))
