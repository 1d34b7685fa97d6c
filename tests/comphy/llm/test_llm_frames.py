"""Frames of a dataset without videos are rendered as those of one with videos are, in either world."""

from pathlib import Path

import numpy as np
import pytest

from tumble.comphy.generation.generate import generate
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.llm.videos import sampled_videos, single_frame
from tumble.comphy.observation.clips import part_of, render_clips, set_clips

SIZE = (48, 32)


@pytest.mark.parametrize("world", ["plain", "div"])
def test_frames_are_rendered_if_there_are_no_videos(world: str, tmp_path: Path) -> None:
    generate(tmp_path / "data", 1, 1, video=False, workers=1, world=world)
    found = sampled_videos(tmp_path / "data", 0, 3, 2, SIZE)
    clips = set_clips(make_set(0, seed=1, world=world))
    chosen = [[0, 62, 124], *[[0, 49]] * 4]
    expected = render_clips([part_of(clip, own) for clip, own in zip(clips, chosen, strict=True)], SIZE)
    for video, frames, own in zip(found, expected, chosen, strict=True):
        assert video.seconds == tuple(frame / 25 for frame in own)
        np.testing.assert_array_equal(video.pictures, frames.rgb)
    frame = single_frame(tmp_path / "data", 0, 1, 49, SIZE)
    np.testing.assert_array_equal(frame, expected[1].rgb[-1])
