"""Slots: only what bodies cover counts, and slots follow objects."""

import torch

from tumble.comphy.models.baselines.frozen_features import GRID, GRID_CHANNELS, GRID_LOOKS
from tumble.comphy.models.baselines.slots import SlotDecoder, SlotEncoder, cell_grid, reconstruction_loss


def empty(frames: int) -> torch.Tensor:
    """float [1, frame, row, column, channel]: the cells of an empty table."""
    return torch.zeros(1, frames, *GRID, GRID_CHANNELS)


def put(grid: torch.Tensor, frame: int, row: int, column: int, color: int) -> None:
    """Puts an object of 2 x 2 cells."""
    cells = grid[0, frame, row : row + 2, column : column + 2]
    cells[..., 0] = 1.0
    cells[..., 1:3] = center(row, column)
    cells[..., 3 + color] = 1.5
    cells[..., GRID_LOOKS + color] = 2.0


def center(row: int, column: int) -> torch.Tensor:
    """float [2]: x and y of the centre of an object that is put there."""
    rows, columns = GRID
    return torch.tensor([2.0 * (column + 1) / columns - 1.0, (2.0 * (row + 1) / rows - 1.0) * rows / columns])


def test_a_slot_is_where_the_object_is() -> None:
    torch.manual_seed(0)
    encoder = SlotEncoder(1, 8, 8)
    for row, column in ((8, 4), (2, 16)):
        grid = empty(2)
        for frame in range(2):
            put(grid, frame, row, column, 0)
        slots = encoder(grid.flatten(2, 3))
        assert (slots.places[0, 1, 0, :2] - center(row, column)).abs().max() < 0.01
        assert (slots.features[0, 1, 0, :2] - torch.tensor([2.0, 0.0])).abs().max() < 0.1


def test_slots_follow_their_objects() -> None:
    torch.manual_seed(0)
    grid = empty(6)
    for frame in range(6):  # a red object moves right, a green one left, a blue one enters later
        put(grid, frame, 2, 2 + 2 * frame, 0)
        put(grid, frame, 10, 20 - 2 * frame, 1)
        if frame > 2:
            put(grid, frame, 6, 0, 2)
    slots = SlotEncoder(4, 8, 8)(grid.flatten(2, 3))
    places = slots.places[0]
    assert (places[..., 2] > 1.0).sum(dim=-1).tolist() == [2, 2, 2, 3, 3, 3]
    for color, step in ((0, 4 / GRID[1]), (1, -4 / GRID[1])):
        slot = int(places[0, :, 3 + color].argmax())
        assert (places[1:, slot, 0] - places[:-1, slot, 0] - step).abs().max() < 0.01
        assert (places[:, slot, 3:].argmax(dim=-1) == color).all()
    tracks = slots.tracks
    assert sorted(tracks.seen[0].sum(dim=-1).tolist()) == [0.0, 3.0, 6.0, 6.0]
    entered = tracks.places[0, int((tracks.seen[0].sum(dim=-1) == 3.0).int().argmax())]
    assert (entered[:3] == entered[3]).all()


def test_a_slot_knows_its_object_after_a_meeting() -> None:
    torch.manual_seed(0)
    grid = empty(9)
    for frame in range(9):  # a red and a green object meet, touch, and part again
        apart = 1 + abs(frame - 4)
        put(grid, frame, 8, 14 - apart, 0)
        put(grid, frame, 8, 14 + apart, 1)
    places = SlotEncoder(3, 8, 8)(grid.flatten(2, 3)).places[0]
    for color in range(2):
        slot = int(places[0, :, 3 + color].argmax())
        assert (places[:, slot, 3:].argmax(dim=-1) == color).all()
        assert ((places[:, slot, 0] < 14.5 / 15 - 1) == (color == 0)).all()


def test_slots_of_an_empty_table_hold_nothing() -> None:
    torch.manual_seed(0)
    slots = SlotEncoder(3, 8, 8)(empty(2).flatten(2, 3))
    assert slots.places[..., 2].max() < 0.5
    assert slots.tracks.exists.max() == 0.0


def test_slots_draw_around_their_centre() -> None:
    torch.manual_seed(0)
    decoder = SlotDecoder(8, 16)
    places = torch.tensor([[[[0.5, -0.3, 1.0, 1.0, 0.0, 0.0]]]])
    drawn = decoder(torch.randn(1, 1, 1, 8), places)[0, 0].abs().sum(dim=-1)
    far = (cell_grid(*GRID, drawn.device) - places[0, 0, 0, :2]).norm(dim=-1) > 1.0
    assert drawn[far].max() < 0.05 * drawn.max()


def test_training_reduces_the_error() -> None:
    torch.manual_seed(0)
    encoder, decoder, grid = SlotEncoder(2, 8, 8), SlotDecoder(8, 16), empty(2)
    for frame in range(2):
        put(grid, frame, 4, 8, 0)
    cells = grid.flatten(2, 3)
    optimiser = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
    losses = []
    for _ in range(30):
        loss = reconstruction_loss(decoder, encoder(cells), cells, 1)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.5 * losses[0]
