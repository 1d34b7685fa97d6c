"""Tracks: peaks of the same body are linked, and places are put onto the table."""

import numpy as np
import torch
from torch.nn import functional

from tumble.comphy.catalogue.world import HALF_HEIGHTS
from tumble.comphy.models.baselines.frozen_features import Tracks, link_peaks, places_on_table
from tumble.comphy.observation.camera import CAMERA


def crossing() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scores, places and looks of two bodies that cross, in random order; one is hidden in the middle frame."""
    torch.manual_seed(0)
    looks = functional.layer_norm(torch.randn(2, 16), (16,))
    scores, places, seen_looks = torch.zeros(1, 9, 3), torch.zeros(1, 9, 3, 2), torch.zeros(1, 9, 3, 16)
    for frame in range(9):
        order = torch.randperm(3)
        for body in range(2):
            peak = order[body]
            scores[0, frame, peak] = 0.1 if body == 1 and frame == 4 else 0.9
            places[0, frame, peak] = torch.tensor([(0.4 - 0.1 * frame) * (1 - 2 * body), 0.02 * body])
            seen_looks[0, frame, peak] = looks[body] + 0.1 * torch.randn(16)
    return scores, places, seen_looks


def test_tracks_keep_their_bodies() -> None:
    scores, places, looks = crossing()
    tracks = link_peaks(scores, places, looks, 3)
    assert sorted(tracks.seen[0].sum(dim=-1).tolist()) == [0.0, 8.0, 9.0]
    whole = int(tracks.seen[0].sum(dim=-1).argmax())
    torch.testing.assert_close(tracks.places[0, whole, :, 0], 0.4 - 0.1 * torch.arange(9))
    hidden = int((tracks.seen[0].sum(dim=-1) == 8.0).int().argmax())
    assert torch.equal(tracks.places[0, hidden, 4], tracks.places[0, hidden, 3])
    assert tracks.exists[0].sum() == 2.0


def test_packed_tracks_are_the_same() -> None:
    tracks = link_peaks(*crossing(), 3)
    again = Tracks.unpacked(tracks.packed, 9)
    assert all(torch.equal(getattr(tracks, name), getattr(again, name)) for name in ("looks", "seen", "places"))
    mirrored = tracks.changed(mirrored=True, looks_noise=0.0, place_noise=0.0)
    assert torch.equal(mirrored.places[..., 0], -tracks.places[..., 0])
    assert torch.equal(mirrored.places[..., 1], tracks.places[..., 1])


def test_places_on_the_table() -> None:
    positions = np.random.default_rng(0).uniform(-1.0, 1.0, (20, 3))
    positions[:, 2] = HALF_HEIGHTS["cube"]
    seen = CAMERA.project(positions)
    picture = np.stack([2.0 * seen[:, 0] - 1.0, (2.0 * seen[:, 1] - 1.0) / CAMERA.aspect], axis=-1)
    away = CAMERA.axes[2] * [1.0, 1.0, 0.0]
    expected = np.stack([positions @ CAMERA.axes[0], positions @ (away / np.linalg.norm(away))], axis=-1)
    np.testing.assert_allclose(places_on_table(torch.from_numpy(picture)).numpy(), expected, atol=1e-9)
