"""Values with their uncertainty: standard deviation over folds, bootstrap intervals, standard errors by cluster.

The bootstrap draws as many tasks (or clusters of questions) as there are, with replacement, many times; the interval
holds the middle 95 % of the values that result. It is deterministic: the draws depend only on the number of tasks.
Standard errors count the tasks of a cluster, as of a template, as one draw.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np

LEVEL = 0.95
SAMPLES = 4000
SEED = 13

Interval = tuple[float, float]


@dataclass(frozen=True)
class Estimate:
    """A value with a standard deviation or an interval; neither where it can't be estimated."""

    value: float
    deviation: float | None = None
    interval: Interval | None = None

    @property
    def band(self) -> Interval:
        """The ends of the interval, or the value minus and plus the deviation; NaN where there is neither."""
        if self.deviation is not None:
            return self.value - self.deviation, self.value + self.deviation
        return self.interval or (float("nan"), float("nan"))


def over_folds(values: Sequence[float]) -> Estimate:
    """The mean of several folds with the sample standard deviation; of one fold only its value."""
    return Estimate(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None)


def over_tasks(values: Sequence[float] | np.ndarray) -> Estimate:
    """The mean of values [tasks] with its bootstrap interval; without an interval for a single task."""
    array = np.asarray(values, float)
    return Estimate(float(array.mean()), interval=interval_of(resampled_means(array)) if len(array) > 1 else None)


def over_clusters(parts: np.ndarray, wholes: np.ndarray) -> Estimate:
    """The ratio of the sums of `parts` and `wholes`, float [clusters], with its bootstrap interval over clusters.

    NaN if the sum of `wholes` is 0. Draws in which it is 0 are left out.
    """
    parts, wholes = np.asarray(parts, float), np.asarray(wholes, float)
    if not wholes.sum():
        return Estimate(float("nan"))
    value = float(parts.sum() / wholes.sum())
    if len(wholes) < 2:
        return Estimate(value)
    draws = resampled_means(np.stack([parts, wholes], axis=1))
    draws = draws[draws[:, 1] > 0.0]
    return Estimate(value, interval=interval_of(draws[:, 0] / draws[:, 1]))


def resampled_means(values: np.ndarray, stream: int = 0) -> np.ndarray:
    """float [SAMPLES, …]: the means of values [tasks, …] over tasks drawn with replacement.

    Independent groups of tasks (templates) need different streams.
    """
    values = np.asarray(values, float)
    flat = values.reshape(len(values), -1)
    means = _draws(len(values), stream) @ flat / len(values)
    return np.asarray(means.reshape(SAMPLES, *values.shape[1:]))


def interval_of(samples: np.ndarray) -> Interval:
    """The middle 95 % of samples."""
    low, high = band_of(samples)
    return float(low), float(high)


def band_of(samples: np.ndarray) -> np.ndarray:
    """float [2, …]: the ends of the middle 95 % of samples [SAMPLES, …]."""
    return np.asarray(np.quantile(samples, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0], axis=0))


@lru_cache(maxsize=2)
def _draws(count: int, stream: int) -> np.ndarray:
    """float [SAMPLES, count]: how often each of `count` tasks was drawn."""
    drawn = np.random.default_rng([SEED, stream]).integers(count, size=(SAMPLES, count))
    cells = drawn + count * np.arange(SAMPLES)[:, None]
    return np.bincount(cells.ravel(), minlength=SAMPLES * count).reshape(SAMPLES, count).astype(float)


T = TypeVar("T")

Scores = Mapping[str, float]


def clustered_errors(
    tasks: Mapping[str, T], cluster_of: Mapping[str, str], scores: Callable[[Mapping[str, T]], Scores]
) -> dict[str, float]:
    """The standard error of every score, by the jackknife that leaves out one cluster at a time.

    With s_g the score without cluster g of G, and m the mean of all s_g, it is sqrt((G - 1) / G · Σ (s_g - m)²). For
    the mean of equally large clusters this is the usual clustered standard error; unlike that, it holds for scores
    that are no means. It needs two clusters: with fewer, it is not known, and there are none.
    """
    clusters = sorted({cluster_of[task] for task in tasks})
    if len(clusters) < 2:
        return {}
    without = [scores({task: tasks[task] for task in tasks if cluster_of[task] != left_out}) for left_out in clusters]
    names = [name for name in scores(tasks) if all(name in one for one in without)]
    return {name: _jackknife_error([one[name] for one in without]) for name in names}


def _jackknife_error(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt((len(values) - 1) / len(values) * math.fsum((value - mean) ** 2 for value in values))
