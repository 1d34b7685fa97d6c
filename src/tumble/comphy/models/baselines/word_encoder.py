"""Words through an embedding and an LSTM, in one or both directions; padding has no influence on the result."""

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
        result = states.gather(1, last[..., None].expand(-1, -1, states.shape[-1])).squeeze(1)
        if self.backwards is not None:
            place = last - torch.arange(words.shape[-1], device=words.device)
            place = torch.where(place < 0, last - place, place)[..., None]
            reverse = self.backwards(embedded.gather(1, place.expand_as(embedded)))[0]
            place = place.expand(-1, -1, reverse.shape[-1])
            backward_result = reverse.gather(1, last[..., None].expand(-1, -1, reverse.shape[-1])).squeeze(1)
            states = torch.cat([states, reverse.gather(1, place)], dim=-1)
            result = torch.cat([result, backward_result], dim=-1)
        states, result = self.dropout(states), self.dropout(result)
        return states.view(*shape, *states.shape[1:]), result.view(*shape, -1)


def is_word(words: Tensor) -> Tensor:
    """bool [..., position]: false for padding."""
    return words != 0
