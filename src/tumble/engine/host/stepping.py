"""How a device steps worlds: by fused kernels, which make whole steps, or in phases, with a kernel for each part.

`stepping_for` chooses, and the settings are those that were fastest on an H200. None of it changes any result.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tumble.engine.rollout.work_list import WARP
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
