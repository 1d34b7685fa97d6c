"""Matches the bodies that a model found to the true ones: by where they are seen, else by their looks."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.observation.camera import CAMERA

MAX_DISTANCE = 0.05
"""Between the centres of matched bodies, on average, as a share of the picture's width: about half a body."""
MAX_DIFFERENT = 2
"""Attributes of looks in which bodies that are matched by looks may differ."""
MAX_FOUND = 7
"""Bodies that are tried; a set has five at most."""
UNMATCHED = 1e6


def match_by_looks(found: Sequence[Body], true: Sequence[Body]) -> tuple[int | None, ...]:
    """For each true body the one found that looks like it; None if there is none.

    >>> red, blue = Body("red", "metal", "cube"), Body("blue", "metal", "cube")
    >>> match_by_looks([blue, Body("red", "metal", "sphere")], [red, blue])
    (1, 0)
    """
    different = [[sum(map(str.__ne__, one.appearance, other.appearance)) for other in found] for one in true]
    return _assigned(np.array(different, float).reshape(len(true), len(found)), MAX_DIFFERENT)


def match_by_place(perception: Perception, motion: Motion) -> tuple[int | None, ...]:
    """For each true body the one found in the target that is where it is, over the frames in which both are seen."""
    true = CAMERA.project(motion.positions[:SHOWN_FRAMES])[..., :2]
    video = perception.target
    costs = np.full((motion.bodies, len(perception.appearances)), UNMATCHED)
    for column, body in enumerate(video.members):
        frames = min(video.frames, len(true))
        for one in range(motion.bodies):
            both = video.seen[:frames, column] & motion.in_view[:frames, one]
            if both.any():
                offsets = (video.centres[:frames, column] - true[:frames, one])[both] * (1.0, 1.0 / CAMERA.aspect)
                costs[one, body] = np.linalg.norm(offsets, axis=-1).mean()
    return _assigned(costs, MAX_DISTANCE)


def _assigned(costs: np.ndarray, most: float) -> tuple[int | None, ...]:
    """The assignment with the least sum of costs [true, found], without pairs that cost more than `most`."""
    trues, founds = len(costs), min(costs.shape[1], MAX_FOUND)
    capped = np.where(costs[:, :founds] > most, UNMATCHED, costs[:, :founds])
    padded = np.concatenate([capped, np.full((trues, max(trues - founds, 0)), UNMATCHED)], axis=1)
    rows = np.arange(trues)
    best = min(permutations(range(padded.shape[1]), trues), key=lambda order: padded[rows, list(order)].sum())
    return tuple(body if padded[row, body] < UNMATCHED else None for row, body in enumerate(best))
