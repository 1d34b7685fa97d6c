"""Metrics of an agent, from the attempts at which it solved its tasks."""

from collections.abc import Sequence

import numpy as np

from tumble.checks import several, shown, whole_number
from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import MAX_ATTEMPTS


def success_curve(solved_at: Sequence[int | None], attempts: int = MAX_ATTEMPTS) -> np.ndarray:
    """The share of tasks [attempts], 0 to 1, solved within 1, 2, … attempts; `None` in `solved_at` is unsolved."""
    attempts = whole_number("attempts", attempts, at_least=1)
    several("solved_at", solved_at, "[3, None]")
    if not len(solved_at):
        raise TumbleError("no tasks: the success of none is undefined")
    solved = np.zeros(attempts)
    for k, at in enumerate(solved_at):
        if at is None:
            continue
        solving = whole_number(f"solved_at[{k}]", at, at_least=1)
        if solving <= attempts:
            solved[solving - 1] += 1.0
    return np.cumsum(solved) / len(solved_at)


def attempt_weights(attempts: int = MAX_ATTEMPTS) -> np.ndarray:
    """The weights [attempts] of success within k = 1, 2, … attempts: log(k + 1) - log(k), normalised to a sum of 1."""
    k = np.arange(1, whole_number("attempts", attempts, at_least=1) + 1)
    weights = np.log(k + 1) - np.log(k)
    return np.asarray(weights / weights.sum())


def auccess(solved_at: Sequence[int | None]) -> float:
    """AUCCESS, 0 to 1: the weighted mean of the success curve over 100 attempts."""
    return float(attempt_weights() @ success_curve(solved_at))


def success_at(solved_at: Sequence[int | None], attempts: int) -> float:
    """The share of tasks solved within a number of attempts."""
    return float(success_curve(solved_at, attempts)[-1])


def _scores(name: str, values: Sequence[float]) -> np.ndarray:
    """Scores as float [n]; refuses anything but a list of finite numbers."""
    try:
        scores = np.asarray(values, float)
    except (TypeError, ValueError):
        raise TumbleError(f"{name} must be a list of numbers, not {shown(values)}") from None
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise TumbleError(f"{name} must be a list of finite numbers, not {shown(values)}")
    return scores


def wilcoxon_p(better: Sequence[float], worse: Sequence[float]) -> float:
    """The p-value of Wilcoxon's signed-rank test, one-sided and exact, that `better` is not better than `worse`.

    Both are scores on the same folds. Equal pairs are dropped, and equal differences share their mean rank.
    """
    first, second = _scores("better", better), _scores("worse", worse)
    if len(first) != len(second):
        raise TumbleError(f"{len(first)} scores do not pair with {len(second)}: both must be of the same folds")
    differences = (first - second)[first != second]
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
