"""The options and the results of a rollout."""

from dataclasses import dataclass

import numpy as np

from tumble.engine.host.states import States
from tumble.errors import TumbleError

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
and kg m/s. The impulse of a begin event is that of its step, of an end event the sum since the begin."""

LARGEST_COUNT = 10_000_000
MOST_THREADS = 1024


class OptionsError(TumbleError):
    """An option that is out of range, and what is allowed."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number)


@dataclass(frozen=True)
class Options:
    """The options of a rollout."""

    dt: float = 1.0 / 60.0
    """Seconds per step."""
    velocity_iterations: int = 15
    position_iterations: int = 20
    max_steps: int = 1000
    stride: int = 0
    """Steps between the frames that are kept, the start included; 0 keeps none."""
    velocities: bool = False
    """Keep velocities too."""
    events: bool = False
    """Keep a list of contact events."""
    only_bullets: bool = False
    """Continuous collision acts for bullets only, not for every dynamic body."""
    device: str = "cpu"
    threads: int = 0
    """CPU threads; 0 for all cores."""
    chunk: int = 0
    """Worlds held in memory at once; 0 lets the engine choose."""
    share_past: bool = True
    """Record a scene once and branch its variants off where they first differ, where that is possible.

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
    """The results of a rollout. Absent bodies, and frames after a world's end, are NaN."""

    verdicts: np.ndarray
    """int8 [worlds]: the rule's verdict, 0 if it never decided."""
    steps: np.ndarray
    """int32 [worlds]: steps made until then, including those before a state that it was resumed from."""
    frames: np.ndarray
    """int32 [frames]: the steps of the frames, counted from where the rollout began."""
    poses: np.ndarray
    """float32 [worlds, frames, bodies, (x, y, angle)], in scene units and radians."""
    velocities: np.ndarray
    """float32 [worlds, frames, bodies, (x, y, angular)], in scene units and radians per second."""
    events: np.ndarray
    """EVENT [n], ordered by world, then as they happened."""
    output_ints: np.ndarray
    """int32 [worlds, n]: the rule's output for each world."""
    states: States | None = None
    """The worlds at their end, with `keep_states`."""
