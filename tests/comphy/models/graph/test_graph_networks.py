"""The graph networks: what they give does not depend on the batch, turns with the table, and can be learned."""

import pytest
import torch
from generated_dataset import made

from tumble.comphy.models.data.sources import read_sets
from tumble.comphy.models.data.track_tensors import TrackTensors, with_noise
from tumble.comphy.models.graph.dynamics import (
    DynamicsNetwork,
    Entries,
    Properties,
    States,
    exact_states,
    observed_end,
    observed_start,
    properties_of,
)
from tumble.comphy.models.graph.motion import PREDICTED_THRESHOLDS, collision_onsets, contact_onsets, outline_gaps
from tumble.comphy.models.graph.property_network import UNKNOWN, PropertyNetwork

CPU = torch.device("cpu")
BALL = torch.tensor([0.0, 1.0, 0.0])
CUBE = torch.tensor([1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def tracks() -> TrackTensors:
    return TrackTensors.from_packed(read_sets(made()), CPU)


def neutral(worlds: int, bodies: int) -> Properties:
    return properties_of(torch.ones(worlds, bodies), torch.zeros(worlds, bodies))


def test_properties_of_a_set_do_not_depend_on_the_batch_nor_on_how_the_table_is_turned(tracks: TrackTensors) -> None:
    torch.manual_seed(0)
    network = PropertyNetwork(32, 16).eval()
    together, alone = network(tracks), network(tracks[torch.tensor([1])])
    assert torch.allclose(together.mass[1], alone.mass[0], atol=1e-4)
    assert torch.allclose(together.charge[1], alone.charge[0], atol=1e-4)
    turned = network(tracks.turned(torch.full((len(tracks),), 1.0), torch.zeros(len(tracks), dtype=torch.bool)))
    assert torch.allclose(turned.mass, together.mass, atol=1e-3)


def test_charges_are_symmetric_and_videos_can_be_left_out(tracks: TrackTensors) -> None:
    network = PropertyNetwork(32, 16).eval()
    found = network(tracks)
    assert torch.allclose(found.charge, found.charge.transpose(1, 2))
    target_only = network(tracks, torch.tensor([True, False, False, False, False]))
    assert (target_only.video_mass[:, 1:] == UNKNOWN).all()
    assert torch.allclose(target_only.video_mass[:, 0], found.video_mass[:, 0], atol=1e-4)
    assert torch.equal(target_only.mass, target_only.video_mass[:, 0])


def test_a_fit_finds_the_velocities_of_noisy_tracks(tracks: TrackTensors) -> None:
    torch.manual_seed(0)
    noisy = with_noise(tracks, 0.5, 0.5)
    start, entries = observed_start(noisy.target, tracks.shapes)
    exact = exact_states(tracks.target, torch.ones(len(tracks), dtype=torch.long))
    both = start.present & exact.present
    errors = (start.velocities[:, 0, :, :2] - exact.velocities[:, 0, :, :2])[both].abs()
    assert errors.median() < 0.06
    assert not (start.present & (entries.frames >= 0)).any()
    assert observed_end(noisy.target, tracks.shapes).present.equal(noisy.target.present[:, -1])


def test_untrained_dynamics_go_almost_straight_and_turn_with_the_table() -> None:
    torch.manual_seed(0)
    network = DynamicsNetwork(32)
    places = torch.tensor([[[0.0, 0.0], [0.5, 0.1]]])
    velocity = torch.tensor([[[[0.5, 0.0, 0.0], [-0.2, 0.1, 0.0]]]]).expand(1, 3, 2, 3)
    states = States(places, torch.zeros(1, 2), velocity, torch.ones(1, 2, dtype=torch.bool))
    shapes = torch.stack([BALL, CUBE])[None]
    found = network.rollout(states, shapes, neutral(1, 2), 5)
    straight = places + velocity[:, 0, :, :2] * 5 / 25
    assert (found.places[:, -1] - straight).abs().max() < 0.2
    quarter = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])  # by which row vectors turn to the left
    turned = States(
        places @ quarter,
        states.yaws + torch.pi / 2,
        torch.cat([velocity[..., :2] @ quarter, velocity[..., 2:]], -1),
        states.present,
    )
    again = network.rollout(turned, shapes, neutral(1, 2), 5)
    assert torch.allclose(again.places, found.places @ quarter, atol=1e-4)


def test_bodies_join_when_they_come_into_view_and_blind_dynamics_ignore_properties() -> None:
    torch.manual_seed(0)
    places = torch.tensor([[[0.0, 0.0], [0.45, 0.0]]])
    velocity = torch.zeros(1, 3, 2, 3)
    shapes = torch.stack([BALL, BALL])[None]
    start = States(places, torch.zeros(1, 2), velocity, torch.tensor([[True, False]]))
    entries = Entries(
        torch.tensor([[-1, 3]]), States(places, torch.zeros(1, 2), velocity, torch.tensor([[False, True]]))
    )
    found = DynamicsNetwork(16).rollout(start, shapes, neutral(1, 2), 5, entries)
    assert found.present[0, :, 1].tolist() == [False] * 3 + [True] * 3
    charged = properties_of(torch.tensor([[5, 1]]), torch.tensor([[1, -1]]))
    both = States(places, torch.zeros(1, 2), velocity, torch.ones(1, 2, dtype=torch.bool))
    for blind in (False, True):
        network = DynamicsNetwork(16, property_blind=blind)
        one, other = (network.rollout(both, shapes, kind, 4).places for kind in (neutral(1, 2), charged))
        assert torch.equal(one, other) == blind


def test_collisions_are_found_where_bodies_touch_and_part() -> None:
    frames = torch.arange(40.0)
    ahead = torch.where(frames < 20, 0.05 * frames, 0.05 * 20 - 0.01 * (frames - 20))
    first = torch.stack([ahead - 1.4, torch.zeros(40)], -1)
    places = torch.stack([first, torch.zeros(40, 2)], 1)[None]
    shapes = torch.stack([BALL, BALL])[None]
    present = torch.ones(1, 40, 2, dtype=torch.bool)
    found = collision_onsets(places, torch.zeros(1, 40, 2), present, shapes, PREDICTED_THRESHOLDS)
    times = found[0, :, 0, 1].nonzero().flatten().tolist()
    assert len(times) == 1
    assert abs(times[0] - 20) <= 2
    passing = places + torch.tensor([0.0, 0.5]) * torch.tensor([[[[1.0], [0.0]]]])
    assert not collision_onsets(passing, torch.zeros(1, 40, 2), present, shapes, PREDICTED_THRESHOLDS).any()


def test_contacts_that_hold_on_are_one_collision() -> None:
    touching = torch.tensor([[False, True, False, False, True] + [False] * 12 + [True]])
    assert contact_onsets(touching, torch.zeros_like(touching))[0].nonzero().flatten().tolist() == [1, 17]
    holding = torch.ones_like(touching)
    assert contact_onsets(touching, holding)[0].nonzero().flatten().tolist() == [1]


def test_gaps_between_outlines_depend_on_shape_and_heading() -> None:
    def gap(shapes: tuple[torch.Tensor, torch.Tensor], offset: tuple[float, float], yaw: float = 0.0) -> float:
        offsets = torch.zeros(1, 1, 2, 2, 2)
        offsets[0, 0, 0, 1], offsets[0, 0, 1, 0] = torch.tensor(offset), -torch.tensor(offset)
        found = outline_gaps(offsets, torch.tensor([[[yaw, 0.0]]]), torch.stack(shapes)[None])
        assert found[0, 0, 0, 1] == pytest.approx(float(found[0, 0, 1, 0]), abs=1e-5)
        return float(found[0, 0, 0, 1])

    assert gap((BALL, BALL), (0.5, 0.0)) == pytest.approx(0.1, abs=1e-5)
    assert gap((CUBE, BALL), (0.5, 0.0)) == pytest.approx(0.1, abs=1e-5)
    assert gap((CUBE, BALL), (0.5, 0.0), torch.pi / 4) == pytest.approx(0.5 - 0.2 * 2**0.5 - 0.2, abs=1e-4)
    assert gap((CUBE, CUBE), (0.5, 0.1)) == pytest.approx(0.1, abs=1e-5)
    assert gap((CUBE, CUBE), (0.3, 0.0)) < 0.0
