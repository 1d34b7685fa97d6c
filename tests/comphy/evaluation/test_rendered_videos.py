"""Videos for a dataset without any are those that it would have."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from generated_dataset import SIZE, made, made_div

from tumble.comphy.dataset.layout import VIDEOS, Layout
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.evaluation.answer_key import read_key, render_sets, tasks_with_videos
from tumble.comphy.observation.video import decode_video, encode_video, read_video


@pytest.mark.parametrize("make", [made, made_div])
def test_rendered_videos_have_the_bytes_of_stored_ones_and_are_kept(make: Callable[[], Path], tmp_path: Path) -> None:
    root = make()
    data = open_dataset(root)
    indices = data.indices()[:2]
    render_sets(root, indices, tmp_path, SIZE)
    own = Layout(tmp_path)
    for index in indices:
        for video in VIDEOS:
            assert own.video(index, video).read_bytes() == data.layout.video(index, video).read_bytes()
    first, second = own.video(indices[0]), own.video(indices[0], 2)
    kept = first.stat().st_mtime_ns, own.video(indices[-1]).stat().st_mtime_ns
    second.unlink()
    render_sets(root, indices[1:], tmp_path, SIZE)
    assert not second.exists()
    render_sets(root, indices, tmp_path, SIZE)
    assert second.exists()
    assert own.video(indices[-1]).stat().st_mtime_ns == kept[1]


@pytest.mark.parametrize("make", [made, made_div])
def test_tasks_give_the_rendered_videos(make: Callable[[], Path], tmp_path: Path) -> None:
    root = make()
    sets = read_key(root, "test").sets[:1]
    render_sets(root, [sets[0].index], tmp_path, SIZE)
    (task,), (stored,) = tasks_with_videos(root, sets, tmp_path), tasks_with_videos(root, sets, None)
    assert task.world is stored.world is open_dataset(root).world
    assert all((one == other).all() for one, other in zip(task.videos(), stored.videos(), strict=True))
    assert task.use.most == "videos"
    assert all(question.answer is None for question in task.questions.questions)


def test_videos_in_memory_are_those_of_files() -> None:
    path = open_dataset(made()).layout.video(0)
    frames = read_video(path)
    assert (decode_video(path.read_bytes()) == frames).all()
    again = decode_video(encode_video(frames))
    assert again.shape == frames.shape
    assert np.abs(again.astype(int) - frames).mean() < 3.0
