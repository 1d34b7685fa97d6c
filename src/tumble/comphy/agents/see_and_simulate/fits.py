"""Fits: starts of the bodies of some videos under hypotheses about masses and charges, and how far they deviate."""

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from tumble.comphy.agents.see_and_simulate.free_flight import CAUCHY, PARAMETERS, Guess
from tumble.comphy.agents.see_and_simulate.measured import Measured, nearest_turns
from tumble.comphy.agents.see_and_simulate.picture import pixels_of
from tumble.comphy.catalogue.world import ALL_SHAPES, PLAIN
from tumble.comphy.simulation.batch import FIT_ROUNDS, Paths, WorldArrays, simulate_arrays, simulate_object_arrays

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


def joined(one: Fits, other: Fits) -> Fits:
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
