"""Other starts for bodies that come into view late: they may have been hit before free flight was measured."""

from dataclasses import replace

import numpy as np

from tumble.comphy.agents.see_and_simulate.fits import Fits, Problem
from tumble.comphy.agents.see_and_simulate.free_flight import states_at_frame_0
from tumble.comphy.agents.see_and_simulate.picture import places_of

RECENT = 30
"""Frames since a body came into view in which it is a candidate."""
SHARE = 0.5
"""Of the starts that are changed, if there is a candidate."""
MAX_SPEED = 3.0
"""Units per second."""


def with_late_entries(problem: Problem, fits: Fits, draws: np.random.Generator) -> Fits:
    """The fits, in some of which a body that came into view shortly before the horizon has another velocity there."""
    measured = problem.measured
    seen = measured.seen[fits.video]
    first = seen.argmax(axis=1)  # [fit, body]
    entered = (first > 0) & seen.any(axis=1) & (first < fits.horizon[:, None])
    late = entered & (fits.horizon[:, None] - first < RECENT)
    rows = np.flatnonzero(late.any(axis=1) & (draws.random(len(fits)) < SHARE))
    if not len(rows):
        return fits
    body = (draws.random(late[rows].shape) * late[rows]).argmax(axis=1)
    video, frame = fits.video[rows], first[rows, body]
    errors = 1.0 / measured.weights[video, frame, body]
    pixels = measured.centres[video, frame, body] + errors[:, None] * draws.standard_normal((len(rows), 2))
    speeds = MAX_SPEED * np.sqrt(draws.random(len(rows)))
    angles = 2.0 * np.pi * draws.random(len(rows))
    velocities = speeds[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    states = np.concatenate([places_of(pixels), velocities], axis=1)
    start = fits.start.copy()
    start[rows, body, :4] = states_at_frame_0(states, measured.shapes[video, body], frame)
    return replace(fits, start=start)
