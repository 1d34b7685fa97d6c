"""How the bodies of one video move: plain arrays, one row for each frame."""

from dataclasses import dataclass

import numpy as np

DECIMALS = 6
"""Motion is rounded once, when it is made, so that what is read from disk has the same events."""


@dataclass(frozen=True)
class Collision:
    """Two bodies (first < second) that come together, at a step of the physics."""

    step: int
    first: int
    second: int

    @property
    def pair(self) -> tuple[int, int]:
        """The two bodies."""
        return self.first, self.second


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of some bodies; frame 0 is the start. Units and radians, per second; z is up and the table at 0."""

    positions: np.ndarray
    """float64 [frame, body, 3]: the bodies' middles."""
    orientations: np.ndarray
    """float64 [frame, body, 4]: unit quaternions, the real part first."""
    velocities: np.ndarray
    """float64 [frame, body, 3]."""
    spins: np.ndarray
    """float64 [frame, body, 3]: angular velocities in the world's axes."""
    inside: np.ndarray
    """bool [frame, body]: whether the camera sees the body's middle."""
    collisions: tuple[Collision, ...] = ()
    """Debounced (see `events.collisions_of`), in the order of their steps; also those out of view."""

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.positions)

    @property
    def bodies(self) -> int:
        """The number of bodies."""
        return int(self.positions.shape[1])
