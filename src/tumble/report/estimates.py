"""Values with their uncertainty: the standard deviation over folds, or a bootstrap interval over tasks.

The bootstrap draws as many tasks (or clusters of questions) as there are, with replacement, many times; the interval
holds the middle 95 % of the values that result. It is deterministic: the draws depend only on the number of tasks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

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
