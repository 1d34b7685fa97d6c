"""Words of questions and options, and tokens of programs, as numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tumble.comphy.catalogue.task import Program
from tumble.comphy.catalogue.world import ALL_MATERIALS, ALL_SHAPES, PLAIN, ObjectWorld
from tumble.comphy.questions.phrases import normalise_text
from tumble.comphy.questions.program import LITERALS, OPERATORS
from tumble.learning.errors import TrainingError

PADDING, UNKNOWN = 0, 1
"""Numbers of a padded place and of a word that is not in the vocabulary; other words follow."""
END = 1
"""The number of the token that starts and ends a program; PADDING is 0 here too, other tokens follow."""


@lru_cache
def program_tokens(world: ObjectWorld = PLAIN) -> tuple[str, ...]:
    """The operators of programs, and the literals of a world."""
    other = {*ALL_MATERIALS, *ALL_SHAPES} - {*world.materials, *world.shapes}
    return (*OPERATORS, *(token for token in LITERALS if token not in other))


def token_count(world: ObjectWorld = PLAIN) -> int:
    """How many numbers of tokens there are."""
    return len(program_tokens(world)) + 2


@lru_cache
def _token_numbers(world: ObjectWorld) -> dict[str, int]:
    return {token: k + 2 for k, token in enumerate(program_tokens(world))}


def words_of(text: str) -> list[str]:
    """The words of a text in lower case and in the singular, without articles and punctuation.

    >>> words_of("How many of the grey Cubes are heavy?")
    ['how', 'many', 'of', 'gray', 'cube', 'is', 'heavy']
    """
    return normalise_text(text).split()


@dataclass(frozen=True)
class Vocabulary:
    """The words that a parser knows."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Vocabulary":
        """All words of some texts."""
        return cls(tuple(sorted({word for text in texts for word in words_of(text)})))

    def __len__(self) -> int:
        return len(self.words) + 2

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: k + 2 for k, word in enumerate(self.words)}

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's words."""
        return [self._numbers.get(word, UNKNOWN) for word in words_of(text)]

    def unknown(self, text: str) -> list[str]:
        """The words of a text that are not in the vocabulary."""
        return [word for word in words_of(text) if word not in self._numbers]


def program_numbers(program: Program, world: ObjectWorld = PLAIN) -> list[int]:
    """The numbers of a program's tokens, between two END."""
    numbers = _token_numbers(world)
    unknown = [token for token in program if token not in numbers]
    if unknown:
        raise TrainingError(f"program {' '.join(program)}: there is no operator or literal {unknown[0]!r}")
    return [END, *(numbers[token] for token in program), END]


def program_of(numbers: Iterable[int], world: ObjectWorld = PLAIN) -> Program:
    """The program of numbers, which ends before the first END."""
    tokens: list[str] = []
    for number in numbers:
        if number <= END:
            break
        tokens.append(program_tokens(world)[number - 2])
    return tuple(tokens)


def padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """int16 [row, place]: rows of numbers, filled up with PADDING."""
    array = np.full((len(rows), max(map(len, rows))), PADDING, np.int16)
    for k, row in enumerate(rows):
        array[k, : len(row)] = row
    return array
