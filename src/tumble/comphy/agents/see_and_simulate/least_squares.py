"""Robust Levenberg-Marquardt for many fits together: all finite differences and all steps are one batch each."""

from dataclasses import dataclass, replace

import numpy as np

from tumble.comphy.agents.see_and_simulate.fits import Fits, Problem, robust_costs, squares_of
from tumble.comphy.agents.see_and_simulate.free_flight import CAUCHY, PARAMETERS
from tumble.comphy.agents.see_and_simulate.measured import nearest_turns

DIFFERENCES = np.array([0.004, 0.004, 0.006, 0.006, 0.01])
"""Finite differences of a start; large beside the jumps of a contact that comes a step earlier or later."""
MAX_STEPS = np.array([0.25, 0.25, 0.8, 0.8, 0.4])
DAMPINGS = np.array([1e-3, 3e-2, 1.0, 30.0])
"""Of the steps that are tried together, as a share of the diagonal."""
ENOUGH = 0.5
"""A smaller improvement of the cost ends a fit."""


@dataclass(frozen=True, eq=False)
class Refined:
    """Fits after least squares."""

    fits: Fits
    costs: np.ndarray
    """float64 [fit]: of the fitted frames and of the prior."""
    information: np.ndarray
    """float64 [fit, parameter, parameter]: of all bodies' parameters, flat."""


def refine(problem: Problem, fits: Fits, iterations: int) -> Refined:
    """The fits after at most this number of steps each."""
    start = fits.start.copy()
    deviations = problem.deviations(fits)
    costs = robust_costs(deviations).sum(axis=1) + problem.prior_costs(fits)
    size = fits.start.shape[1] * PARAMETERS
    information = np.zeros((len(fits), size, size))
    rows = np.arange(len(fits))
    for _ in range(iterations):
        if not len(rows):
            break
        now = replace(fits.take(rows), start=start[rows])
        base = deviations[rows]
        normal, gradient = _normal_equations(problem, now, base)
        information[rows] = normal
        candidates = _candidates(now, normal, gradient)
        tried = problem.deviations(candidates)
        totals = robust_costs(tried).sum(axis=1) + problem.prior_costs(candidates)
        totals = np.where(np.isfinite(totals), totals, np.inf).reshape(len(DAMPINGS), len(rows))
        best = totals.argmin(axis=0)
        lowest = totals[best, np.arange(len(rows))]
        better = lowest < costs[rows]
        picked = best * len(rows) + np.arange(len(rows))
        start[rows[better]] = candidates.start[picked[better]]
        deviations[rows[better], : tried.shape[1]] = tried[picked[better]]
        improved = costs[rows] - lowest
        costs[rows[better]] = lowest[better]
        rows = rows[improved > ENOUGH]
    return Refined(replace(fits, start=start), costs, information)


def _normal_equations(problem: Problem, fits: Fits, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[fit, parameter, parameter] and [fit, parameter], with the prior."""
    count, bodies = fits.start.shape[:2]
    free = problem.free_parameters(fits).reshape(count, -1)
    fit, column = np.nonzero(free)
    moved = fits.take(fit)
    start = moved.start.reshape(len(fit), -1).copy()
    steps = np.tile(DIFFERENCES, bodies)[column]
    start[np.arange(len(fit)), column] += steps
    shifted = problem.deviations(replace(moved, start=start.reshape(moved.start.shape)))
    frames = shifted.shape[1]
    difference = shifted - base[fit, :frames]
    weights = problem.measured.yaw_weights[fits.video[fit], :frames]
    safe = np.maximum(weights, 1e-9)
    turns = problem.measured.turns[fits.video[fit]][:, None]
    difference[..., 2] = nearest_turns(difference[..., 2] / safe, turns) * weights
    robust = 1.0 / (1.0 + squares_of(base[:, :frames]) / CAUCHY**2)
    roots = np.sqrt(np.repeat(robust, (2, 1), axis=-1))  # x and y together, yaw
    jacobian = np.zeros((count, free.shape[1], frames * bodies * 3))
    jacobian[fit, column] = (difference * roots[fit] / steps[:, None, None, None]).reshape(len(fit), -1)
    residual = (base[:, :frames] * roots).reshape(count, -1, 1)
    normal = jacobian @ jacobian.swapaxes(1, 2)
    gradient = (jacobian @ residual)[..., 0]
    prior, offset = problem.prior(fits), problem.offset(fits)
    gradient += np.einsum("tbij,tbj->tbi", prior, offset).reshape(count, -1)
    return normal + block_diagonal(prior), gradient


def block_diagonal(blocks: np.ndarray) -> np.ndarray:
    """[fit, parameter, parameter]: of all bodies together, from [fit, body, PARAMETERS, PARAMETERS]."""
    count, bodies, size, _ = blocks.shape
    whole = np.zeros((count, bodies, size, bodies, size))
    for body in range(bodies):
        whole[:, body, :, body] = blocks[:, body]
    return whole.reshape(count, bodies * size, bodies * size)


def _candidates(fits: Fits, normal: np.ndarray, gradient: np.ndarray) -> Fits:
    """The fits after steps with all DAMPINGS, [damping * fit]."""
    diagonal = np.einsum("tii->ti", normal)[:, None] * np.eye(normal.shape[1])
    damped = normal + DAMPINGS[:, None, None, None] * diagonal
    steps = np.linalg.solve(damped, gradient[..., None])[..., 0].reshape(len(DAMPINGS), *fits.start.shape)
    steps = np.clip(steps, -MAX_STEPS, MAX_STEPS)
    rows = np.tile(np.arange(len(fits)), len(DAMPINGS))
    return replace(fits.take(rows), start=(fits.start - steps).reshape(-1, *fits.start.shape[1:]))


def drawn(fits: Fits, information: np.ndarray, count: int, spreads: np.ndarray, draws: np.random.Generator) -> Fits:
    """`count` starts of each fit drawn from its posterior, `spreads` [fit] times as wide as it is, [fit * draw]."""
    values, vectors = np.linalg.eigh(information)
    errors = 1.0 / np.sqrt(np.maximum(values, 1e-2))
    normal = draws.standard_normal((len(fits), count, values.shape[1]))
    steps = np.einsum("tij,tj,tcj->tci", vectors, errors * spreads[:, None], normal)
    steps = np.clip(steps.reshape(len(fits), count, *fits.start.shape[1:]), -2.0 * MAX_STEPS, 2.0 * MAX_STEPS)
    rows = np.repeat(np.arange(len(fits)), count)
    return replace(fits.take(rows), start=fits.start[rows] + steps.reshape(-1, *fits.start.shape[1:]))
