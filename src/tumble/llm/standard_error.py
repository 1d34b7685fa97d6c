"""Standard errors of scores, clustered by template: tasks of a template are alike, and count as one draw."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

Scores = Mapping[str, float]


def clustered_errors(
    tasks: Mapping[str, T], template_of: Mapping[str, str], scores: Callable[[Mapping[str, T]], Scores]
) -> dict[str, float]:
    """The standard error of every score, by the jackknife that leaves out one template at a time.

    With s_g the score without template g of G, and m the mean of all s_g, it is sqrt((G - 1) / G · Σ (s_g - m)²). For
    the mean of equally large templates this is the usual clustered standard error; unlike that, it holds for scores
    that are no means. It needs two templates: with fewer, it is not known, and there are none.
    """
    templates = sorted({template_of[task] for task in tasks})
    if len(templates) < 2:
        return {}
    without = [scores({task: tasks[task] for task in tasks if template_of[task] != left_out}) for left_out in templates]
    names = [name for name in scores(tasks) if all(name in one for one in without)]
    return {name: _spread([one[name] for one in without]) for name in names}


def _spread(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt((len(values) - 1) / len(values) * math.fsum((value - mean) ** 2 for value in values))
