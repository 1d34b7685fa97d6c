"""Which devices step worlds in phases (`rollout/phases.py`) instead of in one fused kernel, and how."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tumble.engine.rollout.work_list import CLASS_SIZES, WARP


@dataclass(frozen=True)
class PhaseSettings:
    """How phases run; none of it changes any result."""

    lanes: int = 131072
    """Worlds that are stepped together, at most."""
    group: int = 4096
    """Lanes that are sorted together."""
    classes: int = len(CLASS_SIZES)
    """Classes of work by which they are sorted; 1 for no sorting."""
    block: int = 128
    """Threads of a block."""
    registers: int = 128
    """Registers of a thread, at most."""
    graph_steps: int = 16
    """Steps that the host has the GPU make at a time; free lanes take new worlds before them."""
    island_threads: int = 2
    """Threads for the islands of a lane."""
    interleaved: bool = False
    """Whether lanes lie interleaved; sorted lanes are seldom neighbours, so that contiguous ones need less traffic."""

    def lanes_for(self, worlds: int, most: int) -> int:
        """The lanes for a number of worlds: whole groups, about `most` lanes at most."""
        wanted = max(1, min(worlds, self.lanes, most))
        group = self.group_of(wanted)
        return -(-wanted // group) * group

    def group_of(self, lanes: int) -> int:
        """The lanes of a group where there are that many in all."""
        return min(self.group, -(-lanes // WARP) * WARP)


PHASED_DEVICES = frozenset({"cuda"})
"""Kinds of devices that step worlds in phases: "cpu", "cuda"."""

_devices = PHASED_DEVICES
_settings = PhaseSettings()


def settings_for(device: Any) -> PhaseSettings | None:
    """The settings of a device that steps in phases, or None."""
    return _settings if ("cpu" if device.is_cpu else "cuda") in _devices else None


@contextmanager
def phased_on(*devices: str, settings: PhaseSettings | None = None) -> Iterator[None]:
    """Has these kinds of devices, and no other, step worlds in phases meanwhile: for measurements and tests."""
    global _devices, _settings
    before = _devices, _settings
    _devices, _settings = frozenset(devices), settings or PhaseSettings()
    try:
        yield
    finally:
        _devices, _settings = before
