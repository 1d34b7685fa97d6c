"""Tracks as tensors: those of the data, the same through a perception, and as a perceiver may give them."""

import numpy as np
import pytest
import torch
from generated_dataset import made

from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import observe_stored
from tumble.comphy.dataset.tracks import project_boxes
from tumble.comphy.models.data.geometry import heights_of, to_picture, to_table
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.sources import read_sets
from tumble.comphy.models.data.track_tensors import TrackTensors, fill_gaps, local_lines, with_noise
from tumble.comphy.models.perceiver.perceive import perception_of

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def packed() -> PackedSets:
    return read_sets(made())


@pytest.fixture(scope="module")
def tracks(packed: PackedSets) -> TrackTensors:
    return TrackTensors.from_packed(packed, CPU)


def test_tracks_are_those_of_the_data(packed: PackedSets, tracks: TrackTensors) -> None:
    data = open_dataset(made())
    for row, index in enumerate(packed.index.tolist()):
        videos = data.example(index).videos
        count = len(videos.bodies)
        assert tracks.exists[row].sum() == count
        present = tracks.target.present[row, :, :count].numpy()
        assert (present == videos.target.in_view[:125]).mean() > 0.99
        away = tracks.target.places[row, :, :count].numpy() - videos.target.positions[:125, :, :2]
        assert np.abs(away[present]).max() < 1e-3
        reference = videos.references[1]
        places = tracks.references.places[row, 1][:, list(reference.members)].numpy()
        seen = tracks.references.present[row, 1][:, list(reference.members)].numpy()
        assert np.abs(places - reference.motion.positions[..., :2])[seen].max() < 1e-3
        others = sorted(set(range(count)) - set(reference.members))
        assert not tracks.references.present[row, 1][:, others].any()


def test_boxes_are_those_of_the_projection(packed: PackedSets, tracks: TrackTensors) -> None:
    data = open_dataset(made())
    for row, index in enumerate(packed.index.tolist()):
        videos = data.example(index).videos
        expected = project_boxes(videos.bodies, videos.target)[:125]
        found = tracks.target.boxes[row, :, : len(videos.bodies)].numpy()
        both = (expected[..., 2] >= 0) & (found[..., 2] >= 0)
        assert ((expected[..., 2] >= 0) == (found[..., 2] >= 0)).mean() > 0.99
        assert np.abs(expected - found)[both].max() < 4e-3  # outlines there are polygons


def test_a_perception_of_exact_tracks_gives_almost_the_same(packed: PackedSets, tracks: TrackTensors) -> None:
    data = open_dataset(made())
    perceptions = [perception_of(observe_stored(data, index)) for index in packed.index.tolist()]
    found = TrackTensors.from_perceptions(perceptions, CPU)
    assert torch.equal(found.shapes, tracks.shapes)
    both = found.target.present & tracks.target.present
    assert (found.target.present == tracks.target.present).float().mean() > 0.99
    assert (found.target.places - tracks.target.places)[both].abs().quantile(0.95) < 0.01
    both = found.references.present & tracks.references.present
    assert both.sum() > 0.9 * tracks.references.present.sum()
    assert (found.references.places - tracks.references.places)[both].abs().quantile(0.95) < 0.01


def test_noise_is_of_the_size_asked_for(tracks: TrackTensors) -> None:
    torch.manual_seed(0)
    found = with_noise(tracks, 0.8, 0.8, dropped=0.0)
    both = found.target.present & tracks.target.present
    heights = heights_of(tracks.shapes)[:, None].expand(both.shape)
    pixels = (to_picture(found.target.places, heights) - to_picture(tracks.target.places, heights))[both]
    error = (pixels * torch.tensor([240.0, 160.0])).std()
    assert 0.4 < error < 0.8  # smoothing leaves 0.61 of it


def test_the_table_and_the_picture_are_inverse() -> None:
    points, heights = torch.rand(50, 2), torch.full((50,), 0.2)
    assert torch.allclose(to_picture(to_table(points, heights), heights), points, atol=1e-5)


def test_short_gaps_are_filled_and_long_ones_are_not() -> None:
    frames = torch.arange(60.0)
    places = torch.stack([frames, -frames], -1)[:, None]
    seen = torch.ones(60, 1, dtype=torch.bool)
    seen[5:8] = seen[20:40] = False
    present, filled, _ = fill_gaps(seen, places * seen[..., None], torch.zeros(60, 1))
    assert torch.allclose(filled[5:8], places[5:8])
    assert present[:20].all()
    assert not present[20:40].any()


def test_lines_give_velocities_and_what_they_leave() -> None:
    frames = torch.arange(30.0)
    places = torch.stack([0.1 * frames, 0.002 * (frames - 15.0) ** 2], -1)[:, None]
    slope, rest = local_lines(places, torch.ones(30, 1, dtype=torch.bool), 4)
    assert torch.allclose(slope[4:-4, 0, 0], torch.full((22,), 2.5), atol=1e-3)
    assert torch.allclose(slope[4:-4, 0, 1], 0.1 * (frames - 15.0)[4:-4], atol=1e-3)
    assert (rest[4:-4] > 0.005).all()


def test_turned_tracks_keep_their_distances(tracks: TrackTensors) -> None:
    turned = tracks.turned(torch.rand(len(tracks)) * 6.0, torch.tensor([True, False] * 3)[: len(tracks)])
    before, after = (one.target.places[:, :, 0] - one.target.places[:, :, 1] for one in (tracks, turned))
    assert torch.allclose(before.norm(dim=-1), after.norm(dim=-1), atol=1e-4)
    assert not torch.allclose(before, after, atol=0.1)
