"""How a device steps worlds: by fused kernels, which make whole steps, or in phases, a kernel for each part.

`stepping_for` chooses, and the settings are those that were fastest on an H200. None of it changes any result.

Where there is a lane of a GPU for each world, `place_worlds` says which has which. Lanes of a block wait for each
other between the parts of a step, and lanes of a warp at every branch; the block with the most to do decides how long
a rollout takes. So a block has worlds that take about the same time, and the fewer of them the more time they take,
spread over all of its warps. Those that take longest begin first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from tumble.engine.rollout.kernels import NO_WORLD
from tumble.engine.rollout.phases import WARP
from tumble.engine.rules.rule import Rule

MULTIPROCESSORS = 132
"""Of an H200; another number changes only the speed."""


@dataclass(frozen=True)
class FusedSettings:
    """How a GPU runs fused kernels (`rollout/kernels.py`)."""

    block: int = 768
    """Threads of a block, which wait for each other between the parts of a step."""
    blocks_per_processor: int = 1
    """Blocks that a multiprocessor runs at a time."""
    registers: int = 80
    """Registers of a thread, at most: a multiprocessor has 65,536 for all its threads."""
    waves: float = 0.0
    """Blocks for each multiprocessor where every world has a lane, and blocks have fewer worlds the longer these take
    (`placement.py`); 0: lanes take worlds from a queue."""
    exponent: float = 1.5
    """A world takes about as long as the number of its moving bodies to this power."""

    def lanes_for(self, worlds: int, most: int) -> int:
        """The lanes for a number of worlds: whole blocks, about `most` lanes at most."""
        blocks = min(-(-worlds // self.block), MULTIPROCESSORS * self.blocks_per_processor, most // self.block)
        return max(1, blocks) * self.block


MANY_WORLDS = FusedSettings()
FEW_WORLDS = FusedSettings(block=512, registers=128, waves=1.5)
"""Where large blocks would leave multiprocessors idle; with half the threads, each may have twice the registers."""


@dataclass(frozen=True)
class PhaseSettings:
    """How steps are made in phases (`rollout/phases.py`)."""

    lanes: int = 524288
    """Worlds that are stepped together, at most: those that begin later also end later."""
    group: int = 4096
    """Lanes that are sorted together."""
    block: int = 128
    """Threads of a block."""
    registers: int = 128
    """Registers of a thread, at most."""
    graph_steps: int = 16
    """Steps that the host has the GPU make at a time; free lanes take new worlds before them."""
    large_from: int = 4
    """Constraints from which on a team of threads solves an island."""
    team: int = 8
    """Threads of a team on a GPU, a power of two up to 32."""

    def lanes_for(self, worlds: int, most: int) -> int:
        """The lanes for a number of worlds: whole groups, about `most` lanes at most."""
        wanted = max(1, min(worlds, self.lanes, most))
        group = self.group_of(wanted)
        return -(-wanted // group) * group

    def group_of(self, lanes: int) -> int:
        """The lanes of a group where there are that many in all."""
        return min(self.group, -(-lanes // WARP) * WARP)


Stepping = FusedSettings | PhaseSettings

_forced: Stepping | None = None


def stepping_for(is_cpu: bool, rule: Rule | None, worlds: int) -> Stepping:
    """How a device steps this number of worlds under a rule.

    A GPU makes steps in phases under resumable rules, as of games: their worlds run until they rest, and a few have
    much more to do than the others. Fused kernels are faster for short rollouts of small worlds, and on a CPU always.
    """
    if _forced is not None:
        return _forced
    in_phases = rule is not None and rule.resumable and not is_cpu
    if in_phases:
        return PhaseSettings()
    return FEW_WORLDS if worlds <= MULTIPROCESSORS * FEW_WORLDS.block else MANY_WORLDS


@contextmanager
def stepped_by(settings: Stepping) -> Iterator[None]:
    """Has all devices step all worlds this way meanwhile: for measurements, for tests, and to compile kernels."""
    global _forced
    before, _forced = _forced, settings
    try:
        yield
    finally:
        _forced = before


FROM_QUEUE = np.zeros(0, np.int32)
"""As the worlds of lanes: each lane takes the next world of the queue whenever it has none."""


def place_worlds(moving: np.ndarray, block: int, waves: float, exponent: float) -> np.ndarray:
    """int [lanes]: the world of each lane, or NO_WORLD, for whole blocks of this number of lanes.

    `moving` [worlds] is the number of bodies of each world that can move; a world takes about as long as that number
    to the power of `exponent`. Neighbouring worlds are alike. There are about `waves` blocks for each multiprocessor,
    more if they would have more than a world for each lane.
    """
    cost = np.maximum(moving, 1) ** exponent
    share = cost.sum() / (MULTIPROCESSORS * waves)
    batches: list[np.ndarray] = []
    for level in np.unique(cost)[::-1]:
        alike = np.flatnonzero(cost == level)
        size = min(block, int(np.ceil(share / level)))
        batches += np.array_split(alike, -(-len(alike) // size))
    lanes = np.full((len(batches), block // WARP, WARP), NO_WORLD, np.int32)
    for worlds, warps in zip(batches, lanes, strict=True):
        each = -(-len(worlds) // len(warps))
        place = np.arange(len(worlds))
        warps[place // each, place % each] = worlds
    return lanes.reshape(-1)
