"""Balances the answers within a block of sets, so that the words of a question alone don't give its answer away."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import TypeVar

from tumble.draws import Draws

T = TypeVar("T")
SLACK = 2
"""An answer may be given this many times more often than the rarest common one."""
MAX_ODDS = 3
"""An answer to questions of one pattern may be given this many times as often as all others together."""
COMMON_SHARE = 0.08
"""Share of the draws from which on an answer counts as common, that is, can be given as often as others."""
BALANCE_STRENGTH = 0.35
"""How strongly the choice of options prefers those that even out correct and wrong ones."""
MAX_EXCESS = 12
"""Excess of correct or wrong options beyond which the preference grows no stronger."""


@dataclass
class AnswerBalance:
    """Counts of what has been asked in a block. Keys and features are what should not correlate with the answer."""

    given_answers: dict[Hashable, Counter[str]] = field(default_factory=dict)
    """Answers given, by key."""
    drawn_answers: dict[Hashable, Counter[str]] = field(default_factory=dict)
    """Answers drawn, accepted or not, by key."""
    question_counts: Counter[Hashable] = field(default_factory=Counter)
    """Questions, by what they are counted by: kind, type of answer, template, …"""
    correct_excess: dict[Hashable, int] = field(default_factory=dict)
    """Number of correct options minus that of wrong ones, by feature."""
    option_counts: Counter[Hashable] = field(default_factory=Counter)
    """Options, by feature."""

    def accepts(self, keys: Sequence[Hashable], answer: str) -> bool:
        """Whether an answer is not yet too frequent for any of the keys; counts it as drawn."""
        verdicts = [self._accepts(key, answer) for key in keys]
        return all(verdicts)

    def varies(self, pattern: Hashable, answer: str) -> bool:
        """Whether questions of a pattern have other answers too; counts the answer as drawn.

        Another answer must have been drawn, and this one not be given much more often than MAX_ODDS to one.
        """
        drawn = self.drawn_answers.setdefault(pattern, Counter())
        drawn[answer] += 1
        given = self.given_answers.setdefault(pattern, Counter())
        return len(drawn) > 1 and given[answer] < MAX_ODDS * (given.total() - given[answer]) + SLACK

    def add_answer(self, keys: Sequence[Hashable], answer: str) -> None:
        """Counts an answer as given."""
        for key in keys:
            self.given_answers.setdefault(key, Counter())[answer] += 1

    def _accepts(self, key: Hashable, answer: str) -> bool:
        drawn = self.drawn_answers.setdefault(key, Counter())
        drawn[answer] += 1
        given = self.given_answers.setdefault(key, Counter())
        common = [other for other, count in drawn.items() if count >= COMMON_SHARE * drawn.total()]
        return given[answer] < min((given[other] for other in common), default=0) + SLACK

    def option_weight(self, features: Sequence[Hashable], verdict: int, lean: float = 0.0) -> float:
        """Weight of drawing an option with these features that is correct (+1) or wrong (-1).

        `lean` is the excess of correct options, per option, that is aimed at.
        """
        excess = sum(
            _clipped(self.correct_excess.get(feature, 0) - lean * self.option_counts[feature]) for feature in features
        )
        return exp(-BALANCE_STRENGTH * verdict * excess)

    def add_option(self, features: Sequence[Hashable], verdict: int) -> None:
        """Counts an option that is correct (+1) or wrong (-1)."""
        self.option_counts.update(features)
        for feature in features:
            self.correct_excess[feature] = self.correct_excess.get(feature, 0) + verdict


def weighted_choice(draws: Draws, items: Sequence[T], weights: Sequence[float]) -> T:
    """One of the items, drawn in proportion to the weights."""
    remaining = draws.between(0.0, sum(weights))
    for item, weight in zip(items, weights, strict=True):
        remaining -= weight
        if remaining < 0.0:
            return item
    return items[-1]


def _clipped(excess: float) -> float:
    return max(-MAX_EXCESS, min(MAX_EXCESS, excess))
