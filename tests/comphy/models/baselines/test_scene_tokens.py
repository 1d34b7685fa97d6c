"""Tokens of objects and pairs: what they depend on."""

import torch

from tumble.comphy.models.baselines.frames import FrameCounts, Videos
from tumble.comphy.models.baselines.frozen_features import Tracks
from tumble.comphy.models.baselines.scene_tokens import OWN_CHANNELS, PAIR_CHANNELS, SceneTokens, motion_of, same_looks


def meeting() -> Tracks:
    """Two objects that meet in frame 4 of 8, and a track without an object."""
    x = torch.tensor([-0.4, -0.3, -0.2, -0.1, 0.0, 0.0, 0.0, 0.0])
    places = torch.zeros(1, 3, 8, 2)
    places[0, 0, :, 0] = x
    places[0, 1, :, 0] = 0.15 + 0.1 * (torch.arange(8) - 4).clamp(min=0)
    seen = torch.ones(1, 3, 8)
    seen[0, 2] = 0.0
    return Tracks(torch.randn(1, 3, 6), seen, places)


def test_pairs_show_how_near_two_objects_are() -> None:
    own, pair = motion_of(meeting(), 4.0)
    assert own.shape == (1, 3, 8, OWN_CHANNELS)
    assert pair.shape == (1, 3, 3, 8, PAIR_CHANNELS)
    distance, near, toward = pair[0, 0, 1, :, 1], pair[0, 0, 1, :, 3], pair[0, 0, 1, :, 5]
    assert int(distance.argmin()) == int(near.argmax()) == 4
    assert toward[1] > 0.5
    assert abs(float(toward[6])) < 1e-5
    assert pair[0, 0, 2].abs().max() == pair[0, 2, 1].abs().max() == 0.0
    torch.testing.assert_close(pair[0, 0, 1, :, 5], pair[0, 1, 0, :, 6])


def test_tokens_do_not_depend_on_the_order_of_tracks() -> None:
    torch.manual_seed(0)
    tokens = SceneTokens(6, 5, 4, FrameCounts(8, 0), 3, 8, 1, 2, 0.0).eval()
    packed, order = meeting().packed, torch.tensor([1, 0, 2])
    embedding = torch.randn(5, 4)
    with torch.no_grad():
        one, bias = tokens(Videos(packed, None), embedding)
        other, _ = tokens(Videos(packed[:, order], None), embedding)
    torch.testing.assert_close(one[:, :3], other[:, order], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(one[:, 3], other[:, 3], atol=1e-5, rtol=1e-4)  # the pair of the first two
    assert (bias[0] > -1.0).tolist() == [True, True, False, True, False, False]


def test_objects_of_references_are_found_by_looks() -> None:
    target = meeting()
    shown = Tracks(target.looks[:, None, [1, 0, 2]] + 0.05, target.seen[:, None], target.places[:, None])
    same = same_looks(shown, target)[0, 0]
    assert same[:2].argmax(dim=-1).tolist() == [1, 0]
    assert same[2].max() == 0.0


def test_words_are_learned_from_looks() -> None:
    torch.manual_seed(0)
    tokens = SceneTokens(6, 3, 4, FrameCounts(8, 0), 3, 8, 1, 2, 0.0)
    looks = torch.zeros(4, 3, 6)
    kinds = torch.tensor([[0, 1], [1, 2], [2, 0], [1, 1]])
    looks[:, :2] = torch.eye(6)[kinds]
    tracks = Tracks(looks, meeting().seen.expand(4, -1, -1), meeting().places.expand(4, -1, -1, -1))
    used = torch.zeros(4, 3).scatter(1, kinds, 1.0)
    optimiser = torch.optim.Adam(tokens.parameters(), lr=0.1)
    for _ in range(60):
        loss = tokens.word_loss(Videos(tracks.packed, None), used)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert (tokens.described(torch.eye(6)[:3]) > 0.0).equal(torch.eye(3) > 0.0)
