"""Slots: only what differs from the table counts, and centres are where objects are."""

import torch

from tumble.comphy.models.baselines.slots import SlotDecoder, SlotEncoder, Slots, cell_grid, reconstruction_loss


def square(x: int, y: int) -> torch.Tensor:
    """float [video, frame, 3, height, width]: one bright square of 8 x 8 pixels on the table."""
    frames = torch.zeros(1, 2, 3, 32, 48)
    frames[..., y : y + 8, x : x + 8] = 1.0
    return frames


def test_a_slot_is_where_the_object_is() -> None:
    torch.manual_seed(0)
    encoder = SlotEncoder(1, 8, 8)
    for x, y in ((8, 16), (32, 4)):
        center = encoder(square(x, y)).places[0, 1, 0, :2]
        expected = torch.tensor([(x + 4) / 24 - 1, ((y + 4) / 16 - 1) * 32 / 48])
        assert (center - expected).abs().max() < 0.05


def test_slots_follow_their_objects() -> None:
    torch.manual_seed(0)
    frames = torch.zeros(1, 6, 3, 32, 48)
    for frame in range(6):  # a red square moves right, a green one left, a blue one enters later
        frames[0, frame, 0, 4:12, 4 * frame : 4 * frame + 8] = 1.5
        frames[0, frame, 1, 20:28, 40 - 4 * frame : 48 - 4 * frame] = 1.5
        if frame > 2:
            frames[0, frame, 2, 12:20, 0:8] = 1.5
    places = SlotEncoder(4, 8, 8)(frames).places[0]
    holding = places[..., 2] > 1.0
    assert holding.sum(dim=-1).tolist() == [2, 2, 2, 3, 3, 3]
    for channel, step in ((0, 8 / 48), (1, -8 / 48)):
        slot = int(places[0, :, 3 + channel].argmax())
        assert (places[1:, slot, 0] - places[:-1, slot, 0] - step).abs().max() < 0.04
        assert (places[:, slot, 3:].argmax(dim=-1) == channel).all()


def test_slots_of_an_empty_table_hold_nothing() -> None:
    torch.manual_seed(0)
    places = SlotEncoder(3, 8, 8)(torch.zeros(1, 2, 3, 32, 48)).places
    assert places[..., 2].max() < 0.5


def test_slots_draw_around_their_centre() -> None:
    torch.manual_seed(0)
    decoder = SlotDecoder(8, 16)
    places = torch.tensor([[[[0.5, -0.3, 1.0, 1.0, 0.0, 0.0]]]])
    drawn = decoder(Slots(torch.randn(1, 1, 1, 8), places), 16, 24)[0, 0].abs().sum(dim=-1)
    far = (cell_grid(16, 24, drawn.device) - places[0, 0, 0, :2]).norm(dim=-1) > 1.0
    assert drawn[far].max() < 0.05 * drawn.max()


def test_training_reduces_the_error() -> None:
    torch.manual_seed(0)
    encoder, decoder, frames = SlotEncoder(2, 8, 8), SlotDecoder(8, 16), square(8, 16)
    optimiser = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
    losses = []
    for _ in range(30):
        loss = reconstruction_loss(decoder, encoder(frames), frames, 1)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.5 * losses[0]
