"""Which devices step worlds in phases (`rollout/phases.py`) instead of in one fused kernel, and how."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tumble.engine.rollout.work_list import WARP


@dataclass(frozen=True)
class PhaseSettings:
    """How phases run; none of it changes any result."""

    lanes: int = 131072
    """Worlds that are stepped together, at most."""
    group: int = 4096
    """Lanes that are sorted together."""
    block: int = 128
    """Threads of a block."""
    registers: int = 128
    """Registers of a thread, at most."""
    phase_registers: tuple[tuple[str, int], ...] = ()
    """The same for the kernels of some phases, by name."""
    graph_steps: int = 16
    """Steps that the host has the GPU make at a time; free lanes take new worlds before them."""
    large_from: int = 8
    """Constraints from which on a team of threads solves an island."""
    team: int = 8
    """Threads of a team on a GPU, a power of two up to 32."""
    tile: int = 32
    """Lanes whose items lie interleaved on a GPU: 1 for contiguous lanes, 0 for all lanes. From 8 on, lanes that lie
    side by side fill the sectors of its cache; sorted lanes seldom do."""
    ascending: bool = True
    """Whether phases over all lanes, unlike those of islands and impacts, take lanes as they lie and not by work."""
    streams: int = 2
    """Parts of the lanes that are stepped independently, side by side, so that one fills the GPU while the few impacts
    of another are resolved."""

    def lanes_for(self, worlds: int, most: int) -> int:
        """The lanes for a number of worlds: whole groups for each stream, about `most` lanes at most."""
        wanted = max(1, min(worlds, self.lanes, most))
        part = -(-wanted // self.streams)
        group = self.group_of(part)
        return -(-part // group) * group * self.streams

    def registers_of(self, phase: str) -> int:
        """The registers of a thread in a phase, at most."""
        return dict(self.phase_registers).get(phase, self.registers)

    def group_of(self, lanes: int) -> int:
        """The lanes of a group where there are that many in all."""
        return min(self.group, -(-lanes // WARP) * WARP)


PHASED_DEVICES = frozenset({"cuda"})
"""Kinds of devices, "cpu" or "cuda", that step worlds in phases where their rule lets no variants share a past.

On an H200 such worlds are rolled out faster in phases, the others by the fused kernel (`docs/engine.md`).
"""

_forced: frozenset[str] | None = None
_settings = PhaseSettings()


def settings_for(device: Any, shares_past: bool) -> PhaseSettings | None:
    """The settings of a device that steps worlds under a rule in phases, or None."""
    kind = "cpu" if device.is_cpu else "cuda"
    if _forced is not None:
        return _settings if kind in _forced else None
    return _settings if kind in PHASED_DEVICES and not shares_past else None


@contextmanager
def phased_on(*devices: str, settings: PhaseSettings | None = None) -> Iterator[None]:
    """Has these kinds of devices, and no other, step all worlds in phases meanwhile: for measurements and tests."""
    global _forced, _settings
    before = _forced, _settings
    _forced, _settings = frozenset(devices), settings or PhaseSettings()
    try:
        yield
    finally:
        _forced, _settings = before
