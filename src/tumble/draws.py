"""Random draws that are the same on every machine: they hang on a text and on nothing else."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Draws:
    """Draws seeded by a text; only the generator's bits are NumPy's, the arithmetic is Python's own."""

    def __init__(self, seed: str) -> None:
        digest = sha256(seed.encode()).digest()
        self._generator = np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))

    def between(self, low: float, high: float) -> float:
        """A number from `low` to `high`, all equally likely."""
        return low + (high - low) * float(self._generator.random())

    def one_of(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[int(len(items) * float(self._generator.random()))]
