"""Texts to vectors: the order of words, and padding."""

import torch

from tumble.comphy.models.baselines.text import WordEncoder, reordered


def test_places_are_swapped_and_gradients_are_swapped_back() -> None:
    values = torch.randn(2, 4, 3, requires_grad=True)
    places = torch.tensor([[2, 1, 0, 3], [3, 2, 1, 0]])
    found = reordered(values, places)
    assert torch.equal(found[0, 0], values[0, 2])
    assert torch.equal(reordered(found, places), values)
    weights = torch.randn(2, 4, 3)
    (found * weights).sum().backward()
    assert values.grad is not None
    assert torch.equal(values.grad[1, 3], weights[1, 0])
    assert torch.equal(values.grad, reordered(weights, places))


def test_padding_has_no_influence() -> None:
    torch.manual_seed(0)
    encoder = WordEncoder(9, 4, 6, 0.0, both_directions=True).eval()
    words = torch.tensor([[3, 5, 2, 0, 0]])
    states, result = encoder(words, torch.tensor([3]))
    short_states, short_result = encoder(words[:, :3], torch.tensor([3]))
    torch.testing.assert_close(result, short_result)
    torch.testing.assert_close(states[:, :3], short_states)


def test_both_directions_see_the_whole_text() -> None:
    torch.manual_seed(0)
    encoder = WordEncoder(9, 4, 6, 0.0, both_directions=True).eval()
    states, _ = encoder(torch.tensor([[3, 5, 2], [3, 5, 7]]), torch.tensor([3, 3]))
    assert torch.equal(states[0, 0, :3], states[1, 0, :3])  # forwards: the words so far
    assert not torch.equal(states[0, 0, 3:], states[1, 0, 3:])  # backwards: the words from here on
