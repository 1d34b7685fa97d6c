"""Packed sets: small, exact to what a camera can see, and rendered as the dataset is."""

from pathlib import Path

import numpy as np
import pytest
from generated_dataset import SIZE, made

from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.models.data.packed_sets import PackedSets, in_view, read_packed, write_packed
from tumble.comphy.models.data.sources import read_sets
from tumble.comphy.observation.renderer import render_many


@pytest.fixture(scope="module")
def packed() -> PackedSets:
    return read_sets(made())


def test_a_set_takes_few_bytes_and_comes_back_whole(packed: PackedSets, tmp_path: Path) -> None:
    path = tmp_path / "train.xz"
    write_packed(path, packed)
    again = read_packed(path)
    assert again.digest == packed.digest
    assert again.questions == packed.questions
    assert path.stat().st_size < 8000 * len(packed)


def test_motion_is_that_of_the_dataset(packed: PackedSets) -> None:
    data = open_dataset(made())
    for row, index in enumerate(packed.index.tolist()):
        videos = data.example(index).videos
        assert packed.bodies(row) == videos.bodies
        assert np.abs(packed.poses(row, 0)[..., :2] - videos.target.positions[:125, :, :2]).max() < 3e-4
        assert (in_view(packed.poses(row, 0)) == videos.target.in_view[:125]).mean() > 0.99
        for number, reference in enumerate(videos.references):
            assert tuple(packed.video_members(row, number + 1).tolist()) == reference.members
            places = packed.poses(row, number + 1)[..., :2]
            assert np.abs(places - reference.motion.positions[:, :, :2]).max() < 3e-4


def test_rendered_masks_are_those_of_the_dataset(packed: PackedSets) -> None:
    example = open_dataset(made()).example(int(packed.index[0]))
    for video, key in ((0, "target"), (1, 0)):
        rendered = render_many([packed.clip(0, video, [0, 20, 40])], SIZE)[0]
        stored = example.masks("target" if key == "target" else 0)[[0, 20, 40]]
        assert (rendered.mask != stored).mean() < 0.005


def test_part_keeps_sets_together(packed: PackedSets) -> None:
    part = packed.part(slice(1, 3))
    assert part.index.tolist() == packed.index[1:3].tolist()
    assert part.questions == packed.questions[1:3]
    assert part.digest != packed.digest


def test_damaged_files_are_named(packed: PackedSets, tmp_path: Path) -> None:
    path = tmp_path / "train.xz"
    write_packed(path, packed)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match=r"train.xz: damaged, or not a file of packed sets"):
        read_packed(path)
    with pytest.raises(DataError, match="there is no such file"):
        read_packed(tmp_path / "none.xz")
