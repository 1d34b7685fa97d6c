"""Bodies that seem to move slowly at the start: at rest, if the measurements allow it, as many bodies begin."""

from dataclasses import replace

import numpy as np

from tumble.comphy.agents.see_and_simulate.fits import Fits, Problem, robust_costs
from tumble.comphy.agents.see_and_simulate.free_flight import travelled

SLOW = 0.3
"""Units per second."""
ALLOWED = 8.0
"""A start at rest may cost more by this: it needs two parameters fewer, and is frequent."""
LONG, SHORT = 10.0, 1.0
"""Seconds in which a body comes to rest; half of that in which a sphere rolls on."""


def at_rest(problem: Problem, fit: Fits) -> Fits:
    """The one fit, with slow bodies at rest, one after the other, where its cost allows it."""
    cost = float(robust_costs(problem.deviations(fit)).sum())
    speeds = np.hypot(fit.start[0, :, 2], fit.start[0, :, 3])
    for body in np.flatnonzero((speeds < SLOW) & (speeds > 0.0)):
        shape = problem.measured.shapes[0, body]
        start = fit.start.copy()
        direction = start[0, body, 2:4] / speeds[body]
        candidates = []
        for seconds in (0.0, SHORT, LONG):
            moved = start.copy()
            moved[0, body, :2] += direction * travelled(shape, speeds[body], np.array(seconds))
            moved[0, body, 2:4] = 0.0
            candidates.append(moved[0])
        tried = replace(fit.take(np.zeros(len(candidates), int)), start=np.stack(candidates))
        costs = robust_costs(problem.deviations(tried)).sum(axis=1)
        best = int(costs.argmin())
        if costs[best] < cost + ALLOWED:
            fit = replace(fit, start=tried.start[best : best + 1])
            cost = min(cost, float(costs[best]))
    return fit
