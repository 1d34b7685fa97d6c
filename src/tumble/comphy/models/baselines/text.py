"""Questions and options as words, words as numbers, and the LSTM that encodes them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from tumble.comphy.catalogue.task import CORRECT, WRONG, Kind, Question
from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.questions.program import answers_by_type, canonical_answer

PADDING, UNKNOWN, OPTION = "<padding>", "<unknown>", "<option>"
NEGATED_WORDS = "would", "not"
"""What would happen and what would not are opposite questions."""
SPECIAL_WORDS = (PADDING, UNKNOWN, OPTION)


@lru_cache
def answers_of(world: ObjectWorld) -> tuple[str, ...]:
    """All answers of factual questions in a world; the order of a pair's words does not count."""
    spaces = answers_by_type(world).values()
    return tuple(sorted({canonical_answer(answer) for space in spaces for answer in space}))


def visible_words(world: ObjectWorld) -> set[str]:
    """The words for what is seen of bodies."""
    return {*world.colors, *world.materials, *world.shapes}


@dataclass(frozen=True)
class Text:
    """One input: a question, or a question with one of its options."""

    words: tuple[str, ...]
    kind: Kind
    answer: str | None

    @property
    def is_option(self) -> bool:
        """Whether it is a question with one of its options."""
        return self.kind != "factual"


def texts_of(question: Question) -> Iterator[Text]:
    """The inputs of a question: the question itself, or one for each of its options."""
    words = words_of(question.text)
    if not question.choices:
        yield Text(words, question.kind, question.answer)
    for choice in question.choices:
        yield Text((*words, OPTION, *words_of(choice.text)), question.kind, choice.answer)


def negated_text(text: Text) -> Text | None:
    """An option of the opposite question ("what would not happen"), with the opposite answer, if there is one."""
    words = list(text.words)
    if not text.is_option or NEGATED_WORDS[0] not in words[: words.index(OPTION)]:
        return None
    at = words.index(NEGATED_WORDS[0]) + 1
    if words[at] == NEGATED_WORDS[1]:
        del words[at]
    else:
        words.insert(at, NEGATED_WORDS[1])
    return Text(tuple(words), text.kind, WRONG if text.answer == CORRECT else CORRECT)


def words_of(text: str) -> tuple[str, ...]:
    """Words and punctuation in lower case.

    >>> words_of("What is heavier, A or B?")
    ('what', 'is', 'heavier', ',', 'a', 'or', 'b', '?')
    """
    spaced = text.lower()
    for mark in "?,.":
        spaced = spaced.replace(mark, f" {mark} ")
    return tuple(spaced.split())


@dataclass(frozen=True)
class Vocabulary:
    """Known words; a word's number is its place."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[Text]) -> "Vocabulary":
        """The words of some texts, after the special ones."""
        return cls((*SPECIAL_WORDS, *sorted({word for text in texts for word in text.words} - set(SPECIAL_WORDS))))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def tensors(self, texts: Sequence[Text]) -> tuple[Tensor, Tensor]:
        """Padded word numbers [text, position] and lengths [text]."""
        unknown, lengths = self.numbers[UNKNOWN], torch.tensor([len(text.words) for text in texts])
        numbers = torch.tensor([self.numbers.get(word, unknown) for text in texts for word in text.words])
        padded = numbers.new_zeros(len(texts), int(lengths.max()))
        padded[torch.arange(padded.shape[1]) < lengths[:, None]] = numbers
        return padded, lengths


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
