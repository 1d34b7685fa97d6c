"""Random draws that are the same on every machine: they depend on a seed text only."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Draws:
    """Random draws seeded by a text; NumPy supplies only the bits, the arithmetic is Python's.

    >>> draws = Draws("task 7")
    >>> draws.between(-1.0, 1.0)
    -0.38582087019615807
    >>> draws.one_of(["left", "right"])
    'right'
    """

    def __init__(self, seed: str) -> None:
        digest = sha256(seed.encode()).digest()
        self._generator = np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))

    def between(self, low: float, high: float) -> float:
        """A number from `low` to `high`, uniformly distributed."""
        return low + (high - low) * float(self._generator.random())

    def one_of(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[int(len(items) * float(self._generator.random()))]
