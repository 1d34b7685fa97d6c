"""Questions and options as words, and words as numbers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import torch
from torch import Tensor

from tumble.comphy.catalogue.task import CORRECT, WRONG, Kind, Question
from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.questions.program import answers_by_type, canonical_answer

PADDING, UNKNOWN, OPTION = "<padding>", "<unknown>", "<option>"
NEGATED = "would", "not"
"""What would happen and what would not are opposite questions."""
SPECIAL = (PADDING, UNKNOWN, OPTION)


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


def negated(text: Text) -> Text | None:
    """An option of the opposite question ("what would not happen"), with the opposite answer, if there is one."""
    words = list(text.words)
    if not text.is_option or NEGATED[0] not in words[: words.index(OPTION)]:
        return None
    at = words.index(NEGATED[0]) + 1
    if words[at] == NEGATED[1]:
        del words[at]
    else:
        words.insert(at, NEGATED[1])
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
        return cls((*SPECIAL, *sorted({word for text in texts for word in text.words} - set(SPECIAL))))

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
