"""How a GPU runs the fused kernels (`rollout/kernels.py`), and in which order it takes worlds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from tumble.engine.host.worlds import Worlds

MULTIPROCESSORS = 132
"""Of an H200; another number changes only the speed."""
ORDERS = ("given", "scene", "place", "mixed")
"""Orders in which lanes take worlds: as given; by scene; by scene, then by where the first change lies; random."""


@dataclass(frozen=True)
class FusedSettings:
    """How fused kernels run; none of it changes any result."""

    block: int = 512
    """Threads of a block, which wait for each other between the parts of a step."""
    blocks_per_processor: int = 2
    """Blocks that a multiprocessor runs at a time."""
    registers: int = 64
    """Registers of a thread, at most: few enough for 1,024 threads of a multiprocessor."""
    tile: int = 0
    """Lanes whose items lie interleaved: 0 for all lanes, else a number that divides `block`."""
    order: str = "given"
    """In which order lanes take worlds that share no past: one of ORDERS."""

    def lanes_for(self, worlds: int) -> int:
        """The lanes for a number of worlds: whole blocks."""
        blocks = -(-worlds // self.block)
        return max(1, min(blocks, MULTIPROCESSORS * self.blocks_per_processor)) * self.block


_settings = FusedSettings()


def fused_settings() -> FusedSettings:
    """The settings at the moment."""
    return _settings


@contextmanager
def fused_with(settings: FusedSettings) -> Iterator[None]:
    """Has fused kernels run with other settings meanwhile: for measurements and tests."""
    global _settings
    before, _settings = _settings, settings
    try:
        yield
    finally:
        _settings = before


def in_order(order: str, worlds: Worlds, members: np.ndarray) -> np.ndarray:
    """Some worlds in the order in which lanes take them.

    Neighbouring lanes of a GPU run the same code together as far as their worlds do.
    """
    if order == "given":
        return members
    if order == "mixed":
        return np.random.default_rng(0).permutation(members)
    scene_of = worlds.scene_of[members]
    if order == "scene" or worlds.changes.poses.shape[1] == 0:
        return members[np.argsort(scene_of, kind="stable")]
    return members[np.lexsort((worlds.changes.poses[members, 0, 0], scene_of))]
