"""First guesses: each body moves freely from where it is first seen, until its measurements say otherwise.

A body that meets no other moves along a straight line and is slowed down by the laws of the table. The path is fitted
to the first 4, 5, 6, … measurements; the longest fit that still holds is extrapolated back to the video's first frame.
"""

from dataclasses import dataclass, replace

import numpy as np

from tumble.comphy.agents.see_and_simulate.measured import SHAPE_FOLDS, TURNS, Measured, nearest_turns
from tumble.comphy.agents.see_and_simulate.picture import pixels_of, places_of
from tumble.comphy.catalogue.world import ALL_SHAPES, FRAMES_PER_SECOND
from tumble.comphy.simulation.laws import deceleration

LENGTHS = np.array([3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 29, 35, 42, 50, 60, 72, 86, 104, 125])
"""Numbers of measurements to which paths are fitted."""
NOISE_LENGTH = 8
"""Measurements from which the noise is estimated."""
ITERATIONS = 4
TAILS = (3, 8)
"""Numbers of last measurements of a fit, which must not deviate."""
SURE = 3.5
"""Standard deviations by which a mean square of deviations must exceed 1 to count as a deviation."""
CAUCHY = 3.0
RESTING_SPEED = 0.1
FRICTIONS, DAMPINGS = (np.array([deceleration(shape)[k] for shape in ALL_SHAPES]) for k in range(2))
STEPS = np.array([1e-4, 1e-4, 1e-3, 1e-3])
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
    for _ in range(ITERATIONS):
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
    for k, step in enumerate(STEPS):
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
    return np.asarray(sums < freedom + SURE * np.sqrt(2.0 * freedom))


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
    for k, step in enumerate(STEPS):
        moved = start[:, :4].copy()
        moved[:, k] += step
        jacobian[..., k] = (free_pixels(shapes[:, None], moved[:, None], seconds) - base) / step
    own = np.einsum("tfci,tf,tfcj->tfij", jacobian, weights**2, jacobian)
    own[..., 4, 4] = free * (SHAPE_FOLDS[shapes] > 0)[:, None] / yaw_error**2
    totals = np.zeros((len(start), frames + 1, PARAMETERS, PARAMETERS))
    totals[:, :-1] = own[:, ::-1].cumsum(axis=1)[:, ::-1]
    return totals
