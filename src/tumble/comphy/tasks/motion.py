"""How the bodies of one video move: plain arrays with one row for each frame."""

from dataclasses import dataclass

import numpy as np

DECIMALS = 6
"""Motion is rounded once, when it is simulated, so that motion read from disk has the same events."""


@dataclass(frozen=True)
class Collision:
    """Two bodies (first < second) that collide, at a step of the physics."""

    step: int
    first: int
    second: int

    @property
    def pair(self) -> tuple[int, int]:
        """The two bodies."""
        return self.first, self.second


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of some bodies; frame 0 is the start. Units and radians, per second; z points up, the table is z = 0."""

    positions: np.ndarray
    """float64 [frame, body, 3]: the bodies' centres."""
    orientations: np.ndarray
    """float64 [frame, body, 4]: unit quaternions, the real part first."""
    velocities: np.ndarray
    """float64 [frame, body, 3]."""
    angular_velocities: np.ndarray
    """float64 [frame, body, 3], in the world's axes."""
    in_view: np.ndarray
    """bool [frame, body]: whether the camera sees the body's centre."""
    collisions: tuple[Collision, ...] = ()
    """Debounced (see `events.debounced_collisions`), by step; those out of view too."""

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.positions)

    @property
    def bodies(self) -> int:
        """The number of bodies."""
        return int(self.positions.shape[1])
