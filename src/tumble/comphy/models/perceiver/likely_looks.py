"""The likeliest different looks of the bodies of a set, which has few shapes and materials."""

from math import comb, log

import numpy as np

from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.models.perceiver.looks import Evidence
from tumble.comphy.models.perceiver.sampling import look_counts

MOST_SHAPES, MOST_MATERIALS = 4, 3
"""Shapes and materials that are drawn for a set of the div world (`generation.make_set`); each body has one of each."""
BEAM = 100
"""Choices for some of the bodies that are kept while those of the others are added."""


def likely_looks(bodies: list[Evidence], world: ObjectWorld) -> list[int]:
    """The look of each body: the choice of highest probability of all that a set can have."""
    number = np.arange(np.prod(look_counts(world)))
    _, material, shape = np.unravel_index(number, look_counts(world))
    of_materials, of_shapes = _priors(len(world.materials), MOST_MATERIALS), _priors(len(world.shapes), MOST_SHAPES)
    chosen = np.zeros((1, 0), np.int64)  # [choice, body]
    totals = np.zeros(1)
    for body in bodies:
        longer = totals[:, None] + body.looks().ravel()  # [choice, look]
        ranks = (
            longer + of_materials[_with_each(material[chosen], material)] + of_shapes[_with_each(shape[chosen], shape)]
        )
        ranks[(chosen[:, :, None] == number).any(axis=1)] = -np.inf
        best = np.argsort(-ranks, axis=None, kind="stable")[: min(BEAM, int(np.isfinite(ranks).sum()))]
        rows, looks = np.unravel_index(best, longer.shape)
        chosen, totals = np.column_stack([chosen[rows], looks]), longer[rows, looks]
    return [int(look) for look in chosen[0]]


def _priors(words: int, most: int) -> np.ndarray:
    """By the number of words that occur: the log of the number of ways to draw `most` words with these among them.

    >>> np.exp(_priors(5, 3)).round(6).tolist()
    [10.0, 6.0, 3.0, 1.0, 0.0, 0.0]
    """
    ways = [comb(words - count, most - count) if count <= most else 0 for count in range(words + 1)]
    return np.array([log(number) if number else -np.inf for number in ways])


def _with_each(words: np.ndarray, added: np.ndarray) -> np.ndarray:
    """int [choice, look]: how many different words choices [choice, body] have with the word of each look."""
    counts = np.array([len(set(row)) for row in words.tolist()], np.int64)
    return np.asarray(counts[:, None] + (words[:, :, None] != added).all(axis=1))
