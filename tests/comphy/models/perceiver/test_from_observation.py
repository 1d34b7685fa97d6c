"""Exact tracks as a perception."""

import numpy as np
from sample_set import video_set

from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.models.perceiver.perceive import perception_of


def test_bodies_out_of_view_have_no_box() -> None:
    videos = video_set()
    perception = perception_of(observe_videos(videos))
    assert [video.members for video in perception.references] == [one.members for one in videos.references]
    seen = perception.target.seen
    assert seen.any()
    assert not seen.all()
    assert (perception.target.boxes[~seen] == -1).all()
    assert (perception.target.boxes[seen] >= 0).all()


def test_only_cubes_have_a_yaw_below_a_quarter_turn() -> None:
    video = perception_of(observe_videos(video_set())).target
    assert np.isnan(video.yaws[:, 1:]).all()
    cube = video.yaws[video.seen[:, 0], 0]
    assert len(cube)
    assert (cube >= 0).all()
    assert (cube < np.pi / 2).all()
