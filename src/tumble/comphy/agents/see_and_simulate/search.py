"""Fits many hypotheses together: over a horizon that grows, and again from other starts if it fails.

Least squares over a whole video would not converge beyond the first collision. So the first frames are fitted, then
those up to where the simulation begins to deviate, and so on. A fit that can't follow the measurements is *stuck*; if
no other hypothesis does better, starts are drawn from its posterior before that, and the best are fitted again. Least
squares are robust Levenberg-Marquardt for many fits together: all finite differences and all steps are one batch
each.
"""

from dataclasses import dataclass, replace

import numpy as np

from tumble.comphy.agents.see_and_simulate.fits import (
    CAUCHY,
    PARAMETERS,
    Fits,
    Problem,
    joined_fits,
    robust_costs,
    squares_of,
    states_at_frame_0,
)
from tumble.comphy.agents.see_and_simulate.measure import Measured, nearest_turns, places_of

DIFFERENCES = np.array([0.004, 0.004, 0.006, 0.006, 0.01])
"""Finite differences of a start; large beside the jumps of a contact that comes a step earlier or later."""
MAX_STEPS = np.array([0.25, 0.25, 0.8, 0.8, 0.4])
DAMPINGS = np.array([1e-3, 3e-2, 1.0, 30.0])
"""Of the steps that are tried together, as a share of the diagonal."""
LEAST_IMPROVEMENT = 0.5
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
        rows = rows[improved > LEAST_IMPROVEMENT]
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


def drawn_starts(
    fits: Fits, information: np.ndarray, count: int, spreads: np.ndarray, draws: np.random.Generator
) -> Fits:
    """`count` starts of each fit drawn from its posterior, `spreads` [fit] times as wide as it is, [fit * draw]."""
    values, vectors = np.linalg.eigh(information)
    errors = 1.0 / np.sqrt(np.maximum(values, 1e-2))
    normal = draws.standard_normal((len(fits), count, values.shape[1]))
    steps = np.einsum("tij,tj,tcj->tci", vectors, errors * spreads[:, None], normal)
    steps = np.clip(steps.reshape(len(fits), count, *fits.start.shape[1:]), -2.0 * MAX_STEPS, 2.0 * MAX_STEPS)
    rows = np.repeat(np.arange(len(fits)), count)
    return replace(fits.take(rows), start=fits.start[rows] + steps.reshape(-1, *fits.start.shape[1:]))


RECENT_ENTRY = 30
"""Frames since a body came into view in which it is a candidate."""
CHANGED_SHARE = 0.5
"""Of the starts that are changed, if there is a candidate."""
MAX_ENTRY_SPEED = 3.0
"""Units per second."""


def with_late_entries(problem: Problem, fits: Fits, draws: np.random.Generator) -> Fits:
    """The fits, in some of which a body that came into view shortly before the horizon has another velocity there."""
    measured = problem.measured
    seen = measured.seen[fits.video]
    first = seen.argmax(axis=1)  # [fit, body]
    entered = (first > 0) & seen.any(axis=1) & (first < fits.horizon[:, None])
    late = entered & (fits.horizon[:, None] - first < RECENT_ENTRY)
    rows = np.flatnonzero(late.any(axis=1) & (draws.random(len(fits)) < CHANGED_SHARE))
    if not len(rows):
        return fits
    body = (draws.random(late[rows].shape) * late[rows]).argmax(axis=1)
    video, frame = fits.video[rows], first[rows, body]
    errors = 1.0 / measured.weights[video, frame, body]
    pixels = measured.centres[video, frame, body] + errors[:, None] * draws.standard_normal((len(rows), 2))
    speeds = MAX_ENTRY_SPEED * np.sqrt(draws.random(len(rows)))
    angles = 2.0 * np.pi * draws.random(len(rows))
    velocities = speeds[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    states = np.concatenate([places_of(pixels), velocities], axis=1)
    start = fits.start.copy()
    start[rows, body, :4] = states_at_frame_0(states, measured.shapes[video, body], frame)
    return replace(fits, start=start)


FIRST_HORIZON = 10
WINDOW = 8
"""Frames over which deviations are averaged."""
TOLERATED, TOLERANCE = 8.0, 1.3
"""A fit that stays stuck is continued if its misfit is below the first or no other fit of its video is done; then up to
its misfit times the second is accepted."""
ROUNDS = 24
POLISH_SPREADS, MAX_POLISHED = (1.0, 0.5, 2.0), 2.0
"""How wide starts are drawn around a finished fit whose misfit exceeds the last number."""


@dataclass(frozen=True)
class Effort:
    """How much is simulated to find good fits."""

    growth: int = 4
    """Frames by which a horizon goes beyond the first deviation."""
    iterations: int = 6
    most_new: float = 2.2
    """Mean square of a body's deviations in a window above which new frames deviate."""
    most_old: float = 2.4
    """The same, above which fitted frames are not followed."""
    pruned: float = 150.0
    """A fit whose cost exceeds that of another one of its video by this, up to its horizon, is given up."""
    ratio: float = 1.0
    """By which the other one's cost is multiplied before."""
    close: float = 60.0
    """A stuck fit is fitted again if its cost exceeds that of the best one by less."""
    restarts: int = 128
    """Starts that are drawn for a stuck fit."""
    spreads: tuple[float, ...] = (1.0, 2.0, 4.0)
    """How wide they are drawn in each round, in standard errors."""
    refitted: int = 4
    """The best ones of them that are fitted again; also the fits that are rescued in a video of which none is done."""
    rescues: int = 9
    """Rounds of them."""
    frames: int | None = None
    """Simulated frames after which no fit is rescued any more; None for no limit."""


THOROUGH = Effort()
QUICK = Effort(
    growth=8,
    iterations=3,
    most_new=3.0,
    most_old=3.4,
    pruned=80.0,
    ratio=1.5,
    close=20.0,
    restarts=48,
    spreads=(1.0, 3.0),
    refitted=2,
    rescues=4,
    frames=250_000,
)
"""For everyday objects that were perceived: their forms and headings are not known well, so that the best fit deviates
too, and more work does not change that."""


class Search:
    """The state of all fits."""

    def __init__(self, problem: Problem, fits: Fits, seed: int = 0, prune: bool = True) -> None:
        self.problem, self.prune = problem, prune
        self.effort = QUICK if problem.is_uncertain else THOROUGH
        self.until = None if self.effort.frames is None else problem.work.frames + self.effort.frames
        count, frames = len(fits), problem.measured.weights.shape[1]
        self.lengths = problem.measured.frames[fits.video]
        self.fits = fits.at(np.minimum(FIRST_HORIZON, self.lengths))
        self.information = block_diagonal(problem.prior(fits.at(np.zeros(count, int))))
        self.curves = np.zeros((count, frames))
        """[fit, frame]: costs of each frame."""
        self.misfits = np.full((count, frames), np.inf)
        """[fit, frame]: mean square of the deviations of the worst body in the window that ends with a frame."""
        self.done, self.stuck, self.pruned = (np.zeros(count, bool) for _ in range(3))
        self.good = self.fits
        """Before they got stuck."""
        self.good_information = self.information.copy()
        self.rescues = np.zeros(count, int)
        """Since the last horizon that was followed."""
        self.limits = np.full(count, self.effort.most_old)
        self.hopeless = np.zeros(count, bool)
        self.draws = np.random.default_rng(seed)

    def run(self) -> "Search":
        """Fits all, and again from other starts where that is needed."""
        self.grow()
        for _ in range(self.effort.rescues):
            rows = self._to_rescue()
            if not len(rows) or (self.until is not None and self.problem.work.frames > self.until):
                break
            again = self.rescues[rows] < len(self.effort.spreads)
            self._tolerate(rows[~again])
            if again.any():
                self._rescue(rows[again])
            self.grow()
        return self

    def polish(self, row: int) -> None:
        """Fits a finished fit again from starts around it, if it deviates."""
        rows = np.array([row])
        for spread in POLISH_SPREADS:
            if not self.done[row] or self.misfits[row].max() < MAX_POLISHED:
                return
            fit = self.fits.take(rows).at(self.lengths[rows])
            starts = drawn_starts(fit, self.information[rows], self.effort.restarts, np.array([spread]), self.draws)
            best = np.argsort(self._costs_to(starts))[: self.effort.refitted]
            refined = refine(self.problem, starts.take(best), self.effort.iterations)
            lowest = int(refined.costs.argmin())
            if refined.costs[lowest] < self.curves[row].sum() + self.problem.prior_costs(fit)[0]:
                self._put(rows, refined.fits.take(np.array([lowest])))
                self.information[row] = refined.information[lowest]
                self.curves[rows], self.misfits[rows] = self._judge(self.fits.take(rows).at(self.lengths[rows]))

    def _tolerate(self, rows: np.ndarray) -> None:
        """Continues fits that deviate little."""
        misfit = self.misfits[rows, self.fits.horizon[rows] - 1]
        finished = np.isin(self.fits.video[rows], self.fits.video[self.done])
        self.hopeless[rows] = (misfit > TOLERATED) & finished
        self.limits[rows] = misfit * TOLERANCE
        self.stuck[rows] = self.hopeless[rows]

    @property
    def costs(self) -> np.ndarray:
        """float64 [fit]: of all frames; infinite where a fit was given up."""
        return np.where(self.pruned, np.inf, self.curves.sum(axis=1))

    def grow(self) -> None:
        """Fits over growing horizons, until all fits are done, stuck or pruned."""
        for _ in range(ROUNDS):
            rows = np.flatnonzero(~(self.done | self.stuck | self.pruned))
            if not len(rows):
                return
            refined = refine(self.problem, self.fits.take(rows), self.effort.iterations)
            self._update(rows, refined)
            if self.prune:
                self._prune()
        self.stuck |= ~(self.done | self.pruned)

    def _update(self, rows: np.ndarray, refined: Refined) -> None:
        """Takes refined fits, and decides how each continues."""
        horizon, lengths = refined.fits.horizon, self.lengths[rows]
        self._put(rows, refined.fits)
        self.information[rows] = refined.information
        self.curves[rows], self.misfits[rows] = self._judge(refined.fits.at(lengths))
        old = self.misfits[rows, horizon - 1] > self.limits[rows]
        frames = np.arange(self.misfits.shape[1])
        new = (self.misfits[rows] > self.effort.most_new) & (frames >= horizon[:, None]) & (frames < lengths[:, None])
        first = np.where(new.any(axis=1), new.argmax(axis=1), lengths)
        self.stuck[rows] = old
        self.done[rows] = ~old & (horizon == lengths)
        fine = rows[~old]
        self.rescues[fine] = 0
        self._keep_good(fine)
        following = np.minimum(np.maximum(first + 1, horizon + self.effort.growth), lengths)
        horizons = self.fits.horizon.copy()
        horizons[fine] = following[~old]
        self.fits = self.fits.at(horizons)

    def _judge(self, fits: Fits) -> tuple[np.ndarray, np.ndarray]:
        """[fit, frame] costs, and mean squares in windows."""
        deviations = self.problem.deviations(fits)
        frames = self.curves.shape[1]
        padding = [(0, 0), (0, frames - deviations.shape[1]), (0, 0)]
        costs = np.pad((CAUCHY**2 * np.log1p(squares_of(deviations) / CAUCHY**2)).sum(axis=-1), padding)
        return costs.sum(axis=2), window_misfits(self.problem.measured, fits.video, costs)

    def _prune(self) -> None:
        """Gives up fits that cost much more than another one of the same video, up to their horizons."""
        totals = self.curves.cumsum(axis=1)
        rows = np.arange(len(self.fits))
        own = totals[rows, self.fits.horizon - 1]
        for video in np.unique(self.fits.video):
            same = rows[(self.fits.video == video) & ~self.pruned]
            reaches = np.where(self.done[same], self.lengths[same], self.fits.horizon[same])
            for row in same:
                others = totals[same, self.fits.horizon[row] - 1][reaches >= self.fits.horizon[row]]
                self.pruned[row] = own[row] > self.effort.ratio * others.min(initial=np.inf) + self.effort.pruned

    def _to_rescue(self) -> np.ndarray:
        """Stuck fits that may still become the best of their video."""
        totals = self.curves.cumsum(axis=1)
        chosen: list[int] = []
        for video in np.unique(self.fits.video):
            rows = np.flatnonzero((self.fits.video == video) & ~self.pruned)
            finished = rows[self.done[rows]]
            stuck = rows[self.stuck[rows] & ~self.hopeless[rows]]
            if len(finished):
                best = totals[finished].min(axis=0)
                excess = totals[stuck, self.fits.horizon[stuck] - 1] - best[self.fits.horizon[stuck] - 1]
                chosen += stuck[excess < self.effort.close].tolist()
            else:
                own = totals[stuck].sum(axis=1) if len(stuck) else np.zeros(0)
                chosen += stuck[np.argsort(own)[: self.effort.refitted]].tolist()
        return np.array(chosen, int)

    def _rescue(self, rows: np.ndarray) -> None:
        """Fits stuck fits again from starts drawn before they got stuck."""
        starts = self._new_starts(rows)
        count = len(starts) // len(rows)
        costs = self._costs_to(starts).reshape(len(rows), count)
        best = np.argsort(costs, axis=1)[:, : self.effort.refitted] + np.arange(len(rows))[:, None] * count
        refined = refine(self.problem, starts.take(best.reshape(-1)), self.effort.iterations)
        again = refined.costs.reshape(len(rows), self.effort.refitted)
        picked = again.argmin(axis=1) + np.arange(len(rows)) * self.effort.refitted
        current = self._costs_to(self.fits.take(rows)) + self.problem.prior_costs(self.fits.take(rows))
        better = again.min(axis=1) < current
        self._put(rows[better], refined.fits.take(picked[better]))
        self.stuck[rows] = False
        self.rescues[rows] += 1

    def _new_starts(self, rows: np.ndarray) -> Fits:
        """Starts [fit * draw] around those before and after the fits got stuck, at their horizons."""
        information, spreads = self.good_information[rows], np.array(self.effort.spreads)[self.rescues[rows]]
        before, after = (
            drawn_starts(fits.take(rows), information, self.effort.restarts // 2, spreads, self.draws)
            for fits in (self.good, self.fits)
        )
        both = joined_fits(before, after)
        order = np.arange(len(both)).reshape(2, len(rows), -1).transpose(1, 0, 2).reshape(-1)
        starts = both.take(order).at(np.repeat(self.fits.horizon[rows], self.effort.restarts))
        return with_late_entries(self.problem, starts, self.draws)

    def _costs_to(self, fits: Fits) -> np.ndarray:
        """[fit]: costs up to the horizons."""
        squares = squares_of(self.problem.deviations(fits))
        return np.asarray((CAUCHY**2 * np.log1p(squares / CAUCHY**2)).sum(axis=(1, 2, 3)))

    def _put(self, rows: np.ndarray, fits: Fits) -> None:
        start = self.fits.start.copy()
        start[rows] = fits.start
        self.fits = replace(self.fits, start=start)

    def _keep_good(self, rows: np.ndarray) -> None:
        start, horizon = self.good.start.copy(), self.good.horizon.copy()
        start[rows], horizon[rows] = self.fits.start[rows], self.fits.horizon[rows]
        self.good = replace(self.good, start=start, horizon=horizon)
        self.good_information[rows] = self.information[rows]


def window_misfits(measured: Measured, video: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """float64 [fit, frame]: mean square of the worst body in the window that ends with a frame.

    `costs` [fit, frame, body] are those of fits of videos [fit].
    """
    known = 2.0 * measured.seen[video] + (measured.yaw_weights[video] > 0.0)
    sums, counts = (_window_sums(values) for values in (costs, known))
    return np.asarray((sums / np.maximum(counts, WINDOW)).max(axis=2))


def _window_sums(values: np.ndarray) -> np.ndarray:
    """[fit, frame, body]: sums over the WINDOW frames up to each frame."""
    totals = np.cumsum(values, axis=1)
    totals[:, WINDOW:] -= totals[:, :-WINDOW].copy()
    return np.asarray(totals)
