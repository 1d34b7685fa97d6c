"""Keeps the answers of a block of sets even, so that words alone don't give them away."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import TypeVar

from tumble.draws import Draws

T = TypeVar("T")
SLACK = 2
"""How much more often than the rarest an answer may be given."""
COMMON = 0.08
"""Share of the draws that makes an answer one of those that can be given equally often."""
PULL = 0.35
"""How strongly choices are drawn to what evens the verdicts out …"""
FARTHEST = 12
"""… and from which excess on no stronger."""


@dataclass
class Balance:
    """What has been asked in a block so far."""

    given: dict[Hashable, Counter[str]] = field(default_factory=dict)
    """Answers given, by what should not tell them."""
    drawn: dict[Hashable, Counter[str]] = field(default_factory=dict)
    """Answers drawn, whether they were given or refused."""
    asked: Counter[Hashable] = field(default_factory=Counter)
    """Questions, by whatever they are counted by."""
    excess: dict[Hashable, int] = field(default_factory=dict)
    """Correct options less wrong ones, by what should not tell them."""

    def accepts(self, keys: Sequence[Hashable], answer: str) -> bool:
        """Whether an answer is not yet too frequent for any of the keys; counts it as drawn."""
        verdicts = [self._accepts(key, answer) for key in keys]
        return all(verdicts)

    def give(self, keys: Sequence[Hashable], answer: str) -> None:
        """Counts an answer as given."""
        for key in keys:
            self.given.setdefault(key, Counter())[answer] += 1

    def _accepts(self, key: Hashable, answer: str) -> bool:
        drawn = self.drawn.setdefault(key, Counter())
        drawn[answer] += 1
        given = self.given.setdefault(key, Counter())
        common = [own for own, count in drawn.items() if count >= COMMON * drawn.total()]
        return given[answer] < min((given[own] for own in common), default=0) + SLACK

    def weigh(self, features: Sequence[Hashable], verdict: int) -> float:
        """How welcome an option with these features is that is correct (+1) or wrong (-1)."""
        return exp(-PULL * verdict * sum(_clipped(self.excess.get(feature, 0)) for feature in features))

    def count(self, features: Sequence[Hashable], verdict: int) -> None:
        """Counts an option that is correct (+1) or wrong (-1)."""
        for feature in features:
            self.excess[feature] = self.excess.get(feature, 0) + verdict


def weighted(draws: Draws, items: Sequence[T], weights: Sequence[float]) -> T:
    """One of the items, as likely as its weight."""
    place = draws.between(0.0, sum(weights))
    for item, weight in zip(items, weights, strict=True):
        place -= weight
        if place < 0.0:
            return item
    return items[-1]


def _clipped(excess: int) -> int:
    return max(-FARTHEST, min(FARTHEST, excess))
