"""Referring expressions: which words tell one body from all others, and no more words than necessary."""

from collections.abc import Mapping, Sequence
from itertools import combinations

BodyWords = Mapping[str, str]
"""The words that describe a body, by attribute."""


def minimal_expressions(bodies: Sequence[BodyWords], body: int, attributes: Sequence[str]) -> list[dict[str, str]]:
    """All choices of words for these attributes that match the body alone, and would not if one were left out.

    >>> bodies = [{"color": "red", "shape": "cube"}, {"color": "red", "shape": "sphere"}]
    >>> minimal_expressions(bodies, 0, ("color", "shape"))
    [{'shape': 'cube'}]
    """
    known = [name for name in attributes if name in bodies[body]]
    expressions: list[dict[str, str]] = []
    for size in range(1, len(known) + 1):
        for names in combinations(known, size):
            words = {name: bodies[body][name] for name in names}
            is_minimal = not any(shorter.items() <= words.items() for shorter in expressions)
            if is_minimal and matching_bodies(bodies, words) == [body]:
                expressions.append(words)
    return expressions


def matching_bodies(bodies: Sequence[BodyWords], words: BodyWords) -> list[int]:
    """The bodies that all of the words match."""
    return [k for k, known in enumerate(bodies) if all(known.get(name) == word for name, word in words.items())]
