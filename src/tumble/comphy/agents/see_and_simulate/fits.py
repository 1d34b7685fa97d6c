"""Fits: starts of the bodies of some videos under hypotheses, their deviations, and first guesses.

A body that meets no other moves along a straight line and is slowed down by the laws of the table. The path is fitted
to the first 4, 5, 6, … measurements; the longest fit that still holds is extrapolated back to the video's first
frame.
"""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from tumble.comphy.agents.see_and_simulate.measure import (
    SHAPE_FOLDS,
    TURNS,
    Measured,
    nearest_turns,
    pixels_of,
    places_of,
)
from tumble.comphy.catalogue.world import ALL_SHAPES, FRAMES_PER_SECOND, PLAIN
from tumble.comphy.simulation.batch import FIT_ROUNDS, Paths, WorldArrays, simulate_arrays, simulate_object_arrays
from tumble.comphy.simulation.laws import deceleration

LENGTHS = np.array([3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 29, 35, 42, 50, 60, 72, 86, 104, 125])
"""Numbers of measurements to which paths are fitted."""
NOISE_LENGTH = 8
"""Measurements from which the noise is estimated."""
PATH_ITERATIONS = 4
TAILS = (3, 8)
"""Numbers of last measurements of a fit, which must not deviate."""
SURE_DEVIATION = 3.5
"""Standard deviations by which a mean square of deviations must exceed 1 to count as a deviation."""
CAUCHY = 3.0
RESTING_SPEED = 0.1
FRICTIONS, DAMPINGS = (np.array([deceleration(shape)[k] for shape in ALL_SHAPES]) for k in range(2))
PATH_DIFFERENCES = np.array([1e-4, 1e-4, 1e-3, 1e-3])
"""Finite differences."""
FAR = 100.0
"""Where bodies that are never seen rest: far from all others, in units."""
PARAMETERS = 5
"""x, y, x and y of the velocity, and yaw of a body."""


@dataclass(frozen=True, eq=False)
class Guess:
    """What free flight tells about the start of each body."""

    start: np.ndarray
    """float64 [video, body, PARAMETERS]: at frame 0."""
    information: np.ndarray
    """float64 [video, frame + 1, body, PARAMETERS, PARAMETERS]: of the measurements of free flight from a frame on."""
    free_until: np.ndarray
    """int [video, body]: the last frame of free flight."""
    noise: float
    """Errors of centres, as a multiple of the given ones."""
    yaw_error: float
    """Radians."""

    def take(self, videos: slice, frames: int, bodies: int) -> "Guess":
        """The same for some videos, without frames and bodies that none of them has."""
        information = self.information[videos, : frames + 1, :bodies]
        return replace(
            self,
            start=self.start[videos, :bodies],
            information=information,
            free_until=self.free_until[videos, :bodies],
        )


def travelled(shapes: np.ndarray, speeds: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """The distance that bodies slide or roll in some time; backwards if it is negative. All arrays broadcast."""
    friction, damping = FRICTIONS[shapes], DAMPINGS[shapes]
    ratio = friction / damping
    rest = np.where(friction > 0.0, np.log1p(speeds * damping / np.maximum(friction, 1e-9)) / damping, np.inf)
    seconds = np.minimum(seconds, rest)
    return np.asarray((speeds + ratio) * -np.expm1(-damping * seconds) / damping - ratio * seconds)


def free_pixels(shapes: np.ndarray, states: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """[..., 2]: where bodies are seen some time after states [..., 4]."""
    speeds = np.hypot(states[..., 2], states[..., 3])
    directions = states[..., 2:] / np.maximum(speeds, 1e-9)[..., None]
    return pixels_of(states[..., :2] + travelled(shapes, speeds, seconds)[..., None] * directions)


def guess_starts(measured: Measured) -> Guess:
    """Guesses for all bodies of some videos."""
    videos, frames, bodies = measured.weights.shape
    weights = np.moveaxis(measured.weights, 1, 2).reshape(-1, frames)  # [track, frame]
    centres = np.moveaxis(measured.centres, 1, 2).reshape(-1, frames, 2)
    shapes = measured.shapes.reshape(-1)
    seen = np.asarray(weights > 0.0)
    counts = seen.sum(axis=1)
    first = seen.argmax(axis=1)
    rank = np.cumsum(seen, axis=1) - 1
    used = seen[:, None] & (rank[:, None] < LENGTHS[:, None])  # [track, length, frame]
    seconds = (np.arange(frames) - first[:, None]) / FRAMES_PER_SECOND
    states = _linear_start(centres, used * weights[:, None], seconds)
    for _ in range(PATH_ITERATIONS):
        states = _improved(states, shapes, centres, used * weights[:, None], seconds)
    residuals = _residuals(states, shapes, centres, weights[:, None], seconds) * used[..., None]
    squares = (residuals**2).sum(axis=-1)
    tracks = np.arange(len(shapes))
    short = np.full(len(shapes), LENGTHS.tolist().index(NOISE_LENGTH))
    noise = _noise(squares[tracks, short], used[tracks, short])
    chosen = _longest(squares / noise**2, used, rank, counts)
    noise = _noise(squares[tracks, chosen], used[tracks, chosen])
    chosen = _longest(squares / noise**2, used, rank, counts)
    start = states_at_frame_0(states[tracks, chosen], shapes, first)
    free = used[tracks, chosen]  # [track, frame]
    yaw, yaw_error = _yaws(measured, free)
    start = np.column_stack([start, yaw])
    start[counts == 0] = np.column_stack([FAR + FAR * tracks, np.zeros((len(tracks), 4))])[counts == 0]
    information = _information(start, shapes, free * weights / noise, free, yaw_error)
    last = np.where(free.any(axis=1), frames - 1 - free[:, ::-1].argmax(axis=1), 0)
    return Guess(
        start.reshape(videos, bodies, PARAMETERS),
        np.moveaxis(information.reshape(videos, bodies, frames + 1, PARAMETERS, PARAMETERS), 1, 2),
        last.reshape(videos, bodies),
        noise,
        yaw_error,
    )


def _linear_start(centres: np.ndarray, weights: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """[track, length, 4]: states at the first measurement, by a straight line through the places."""
    measured = np.asarray(weights.any(axis=1))
    places = np.where(measured[..., None], places_of(centres), 0.0)[:, None]
    w, t = weights[..., None] ** 2, seconds[:, None, :, None]
    total = np.maximum(w.sum(axis=2), 1e-9)
    mean_t, mean_p = (w * t).sum(axis=2) / total, (w * places).sum(axis=2) / total
    spread = (w * (t - mean_t[:, :, None]) ** 2).sum(axis=2)
    slope = (w * (t - mean_t[:, :, None]) * (places - mean_p[:, :, None])).sum(axis=2) / np.maximum(spread, 1e-9)
    return np.asarray(np.concatenate([mean_p - slope * mean_t, slope], axis=-1))


def _residuals(
    states: np.ndarray, shapes: np.ndarray, centres: np.ndarray, weights: np.ndarray, seconds: np.ndarray
) -> np.ndarray:
    """[track, length, frame, 2]: deviations in standard errors."""
    pixels = free_pixels(shapes[:, None, None], states[:, :, None], np.maximum(seconds, 0.0)[:, None])
    return np.asarray((pixels - centres[:, None]) * weights[..., None])


def _improved(
    states: np.ndarray, shapes: np.ndarray, centres: np.ndarray, weights: np.ndarray, seconds: np.ndarray
) -> np.ndarray:
    """States after a robust Gauss-Newton step."""
    base = _residuals(states, shapes, centres, weights, seconds)
    columns = []
    for k, step in enumerate(PATH_DIFFERENCES):
        moved = states.copy()
        moved[..., k] += step
        columns.append((_residuals(moved, shapes, centres, weights, seconds) - base) / step)
    jacobian = np.stack(columns, axis=-1)
    robust = 1.0 / (1.0 + (base**2).sum(axis=-1) / CAUCHY**2)
    normal = np.einsum("tlfci,tlf,tlfcj->tlij", jacobian, robust, jacobian) + 1e-3 * np.eye(4)
    gradient = np.einsum("tlfci,tlf,tlfc->tli", jacobian, robust, base)
    change = np.linalg.solve(normal, gradient[..., None])[..., 0]
    return np.asarray(states - np.clip(change, -1.0, 1.0))


def _noise(squares: np.ndarray, used: np.ndarray) -> float:
    """Errors as a multiple of the given ones: by the median square of the deviations [track, frame] of some fits."""
    counts = used.sum(axis=1, keepdims=True)
    free_share = 1.0 - 2.0 / np.maximum(counts, 3)  # 4 parameters, 2 coordinates
    values = (squares / free_share)[used & (counts >= NOISE_LENGTH)]
    return float(np.clip(np.sqrt(np.median(values) / (2.0 * np.log(2.0))), 0.2, 10.0)) if len(values) else 1.0


def _longest(squares: np.ndarray, used: np.ndarray, rank: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """int [track]: the row of LENGTHS of the longest fit that holds, before two in a row don't."""
    robust = np.minimum(squares, 3.0 * CAUCHY**2)
    totals = used.sum(axis=2)
    holds = _is_small(robust.sum(axis=2), 2.0 * totals - 4.0)
    for tail in TAILS:
        last = used & (rank[:, None] >= totals[..., None] - tail)
        share = 1.0 - 2.0 / np.maximum(totals, 3)
        holds &= _is_small((robust * last).sum(axis=2), 2.0 * last.sum(axis=2) * share)
    holds[:, :2] = True
    fails = ~holds[:, 1:] & ~holds[:, :-1]
    before = ~np.logical_or.accumulate(np.pad(fails, ((0, 0), (1, 0))), axis=1)
    rows = np.arange(len(LENGTHS))
    longest = np.where(holds & before, rows, 0).max(axis=1)
    enough = np.searchsorted(LENGTHS, counts)  # longer fits have no more measurements
    return np.asarray(np.minimum(longest, np.minimum(enough, len(LENGTHS) - 1)))


def _is_small(sums: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """Whether sums of squares are as small as noise makes them, given their degrees of freedom."""
    freedom = np.maximum(freedom, 1.0)
    return np.asarray(sums < freedom + SURE_DEVIATION * np.sqrt(2.0 * freedom))


def states_at_frame_0(states: np.ndarray, shapes: np.ndarray, first: np.ndarray) -> np.ndarray:
    """[track, 4]: states at frame 0, by the motion law backwards from the first measurement."""
    speeds = np.hypot(states[:, 2], states[:, 3])
    directions = states[:, 2:] / np.maximum(speeds, 1e-9)[:, None]
    seconds = np.where(speeds > RESTING_SPEED, first / FRAMES_PER_SECOND, 0.0)
    ratio, damping = FRICTIONS[shapes] / DAMPINGS[shapes], DAMPINGS[shapes]
    growth = np.exp(damping * seconds)
    distance = (speeds + ratio) * (growth - 1.0) / damping - ratio * seconds
    earlier = (speeds + ratio) * growth - ratio
    return np.concatenate([states[:, :2] - distance[:, None] * directions, earlier[:, None] * directions], axis=1)


def _yaws(measured: Measured, free: np.ndarray) -> tuple[np.ndarray, float]:
    """[track] mean yaws of free flight, and the error of a yaw."""
    frames = measured.weights.shape[1]
    known = np.moveaxis(measured.yaw_weights > 0.0, 1, 2).reshape(-1, frames) & free
    yaws = np.moveaxis(measured.yaws, 1, 2).reshape(-1, frames)
    turns = TURNS[measured.shapes].reshape(-1)
    folds = 2.0 * np.pi / turns
    mean = np.angle((np.exp(1j * folds[:, None] * yaws) * known).sum(axis=1)) / folds
    deviations = nearest_turns(yaws - mean[:, None], turns[:, None])[known]
    if len(deviations) < 2 * NOISE_LENGTH:
        return mean, float(np.radians(4.0))
    return mean, float(np.clip(1.48 * np.median(np.abs(deviations)), np.radians(1.0), np.radians(15.0)))


def _information(
    start: np.ndarray, shapes: np.ndarray, weights: np.ndarray, free: np.ndarray, yaw_error: float
) -> np.ndarray:
    """[track, frame + 1, PARAMETERS, PARAMETERS]: of the free measurements from each frame on."""
    frames = weights.shape[1]
    seconds = np.arange(frames) / FRAMES_PER_SECOND
    base = free_pixels(shapes[:, None], start[:, None, :4], seconds)
    jacobian = np.zeros((*weights.shape, 2, PARAMETERS))
    for k, step in enumerate(PATH_DIFFERENCES):
        moved = start[:, :4].copy()
        moved[:, k] += step
        jacobian[..., k] = (free_pixels(shapes[:, None], moved[:, None], seconds) - base) / step
    own = np.einsum("tfci,tf,tfcj->tfij", jacobian, weights**2, jacobian)
    own[..., 4, 4] = free * (SHAPE_FOLDS[shapes] > 0)[:, None] / yaw_error**2
    totals = np.zeros((len(start), frames + 1, PARAMETERS, PARAMETERS))
    totals[:, :-1] = own[:, ::-1].cumsum(axis=1)[:, ::-1]
    return totals


PRIOR_SHARE, PRIOR_FRAMES = 0.25, 4
"""Weight of free flight beyond the horizon, for bodies that were seen in fewer fitted frames; not more, since
it may have begun with a hit."""
WEAK_ERRORS = np.array([3.0, 3.0, 3.0, 3.0, 1.0])
"""Standard errors of a start that nothing else is known about: units, units per second, radians."""


@dataclass(frozen=True, eq=False)
class Fits:
    """Some fits, each of one video; the arrays' first axis."""

    video: np.ndarray
    """int [fit]: row in `Measured`."""
    masses: np.ndarray
    """float64 [fit, body]."""
    charges: np.ndarray
    """float64 [fit, body]."""
    start: np.ndarray
    """float64 [fit, body, PARAMETERS]: at frame 0."""
    horizon: np.ndarray
    """int [fit]: the frames that are fitted."""
    spins: np.ndarray | None = None
    """float64 [fit, body, 3]: angular velocities at frame 0 beyond those of rolling spheres; None for none."""

    def __len__(self) -> int:
        return len(self.video)

    def take(self, rows: np.ndarray) -> "Fits":
        """Some of the fits."""
        chosen = {one.name: values[rows] for one in fields(self) if (values := getattr(self, one.name)) is not None}
        return replace(self, **chosen)

    def at(self, horizon: np.ndarray) -> "Fits":
        """The same fits with other horizons."""
        return replace(self, horizon=horizon)


def joined_fits(one: Fits, other: Fits) -> Fits:
    """All fits of both."""
    names = [own.name for own in fields(one) if getattr(one, own.name) is not None]
    return replace(one, **{name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names})


@dataclass
class Work:
    """What was simulated."""

    frames: int = 0
    """Of all worlds."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Measurements, what free flight tells about them, and where simulations run."""

    measured: Measured
    guess: Guess
    device: str = "cpu"
    work: Work = field(default_factory=Work)

    def paths(self, fits: Fits) -> Paths:
        """Simulated motion, each up to its horizon."""
        measured = self.measured
        self.work.frames += int(fits.horizon.sum())
        worlds = WorldArrays(
            measured.counts[fits.video],
            measured.shapes[fits.video],
            fits.masses,
            fits.charges,
            fits.start[..., :2],
            fits.start[..., 4],
            fits.start[..., 2:4],
            fits.spins,
        )
        if self.object_kinds is None:
            return simulate_arrays(worlds, fits.horizon, exact=False, device=self.device)
        kinds, kind = self.object_kinds
        own, exact = kind[fits.video], self.needs_all_steps
        return simulate_object_arrays(worlds, kinds, own, fits.horizon, exact, self.device, FIT_ROUNDS)

    @cached_property
    def needs_all_steps(self) -> bool:
        """Whether centres are known so well that merged steps of everyday objects would be seen to deviate."""
        return self.measured.is_exact

    @property
    def is_uncertain(self) -> bool:
        """Whether they are everyday objects that were perceived: of unknown forms and with errors."""
        return self.object_kinds is not None and not self.needs_all_steps

    @cached_property
    def object_kinds(self) -> tuple[list[tuple[str, int]], np.ndarray] | None:
        """Shapes and forms of the objects of the div world, and which [video, body] are; None in the plain world."""
        measured = self.measured
        if (measured.shapes < len(PLAIN.shapes)).all():
            return None
        codes = np.stack([measured.shapes, measured.forms], axis=-1)
        codes[~measured.exists] = codes[measured.exists][0]
        every, kind = np.unique(codes.reshape(-1, 2), axis=0, return_inverse=True)
        return [(ALL_SHAPES[shape], form) for shape, form in every.tolist()], kind.reshape(measured.shapes.shape)

    def deviations(self, fits: Fits) -> np.ndarray:
        """float64 [fit, frame, body, 3]: of x, y and yaw in standard errors, as far as they were measured."""
        paths, measured = self.paths(fits), self.measured
        frames = paths.places.shape[1]
        within = np.arange(frames) < fits.horizon[:, None]
        result = np.empty((*paths.yaws.shape, 3))
        weights = measured.weights[fits.video, :frames] * within[..., None]
        result[..., :2] = (pixels_of(paths.places) - measured.centres[fits.video, :frames]) * weights[..., None]
        yaw_weights = measured.yaw_weights[fits.video, :frames] * within[..., None]
        turns = measured.turns[fits.video][:, None]
        result[..., 2] = nearest_turns(paths.yaws - measured.yaws[fits.video, :frames], turns) * yaw_weights
        return result

    def free_parameters(self, fits: Fits) -> np.ndarray:
        """bool [fit, body, PARAMETERS]: those that matter: of existing bodies, and yaws that can be seen."""
        exists = self.measured.exists[fits.video]
        free = np.repeat(exists[..., None], PARAMETERS, axis=-1)
        free[..., 4] &= self.measured.has_heading[fits.video]
        return free

    def prior(self, fits: Fits) -> np.ndarray:
        """float64 [fit, body, PARAMETERS, PARAMETERS]: information about the start, besides the fitted frames."""
        beyond = self.guess.information[fits.video, fits.horizon]
        fitted = self.seen_before[fits.video, fits.horizon]
        share = PRIOR_SHARE * np.clip(1.0 - fitted / PRIOR_FRAMES, 0.0, 1.0)
        return np.asarray(share[..., None, None] * beyond + np.diag(WEAK_ERRORS**-2.0))

    @cached_property
    def seen_before(self) -> np.ndarray:
        """int [video, frame + 1, body]: in how many frames before this one a body was seen."""
        return np.pad(np.cumsum(self.measured.seen, axis=1), ((0, 0), (1, 0), (0, 0)))

    def prior_costs(self, fits: Fits) -> np.ndarray:
        """float64 [fit]."""
        offset = self.offset(fits)
        return np.asarray(np.einsum("tbi,tbij,tbj->t", offset, self.prior(fits), offset))

    def offset(self, fits: Fits) -> np.ndarray:
        """float64 [fit, body, PARAMETERS]: from the guess."""
        offset = fits.start - self.guess.start[fits.video]
        offset[..., 4] = nearest_turns(offset[..., 4], self.measured.turns[fits.video])
        return np.where(self.measured.exists[fits.video][..., None], offset, 0.0)


def squares_of(deviations: np.ndarray) -> np.ndarray:
    """float64 [..., 2]: squares of the deviations [..., 3] of a centre and of a yaw."""
    return np.stack([(deviations[..., :2] ** 2).sum(axis=-1), deviations[..., 2] ** 2], axis=-1)


def robust_costs(deviations: np.ndarray) -> np.ndarray:
    """float64 [..., frame]: from deviations [..., frame, body, 3]; about the sum of squares while these are small."""
    return np.asarray((CAUCHY**2 * np.log1p(squares_of(deviations) / CAUCHY**2)).sum(axis=(-1, -2)))
