"""Is a task solvable, and is it trivial? Decided from random attempts, as in the paper's appendix B.

The solvability of a task is the chance s that a random valid action solves it stably. Attempts are drawn until one of
two hypotheses is rejected: s <= p0 (then the task is solvable) or s >= 2 p0 (then it is not).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, STABLY_SOLVED, UNSTABLY_SOLVED

P0 = {"B": 1e-5, "2B": 1e-6}
SIGNIFICANCE = 0.05
MIN_VALID = 10_000
"""Valid attempts before anything is decided."""
TRIVIAL_SHARE = 0.1
"""A task is trivial if this share of all actions within the scene, invalid ones included, solves it stably."""

SOLVABLE, UNSOLVABLE, UNDECIDED = "solvable", "unsolvable", "undecided"


@dataclass(frozen=True)
class Counts:
    """Numbers of random attempts at a task by status."""

    not_solved: int = 0
    invalid: int = 0
    unstable: int = 0
    stable: int = 0

    @property
    def valid(self) -> int:
        return self.not_solved + self.unstable + self.stable

    @property
    def all(self) -> int:
        return self.valid + self.invalid

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.not_solved + other.not_solved,
            self.invalid + other.invalid,
            self.unstable + other.unstable,
            self.stable + other.stable,
        )


def count_statuses(status: np.ndarray) -> Counts:
    """The counts of statuses [n] from `Simulator.pairs(…, stable=True)`.

    >>> count_statuses(np.array([-1, 3, 0, -1]))
    Counts(not_solved=2, invalid=1, unstable=0, stable=1)
    """
    codes = (NOT_SOLVED, INVALID, UNSTABLY_SOLVED, STABLY_SOLVED)
    return Counts(*(int((status == code).sum()) for code in codes))


def stably_solves(simulator: Simulator, task_ids: Sequence[str], actions: np.ndarray) -> np.ndarray:
    """bool [pair]: whether each action solves the task of the same index, even if shifted by half a pixel."""
    return np.asarray(simulator.pairs(task_ids, actions, stable=True) == STABLY_SOLVED)


def verdict(counts: Counts, p0: float) -> str:
    """Solvable, unsolvable or undecided; a task for which both hypotheses are rejected is solvable.

    >>> verdict(Counts(not_solved=9_900, stable=100), P0["B"])
    'solvable'
    """
    if counts.valid < MIN_VALID:
        return UNDECIDED
    if chance_of_at_least(counts.stable, counts.valid, p0) < SIGNIFICANCE:
        return SOLVABLE
    if chance_of_at_most(counts.stable, counts.valid, 2.0 * p0) < SIGNIFICANCE:
        return UNSOLVABLE
    return UNDECIDED


def is_trivial(counts: Counts) -> bool:
    """Whether random actions solve the task within a few attempts."""
    return counts.all > 0 and counts.stable >= TRIVIAL_SHARE * counts.all


def chance_of_at_least(successes: int, attempts: int, chance: float) -> float:
    """P(X >= successes) for X ~ Binomial(attempts, chance): the upper tail of the binomial test."""
    if successes <= attempts * chance:
        return 1.0 - chance_of_at_most(successes - 1, attempts, chance)
    return _tail(successes, attempts, chance, 1)


def chance_of_at_most(successes: int, attempts: int, chance: float) -> float:
    """P(X <= successes) for X ~ Binomial(attempts, chance): the lower tail of the binomial test."""
    if successes < 0:
        return 0.0
    if successes > attempts * chance:
        return 1.0 - _tail(successes + 1, attempts, chance, 1)
    return _tail(successes, attempts, chance, -1)


def _tail(start: int, attempts: int, chance: float, direction: int) -> float:
    """The sum of the probabilities from `start` on, away from the mean, where each is smaller than the one before."""
    if not 0 <= start <= attempts:
        return 0.0
    log_term = (
        math.lgamma(attempts + 1)
        - math.lgamma(start + 1)
        - math.lgamma(attempts - start + 1)
        + start * math.log(chance)
        + (attempts - start) * math.log1p(-chance)
    )
    term = total = math.exp(log_term)
    odds = chance / (1.0 - chance)
    k = start
    while term > 1e-17 * total and 0 <= k + direction <= attempts:
        term *= (attempts - k) / (k + 1) * odds if direction > 0 else k / (attempts - k + 1) / odds
        total += term
        k += direction
    return min(1.0, total)
