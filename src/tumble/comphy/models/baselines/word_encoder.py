"""Words through an embedding and an LSTM, in one or both directions; padding has no influence on the result."""

from typing import Any

import torch
from torch import Tensor, nn


class WordEncoder(nn.Module):
    """Texts to a state for each word and one for the whole text."""

    def __init__(self, words: int, word_width: int, width: int, dropout: float, both_directions: bool = False) -> None:
        """`width` is that of the results."""
        super().__init__()
        hidden = width // 2 if both_directions else width
        self.embedding = nn.Embedding(words, word_width, padding_idx=0)
        self.forwards = nn.LSTM(word_width, hidden, batch_first=True)
        self.backwards = nn.LSTM(word_width, hidden, batch_first=True) if both_directions else None
        self.dropout = nn.Dropout(dropout)

    def forward(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Words [..., position] and lengths [...] to states [..., position, width] and results [..., width]."""
        shape, last = words.shape[:-1], lengths.flatten()[:, None] - 1
        embedded = self.dropout(self.embedding(words.flatten(0, -2)))
        states = self.forwards(embedded)[0]
        place = torch.arange(words.shape[-1], device=words.device)
        is_last = (place == last)[..., None]
        result = (states * is_last).sum(dim=1)
        if self.backwards is not None:
            opposite = torch.where(place <= last, last - place, place)
            reverse = self.backwards(reordered(embedded, opposite))[0]
            states = torch.cat([states, reordered(reverse, opposite)], dim=-1)
            result = torch.cat([result, (reverse * is_last).sum(dim=1)], dim=-1)
        states, result = self.dropout(states), self.dropout(result)
        return states.view(*shape, *states.shape[1:]), result.view(*shape, -1)


class _Reordered(torch.autograd.Function):
    """Swaps places; its gradient swaps them back, and does without the sort of a deterministic gather's gradient."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, places: Tensor) -> Tensor:
        ctx.save_for_backward(places)
        return values.gather(1, places[..., None].expand_as(values))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (places,) = ctx.saved_tensors
        return gradient.gather(1, places[..., None].expand_as(gradient)), None


def reordered(values: Tensor, places: Tensor) -> Tensor:
    """Values [text, position, channel] at places [text, position], which swap positions: twice gives the values."""
    found: Tensor = _Reordered.apply(values, places)  # type: ignore[no-untyped-call]
    return found


def is_word(words: Tensor) -> Tensor:
    """bool [..., position]: false for padding."""
    return words != 0
