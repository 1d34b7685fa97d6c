"""What the networks put out: logits of answers, of "correct", and of a masked word."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True, eq=False)
class Scores:
    """Logits of texts."""

    answers: Tensor
    """[set, text, answer], for factual questions."""
    correct: Tensor
    """[set, text], for options."""
    words: Tensor
    """[set, text, word], for texts with a masked word."""


class GivenText(nn.Module):
    """Joins a state with that of the text and with their product: a text can turn an answer into its opposite."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.factors = nn.Linear(width, width)

    def forward(self, states: Tensor, text: Tensor) -> Tensor:
        """[..., width] each to [..., 3 * width]."""
        return torch.cat([states, text, states * torch.tanh(self.factors(text))], dim=-1)


class Heads(nn.Module):
    """Two linear layers for answers, for options and for masked words."""

    def __init__(self, inputs: int, width: int, answers: int, words: int, dropout: float) -> None:
        super().__init__()

        def head(outputs: int) -> nn.Sequential:
            hidden = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Dropout(dropout))
            return nn.Sequential(*hidden, nn.Linear(width, outputs))

        self.answers, self.correct, self.words = head(answers), head(1), head(words)

    def forward(self, states: Tensor) -> Scores:
        """States [set, text, width]."""
        return Scores(self.answers(states), self.correct(states).squeeze(-1), self.words(states))
