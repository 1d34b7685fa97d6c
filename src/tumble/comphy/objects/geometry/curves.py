"""Points on circles and smooth curves, with the same bits on every machine."""

import math
from collections.abc import Sequence

import numpy as np

TERMS = 10
"""Of the power series of sine and cosine; enough for an eighth of a turn."""


def cos_sin(turns: float) -> tuple[float, float]:
    """Cosine and sine of an angle in turns, by additions and multiplications only: C libraries differ in the last bit.

    >>> cos_sin(0.25)
    (0.0, 1.0)
    >>> [round(x, 12) for x in cos_sin(1 / 6)]
    [0.5, 0.866025403784]
    """
    quarters = round(4.0 * turns)
    angle = (turns - quarters / 4.0) * math.tau
    cosine = sine = 1.0
    for term in range(TERMS, 0, -1):
        cosine = 1.0 - angle * angle / ((2 * term - 1) * (2 * term)) * cosine
        sine = 1.0 - angle * angle / ((2 * term) * (2 * term + 1)) * sine
    sine *= angle
    x, y = ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))[quarters % 4]
    return x + 0.0, y + 0.0


def circle(count: int) -> np.ndarray:
    """[count, 2]: cosine and sine of evenly spaced angles, counter-clockwise from (1, 0)."""
    return np.array([cos_sin(number / count) for number in range(count)])


def arc(start: float, end: float, steps: int) -> np.ndarray:
    """[steps + 1, 2]: points of the unit circle from one angle to another, in turns."""
    return np.array([cos_sin(start + (end - start) * step / steps) for step in range(steps + 1)])


def smooth(points: Sequence[Sequence[float]], steps: int = 4) -> np.ndarray:
    """A smooth curve through points [k, d], with some steps between each two (Catmull-Rom).

    >>> smooth([(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)], 2).tolist()
    [[0.0, 0.0], [0.5, 0.625], [1.0, 1.0], [1.5, 0.625], [2.0, 0.0]]
    """
    given = np.array(points, float)
    padded = np.concatenate([2.0 * given[:1] - given[1:2], given, 2.0 * given[-1:] - given[-2:-1]])
    curve = [given[:1]]
    for step in range(len(given) - 1):
        before, start, end, after = padded[step : step + 4]
        for part in range(1, steps + 1):
            t = part / steps
            curve.append(
                (
                    start
                    + 0.5 * t * (end - before)
                    + t * t * (before - 2.5 * start + 2.0 * end - 0.5 * after)
                    + t * t * t * (1.5 * (start - end) + 0.5 * (after - before))
                )[None]
            )
    return np.concatenate(curve)
