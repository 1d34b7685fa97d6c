"""The scene of a set that was fitted: what is shown, what will happen and what would happen, by simulation.

Where a simulation leaves the measurements, the motion continues in pieces, each from a state fitted to some shown
frames, in which bodies may spin: what happens in these frames can be seen, even if no start is found from which a
simulation follows all of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from tumble.comphy.agents.see_and_simulate.fits import (
    CAUCHY,
    PARAMETERS,
    Fits,
    Guess,
    Problem,
    guess_starts,
    squares_of,
)
from tumble.comphy.agents.see_and_simulate.measure import nearest_turns, pixels_of
from tumble.comphy.agents.see_and_simulate.search import WINDOW, Search, window_misfits
from tumble.comphy.agents.see_and_simulate.set_fit import SetFit
from tumble.comphy.agents.simulation import SimulatedAlterations
from tumble.comphy.catalogue.body import Body, Collision, Motion, yaw_quaternions
from tumble.comphy.catalogue.video_set import Alteration, alterations
from tumble.comphy.catalogue.world import ALL_SHAPES, HALF_HEIGHTS, RADIUS, SHOWN_FRAMES, STEPS_PER_FRAME, TARGET_FRAMES
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import events_of
from tumble.comphy.simulation.simulator import InitialState, simulate

SPHERE = ALL_SHAPES.index("sphere")


def refit_frames(problem: Problem, fit: Fits, motion: Motion, first: int, last: int) -> InitialState:
    """The state of the bodies at a frame, fitted to the measurements from there on, before another frame.

    Two fits are made, from the state in a simulated motion and from free flight since that frame; the better counts.
    """
    measured = problem.measured.between(first, last)
    simulated = _state_at_frame(motion, first)
    slips = _slips(motion, measured.shapes[0], first)
    own = guess_starts(measured)
    seen = measured.seen[0].sum(axis=0) >= MIN_SEEN
    free = np.where(seen[:, None], own.start[0], simulated)
    starts = np.stack([simulated, free])
    size = len(simulated)
    frames = measured.weights.shape[1]
    guess = Guess(
        simulated[None],
        np.zeros((1, frames + 1, size, PARAMETERS, PARAMETERS)),
        np.zeros((1, size), int),
        problem.guess.noise,
        problem.guess.yaw_error,
    )
    rows = np.zeros(2, int)
    spins = np.stack([slips, np.where(seen[:, None], 0.0, slips)])
    fits = Fits(rows, fit.masses[rows], fit.charges[rows], starts, measured.frames[rows], spins)
    search = Search(Problem(measured, guess, problem.device), fits).run()
    best = search.fits.take(np.array([int(search.curves.sum(axis=1).argmin())]))
    return _initial_state(best, measured.shapes[0])


MIN_SEEN = 6
"""Frames in which a body must be seen for a start from free flight."""


def _state_at_frame(motion: Motion, frame: int) -> np.ndarray:
    """[body, PARAMETERS]: of a motion at a frame."""
    real, up = motion.orientations[frame, :, 0], motion.orientations[frame, :, 3]
    yaws = 2.0 * np.arctan2(up, real)
    return np.column_stack([motion.positions[frame, :, :2], motion.velocities[frame, :, :2], yaws])


def _slips(motion: Motion, shapes: np.ndarray, frame: int) -> np.ndarray:
    """[body, 3]: angular velocities beyond those of rolling."""
    return np.asarray(motion.angular_velocities[frame] - _rolling(motion.velocities[frame, :, :2], shapes))


def _rolling(velocities: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """[body, 3]: angular velocities of rolling spheres; 0 for other shapes."""
    per_speed = (shapes == SPHERE) / RADIUS
    return np.column_stack([-velocities[:, 1] * per_speed, velocities[:, 0] * per_speed, np.zeros(len(shapes))])


def _initial_state(fit: Fits, shapes: np.ndarray) -> InitialState:
    start = fit.start[0]
    assert fit.spins is not None
    heights = np.array([HALF_HEIGHTS[ALL_SHAPES[shape]] for shape in shapes])
    flat = np.zeros(len(start))
    return InitialState(
        np.column_stack([start[:, :2], heights]),
        yaw_quaternions(start[:, 4]),
        np.column_stack([start[:, 2:4], flat]),
        _rolling(start[:, 2:4], shapes) + fit.spins[0],
    )


MAX_PIECE_MISFIT = 4.0
"""Mean square of a body's deviations in a window above which a motion has left the measurements."""
PIECE_LEAD = WINDOW + 2
"""Frames before that in which the next piece begins."""
SHORTEST_PIECE, FITTED_FRAMES = 14, 36
"""Frames of a piece before the next one, at least; and frames to which its state is fitted."""
PIECE_OVERLAP = 3
"""Frames of a piece that are not used: bodies that touch at its start would collide anew."""
COLLISIONS_APART = 8
"""Frames within which two collisions of a pair in different pieces are one."""
MOST_PIECES = 4


def motion_in_pieces(
    problem: Problem, fit: Fits, bodies: tuple[Body, ...], motion: Motion
) -> tuple[Motion, np.ndarray]:
    """A motion of the target that follows the measurements in pieces, if there is any such; and its misfits [frame]."""
    misfits, begin = _misfits(problem, motion), 0
    for _ in range(MOST_PIECES):
        left = np.flatnonzero(misfits[begin + SHORTEST_PIECE :] > MAX_PIECE_MISFIT)
        if not len(left):
            break
        begin = max(begin + SHORTEST_PIECE + int(left[0]) - PIECE_LEAD, begin + SHORTEST_PIECE)
        last = min(begin + FITTED_FRAMES, SHOWN_FRAMES)
        if last - begin < SHORTEST_PIECE:
            break
        tried = continued_motion(problem, fit, bodies, motion, (begin, last), begin + PIECE_OVERLAP)
        own = _misfits(problem, tried)
        if (
            np.minimum(own[begin:last], MAX_PIECE_MISFIT).mean()
            < np.minimum(misfits[begin:last], MAX_PIECE_MISFIT).mean()
        ):
            motion, misfits = tried, own
    return motion, misfits


def continued_motion(
    problem: Problem, fit: Fits, bodies: tuple[Body, ...], motion: Motion, fitted: tuple[int, int], joint: int
) -> Motion:
    """The motion up to the frame `joint`, then as simulated from a state that is fitted to some frames."""
    first, last = fitted
    start = refit_frames(problem, fit, motion, first, last)
    later = simulate(bodies, start, TARGET_FRAMES - first)
    before = [collision for collision in motion.collisions if collision.step < joint * STEPS_PER_FRAME]
    recent = {c.pair for c in before if c.step >= (joint - COLLISIONS_APART) * STEPS_PER_FRAME}
    after = [
        Collision(collision.step + first * STEPS_PER_FRAME, *collision.pair)
        for collision in later.collisions
        if collision.step >= (joint - first) * STEPS_PER_FRAME
        and not (
            joint < SHOWN_FRAMES and collision.pair in recent and _frame(collision) + first < joint + COLLISIONS_APART
        )
    ]

    def both(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.concatenate([one[:joint], other[joint - first :]])

    return replace(
        motion,
        positions=both(motion.positions, later.positions),
        orientations=both(motion.orientations, later.orientations),
        velocities=both(motion.velocities, later.velocities),
        angular_velocities=both(motion.angular_velocities, later.angular_velocities),
        in_view=both(motion.in_view, later.in_view),
        collisions=(*before, *after),
    )


def _frame(collision: Collision) -> int:
    return collision.step // STEPS_PER_FRAME


def _misfits(problem: Problem, motion: Motion) -> np.ndarray:
    """float64 [shown frame]: mean squares of the worst body's deviations from the target, in windows."""
    measured = problem.measured
    frames = measured.weights.shape[1]
    deviations = np.empty((1, frames, motion.bodies, 3))
    centres = pixels_of(motion.positions[:frames, :, :2])
    deviations[0, ..., :2] = (centres - measured.centres[0]) * measured.weights[0][..., None]
    orientations = motion.orientations[:frames]
    yaws = 2.0 * np.arctan2(orientations[..., 3], orientations[..., 0])
    deviations[0, ..., 2] = nearest_turns(yaws - measured.yaws[0], measured.turns[0]) * measured.yaw_weights[0]
    costs = (CAUCHY**2 * np.log1p(squares_of(deviations) / CAUCHY**2)).sum(axis=-1)
    return np.asarray(window_misfits(measured, np.zeros(1, int), costs)[0])


MAX_LATE_MISFIT = 2.2
"""If the last shown frames deviate more than this, they are fitted again before the future is simulated."""
LATE_FRAMES = 30


def fitted_start(fit: SetFit) -> InitialState:
    """The start of the target's bodies."""
    start = fit.target.start[0]
    return InitialState.on_table(fit.bodies, start[:, :2], start[:, 4], start[:, 2:4])


def fitted_scene(fit: SetFit, refit: bool = True) -> SymbolicScene:
    """The scene, from the fitted start; with `refit`, frames that deviate are fitted again from later states."""
    bodies, start = fit.bodies, fitted_start(fit)
    motion = simulate(bodies, start, TARGET_FRAMES)
    misfits = fit.misfits
    if refit and fit.problem.is_uncertain:
        motion, misfits = motion_in_pieces(fit.problem, fit.target, bodies, motion)
    if refit and misfits[-LATE_FRAMES:].max() > MAX_LATE_MISFIT:
        first = SHOWN_FRAMES - LATE_FRAMES
        motion = continued_motion(fit.problem, fit.target, bodies, motion, (first, SHOWN_FRAMES), SHOWN_FRAMES)
    shown = events_of(bodies, motion, 0, SHOWN_FRAMES)
    return SymbolicScene(
        bodies=bodies,
        motion=motion,
        shown_events=shown,
        future_events=events_of(bodies, motion, SHOWN_FRAMES, TARGET_FRAMES),
        altered_events=SimulatedAlterations(bodies, start, shown),
    )


class FittedMotions(Mapping[Alteration | None, np.ndarray]):
    """Places [frame, body, 3] in the target with its future (None) and after changes, simulated when asked for."""

    def __init__(self, fit: SetFit, scene: SymbolicScene) -> None:
        self.fit, self.scene = fit, scene

    @cached_property
    def keys_in_order(self) -> tuple[Alteration | None, ...]:
        """All keys."""
        return (None, *alterations(self.fit.bodies))

    def __getitem__(self, change: Alteration | None) -> np.ndarray:
        if change not in self.keys_in_order:
            raise KeyError(change)
        if change is None:
            return self.scene.motion.positions
        return simulate(change.apply(self.fit.bodies), fitted_start(self.fit), SHOWN_FRAMES).positions

    def __iter__(self) -> Iterator[Alteration | None]:
        return iter(self.keys_in_order)

    def __len__(self) -> int:
        return len(self.keys_in_order)
