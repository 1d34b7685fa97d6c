"""Random shots at a level that a person makes, some at a time, so that the server keeps nothing and nobody waits long.

The sequences of shots are one long list, always the same for the same birds. A request is answered with what happens
to as many of them as fit into a fraction of a second, and the page asks for the next.
"""

from typing import Any

import numpy as np

from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.level import Level
from tumble.phyq.web.level_data import POWERS
from tumble.web.timed_batches import timed_batches

ANGLES = (-10.0, 85.0)
TAPS = (200.0, 2600.0)
"""Limits of random angles in degrees, and of taps in milliseconds."""
SECONDS = 0.3
"""After which a request is answered."""
MOST_SEQUENCES = 128
"""In an answer, so that there is progress to see."""
TRIVIAL_SHARE = 0.25
"""A level is trivial if this share of random shots wins it; in the paper they win 13.4 % of the easiest scenario."""


def sweep(level: Level, first: int) -> dict[str, Any]:
    """How many sequences of shots from number `first` on win, the next number, and shots that win: JSON values."""
    simulator = Simulator([level], threads=1)
    won, number = 0, first
    solution: list[dict[str, float]] | None = None
    for done, size in timed_batches(SECONDS, MOST_SEQUENCES):
        sequences = [random_shots(level.birds, first + done + k) for k in range(size)]
        episodes = simulator.play([0] * size, sequences)
        won += int(episodes.won.sum())
        rows = np.flatnonzero(episodes.won)
        if solution is None and len(rows):
            row = int(rows[0])
            solution = [_record(shot) for shot in sequences[row][: int(episodes.shots_used[row])]]
        number = first + done + size
    return {
        "counts": {"won": won, "not_won": number - first - won},
        "next": number,
        "solution": solution,
        "trivial_share": TRIVIAL_SHARE,
    }


def random_shots(birds: tuple[str, ...], number: int) -> list[Shot]:
    """A full-stretch shot of each bird at a random angle; birds with a power are tapped at a random time."""
    rng = np.random.default_rng(number)
    shots = []
    for colour in birds:
        angle, tap = round(float(rng.uniform(*ANGLES)), 2), round(float(rng.uniform(*TAPS)), 0)
        shots.append(Shot(angle, tap_ms=tap if POWERS[colour] else None))
    return shots


def _record(shot: Shot) -> dict[str, float]:
    return {"angle": shot.angle} if shot.tap_ms is None else {"angle": shot.angle, "tap_ms": shot.tap_ms}
