"""Metrics of an agent, from the attempts at which it solved its tasks."""

from collections.abc import Sequence

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.tasks.task import MAX_ATTEMPTS


def success_curve(solved_at: Sequence[int | None], attempts: int = MAX_ATTEMPTS) -> np.ndarray:
    """The share of tasks [attempts], 0 to 1, solved within 1, 2, … attempts; `None` in `solved_at` is unsolved."""
    if not len(solved_at):
        raise TumbleError("no tasks: the success of none is undefined")
    wrong = next((at for at in solved_at if at is not None and at < 1), None)
    if wrong is not None:
        raise TumbleError(f"attempts count from 1; got {wrong}")
    solved = np.zeros(attempts)
    for at in solved_at:
        if at is not None and at <= attempts:
            solved[at - 1] += 1.0
    return np.cumsum(solved) / len(solved_at)


def attempt_weights(attempts: int = MAX_ATTEMPTS) -> np.ndarray:
    """The weights [attempts] of success within k = 1, 2, … attempts: log(k + 1) - log(k), normalised to a sum of 1."""
    k = np.arange(1, attempts + 1)
    weights = np.log(k + 1) - np.log(k)
    return np.asarray(weights / weights.sum())


def auccess(solved_at: Sequence[int | None]) -> float:
    """AUCCESS, 0 to 1: the weighted mean of the success curve over 100 attempts."""
    return float(attempt_weights() @ success_curve(solved_at))


def success_at(solved_at: Sequence[int | None], attempts: int) -> float:
    """The share of tasks solved within a number of attempts."""
    return float(success_curve(solved_at, attempts)[-1])


def wilcoxon_p(better: Sequence[float], worse: Sequence[float]) -> float:
    """The p-value of Wilcoxon's signed-rank test, one-sided and exact, that `better` is not better than `worse`.

    Both are scores on the same folds. Equal pairs are dropped, and equal differences share their mean rank.
    """
    differences = np.asarray(better, float) - np.asarray(worse, float)
    differences = differences[differences != 0.0]
    count = len(differences)
    if count == 0:
        return 1.0
    sizes = np.abs(differences)
    ranks = np.array([(sizes < size).sum() + ((sizes == size).sum() + 1) / 2 for size in sizes])
    doubled = np.rint(2 * ranks).astype(int)  # integers, even for shared ranks
    patterns = np.zeros(doubled.sum() + 1)  # the number of sign patterns with each rank sum
    patterns[0] = 1.0
    for rank in doubled:
        patterns[rank:] += patterns[:-rank].copy()
    rank_sum = doubled[differences > 0].sum()
    return float(patterns[rank_sum:].sum() / 2.0**count)
