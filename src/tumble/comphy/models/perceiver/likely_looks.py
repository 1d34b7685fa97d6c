"""The likeliest different looks of the bodies of a set, which has few shapes and materials."""

import numpy as np

from tumble.comphy.models.perceiver.looks import Evidence
from tumble.comphy.models.perceiver.sampling import look_counts
from tumble.comphy.tasks.world import ObjectWorld

MOST_SHAPES, MOST_MATERIALS = 4, 3
"""In a set of the div world."""
BEAM = 100
"""Choices for some of the bodies that are kept while those of the others are added."""


def likely_looks(bodies: list[Evidence], world: ObjectWorld) -> list[int]:
    """The look of each body: the choice of highest probability of all that a set can have."""
    number = np.arange(np.prod(look_counts(world)))
    _, material, shape = np.unravel_index(number, look_counts(world))
    chosen = np.zeros((1, 0), np.int64)  # [choice, body]
    totals = np.zeros(1)
    for body in bodies:
        is_possible = _with_each(material[chosen], material) <= MOST_MATERIALS
        is_possible &= _with_each(shape[chosen], shape) <= MOST_SHAPES
        is_possible &= (chosen[:, :, None] != number).all(axis=1)
        longer = np.where(is_possible, totals[:, None] + body.looks().ravel(), -np.inf)
        best = np.argsort(-longer, axis=None, kind="stable")[: min(BEAM, int(is_possible.sum()))]
        rows, looks = np.unravel_index(best, longer.shape)
        chosen, totals = np.column_stack([chosen[rows], looks]), longer[rows, looks]
    return [int(look) for look in chosen[0]]


def _with_each(words: np.ndarray, added: np.ndarray) -> np.ndarray:
    """int [choice, look]: how many different words choices [choice, body] have with the word of each look."""
    counts = np.array([len(set(row)) for row in words.tolist()], np.int64)
    return np.asarray(counts[:, None] + (words[:, :, None] != added).all(axis=1))
