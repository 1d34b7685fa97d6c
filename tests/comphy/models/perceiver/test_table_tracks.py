"""Exact tracks as a perception, and perceptions put back onto the table."""

import numpy as np
from sample_set import video_set

from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.models.perceiver.from_observation import perception_of
from tumble.comphy.models.perceiver.table_tracks import smoothed_velocities, table_tracks
from tumble.comphy.observation.camera import CAMERA


def test_places_invert_the_projection() -> None:
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (7, 3)) * (1, 1, 0.1) + (0, 0, 0.2)
    places = CAMERA.places(CAMERA.project(points)[:, :2], points[:, 2])
    np.testing.assert_allclose(places, points[:, :2], atol=1e-9)


def test_rays_above_the_horizon_have_no_place() -> None:
    assert np.isnan(CAMERA.places(np.array([0.5, -5.0]), 0.2)).all()


def test_exact_tracks_come_back_on_the_table() -> None:
    videos = video_set()
    perception = perception_of(observe_videos(videos))
    tracks = table_tracks(perception)
    assert [track.members for track in tracks[1:]] == [one.members for one in videos.references]
    seen = perception.target.seen
    assert seen.any()
    assert not seen.all()
    truth = videos.target.positions[: len(seen), :, :2]
    np.testing.assert_allclose(tracks[0].positions[seen], truth[seen], atol=1e-5)
    assert np.isnan(tracks[0].positions[~seen]).all()
    assert (perception.target.boxes[~seen] == -1).all()
    known = np.isfinite(tracks[0].velocities).all(axis=-1)
    np.testing.assert_allclose(
        tracks[0].velocities[known], videos.target.velocities[: len(seen), :, :2][known], atol=1e-3
    )


def test_only_cubes_have_a_yaw_below_a_quarter_turn() -> None:
    video = perception_of(observe_videos(video_set())).target
    assert np.isnan(video.yaws[:, 1:]).all()
    cube = video.yaws[video.seen[:, 0], 0]
    assert len(cube)
    assert (cube >= 0).all()
    assert (cube < np.pi / 2).all()


def test_velocities_skip_missing_frames_and_trust_exact_ones() -> None:
    times = np.arange(12) / 25.0
    positions = np.stack([0.5 * times, -1.0 * times], axis=-1)[:, None]
    positions[4], positions[7] = np.nan, 9.0
    errors = np.ones((12, 1))
    errors[7] = 1e6
    velocities = smoothed_velocities(positions, errors)
    np.testing.assert_allclose(velocities[:, 0], np.tile([0.5, -1.0], (12, 1)), atol=1e-6)
    assert np.isnan(smoothed_velocities(np.full((3, 1, 2), np.nan), np.ones((3, 1)))).all()
