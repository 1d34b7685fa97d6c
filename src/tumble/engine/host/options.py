"""How to roll out, and what comes back."""

from dataclasses import dataclass

import numpy as np

from tumble.engine.host.states import States

EVENT = np.dtype(
    [
        ("world", np.int32),
        ("step", np.int32),
        ("begin", np.bool_),
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("point", np.float32, 2),
        ("normal", np.float32, 2),
        ("approach_speed", np.float32),
        ("impulse", np.float32),
    ]
)
"""A contact begins or ends. The point is in scene units, the normal points from A to B, speed and impulse are in m/s
and kg m/s. The impulse of a begin is what passed in that step; of an end, what passed in all."""


LARGEST_COUNT = 10_000_000
MOST_THREADS = 1024


class OptionsError(ValueError):
    """An option that can't be, and what it could be."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number)


@dataclass(frozen=True)
class Options:
    """How to roll out; the defaults are PHYRE's."""

    dt: float = 1.0 / 60.0
    """Seconds per step."""
    velocity_iterations: int = 15
    position_iterations: int = 20
    max_steps: int = 1000
    stride: int = 0
    """Keep poses of every so many steps, the start included; 0 keeps none."""
    velocities: bool = False
    """Keep velocities beside the poses."""
    events: bool = False
    """Keep a list of contact events."""
    only_bullets: bool = False
    """Only bullets are kept from passing through static bodies, not every dynamic body."""
    device: str = "cpu"
    threads: int = 0
    """CPU threads; 0 for all cores."""
    chunk: int = 0
    """Worlds held in memory at once; 0 lets the engine choose."""
    share_past: bool = True
    """Record scenes once and branch variants off where they first differ, where that is possible.

    Neither this nor `threads` nor `chunk` changes a result."""

    def __post_init__(self) -> None:
        if not _is_number(self.dt) or not 0.0 < self.dt <= 1.0:
            raise OptionsError(f"dt must be above 0 and at most 1 second, not {self.dt!r}")
        for name in ("velocity_iterations", "position_iterations", "max_steps", "stride", "threads", "chunk"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or not 0 <= value <= LARGEST_COUNT:
                raise OptionsError(f"{name} must be a whole number from 0 to {LARGEST_COUNT}, not {value!r}")
            object.__setattr__(self, name, int(value))
        if self.threads > MOST_THREADS:
            raise OptionsError(f"threads must be at most {MOST_THREADS}, not {self.threads}")
        if self.velocities and not self.stride:
            raise OptionsError("velocities are kept with poses: set stride to 1 or more")


@dataclass(frozen=True)
class Rollouts:
    """What came of each world. Absent bodies, and frames after a world's end, are NaN."""

    verdicts: np.ndarray
    """int8 [worlds]: what the rule said, 0 if it never decided."""
    steps: np.ndarray
    """int32 [worlds]: steps made until then, with those before a kept state that it went on from."""
    frames: np.ndarray
    """int32 [frames]: the steps, counted from where the rollout began, at which poses were kept."""
    poses: np.ndarray
    """float32 [worlds, frames, bodies, (x, y, angle)], in scene units and radians."""
    velocities: np.ndarray
    """float32 [worlds, frames, bodies, (x, y, angular)], in scene units and radians per second."""
    events: np.ndarray
    """EVENT [n], ordered by world, then as they happened."""
    notes: np.ndarray
    """int32 [worlds, n]: what the rule kept for each world."""
    states: States | None = None
    """The worlds at their end, where these were to be kept."""
