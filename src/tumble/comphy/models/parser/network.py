"""The parser's network: a bidirectional LSTM reads words, and two LSTMs with attention between them write a program.

The first LSTM of the decoder follows the tokens written so far and decides which words to attend to; the second one
follows what was attended to, and predicts the next token. So all tokens of a known program are trained on at once.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tumble.comphy.catalogue.world import PLAIN, ObjectWorld
from tumble.comphy.models.parser.tokens import PADDING, token_count


@dataclass(frozen=True)
class ParserShape:
    """Sizes of the network."""

    word_width: int = 64
    """Of the embeddings of words and tokens."""
    width: int = 128
    """Of the states of each LSTM."""
    dropout: float = 0.1


class Encoded(NamedTuple):
    """What the encoder makes of texts."""

    keys: Tensor
    """float [text, word, width]: compared with the decoder's state."""
    values: Tensor
    """float [text, word, width]: what the decoder gets of the words that it attends to."""
    padding: Tensor
    """bool [text, word]: where there is no word."""

    def repeated(self, rows: Tensor) -> "Encoded":
        """Some of the texts, some of them several times."""
        return Encoded(self.keys[rows], self.values[rows], self.padding[rows])


LstmState = tuple[Tensor, Tensor]
"""float [1, text, width] each."""
DecoderState = tuple[LstmState, LstmState] | None
"""Of both LSTMs; None at the start."""


class ParserNetwork(nn.Module):
    """Words of texts to the logits of program tokens."""

    def __init__(self, shape: ParserShape, vocabulary_size: int, world: ObjectWorld = PLAIN) -> None:
        super().__init__()
        self.world = world
        tokens = token_count(world)
        width = shape.width
        self.words = nn.Embedding(vocabulary_size, shape.word_width, padding_idx=PADDING)
        self.tokens = nn.Embedding(tokens, shape.word_width, padding_idx=PADDING)
        self.encoder = nn.LSTM(shape.word_width, width, batch_first=True, bidirectional=True)
        self.key = nn.Linear(2 * width, width, bias=False)
        self.value = nn.Linear(2 * width, width, bias=False)
        self.attending = nn.LSTM(shape.word_width, width, batch_first=True)
        self.writing = nn.LSTM(2 * width, width, batch_first=True)
        self.output = nn.Linear(width, tokens)
        self.dropout = nn.Dropout(shape.dropout)

    def encode(self, words: Tensor, lengths: Tensor) -> Encoded:
        """Reads texts: words, int64 [text, word], and their numbers of words, int64 [text] on the CPU, at least 1."""
        embedded = self.dropout(self.words(words))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.encoder(packed)[0], batch_first=True, total_length=words.shape[1])
        states = self.dropout(states)
        return Encoded(self.key(states), self.value(states), words == PADDING)

    def decode(self, encoded: Encoded, tokens: Tensor, state: DecoderState = None) -> tuple[Tensor, DecoderState]:
        """float [text, place, token]: the logits of the token after each of `tokens`, int64 [text, place]."""
        first, second = state if state is not None else (None, None)
        queries, first = self.attending(self.dropout(self.tokens(tokens)), first)
        scores = queries @ encoded.keys.transpose(1, 2) / queries.shape[-1] ** 0.5
        weights = scores.masked_fill(encoded.padding[:, None], float("-inf")).softmax(dim=-1)
        attended = torch.cat([queries, weights @ encoded.values], dim=-1)
        written, second = self.writing(attended, second)
        return self.output(self.dropout(written)), (first, second)
