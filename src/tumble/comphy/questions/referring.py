"""Which words are enough to tell one body from all others, and no more than enough."""

from collections.abc import Mapping, Sequence
from itertools import combinations

Looks = Mapping[str, str]
"""A body's words by what they are about."""


def minimal(bodies: Sequence[Looks], body: int, about: Sequence[str]) -> list[dict[str, str]]:
    """Every choice of words about these things that fits the body alone and would not if one were left out."""
    known = [name for name in about if name in bodies[body]]
    found: list[dict[str, str]] = []
    for size in range(1, len(known) + 1):
        for names in combinations(known, size):
            words = {name: bodies[body][name] for name in names}
            if not any(shorter.items() <= words.items() for shorter in found) and fitting(bodies, words) == [body]:
                found.append(words)
    return found


def fitting(bodies: Sequence[Looks], words: Looks) -> list[int]:
    """The bodies that all of the words fit."""
    return [k for k, looks in enumerate(bodies) if all(looks.get(name) == word for name, word in words.items())]
