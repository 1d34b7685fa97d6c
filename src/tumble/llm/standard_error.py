"""Standard errors of scores, by clusters of tasks: those of a cluster, as of a template, count as one draw."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

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
    return {name: _spread([one[name] for one in without]) for name in names}


def _spread(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt((len(values) - 1) / len(values) * math.fsum((value - mean) ** 2 for value in values))
