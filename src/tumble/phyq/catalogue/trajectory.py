"""Ballistic flight until the first contact: paths of releases, and releases that reach a target.

A bird starts where it was pulled to, with LAUNCH_SPEED per unit of stretch, and is integrated by semi-implicit Euler
in steps of STEP. After a time t its position is

    start + velocity t - (0, FALL t (t + STEP) / 2)

which is exact for whole numbers of steps; in between, the curve stays within 0.0003 of the simulated polyline.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from tumble.errors import TumbleError
from tumble.phyq.catalogue.physics import FALL, GROUND_Y, LAUNCH_SPEED, REST_OFFSET, SLINGSHOT, STEP, STRETCH_LIMIT
from tumble.scene import Vec

REST_POINT = (SLINGSHOT[0] + REST_OFFSET[0], SLINGSHOT[1] + REST_OFFSET[1])
"""The rest point of the default slingshot."""
DISCRETE_ANGLES = tuple(float(action - 90) for action in range(180))
"""Flight angles of the 180 discrete actions, all at full stretch: action 0 is straight down, action 90 is flat."""
LONGEST_FLIGHT = 20.0
"""Seconds after which every bird has been removed."""
_ENVELOPE_SPACING = 0.01


class ReleaseError(TumbleError):
    """An invalid release, pull or discrete action."""


@dataclass(frozen=True)
class Release:
    """A launch at `angle` degrees above the horizontal, with a pull of length `stretch`, above 0 and up to 1."""

    angle: float
    stretch: float = STRETCH_LIMIT

    def __post_init__(self) -> None:
        if not math.isfinite(self.angle):
            raise ReleaseError(f"the angle must be a finite number of degrees, got {self.angle!r}")
        if not 0.0 < self.stretch <= STRETCH_LIMIT:
            raise ReleaseError(f"the stretch must be above 0 and at most {STRETCH_LIMIT:g}, got {self.stretch!r}")

    @property
    def pull(self) -> Vec:
        """Vector from the rest point to the release point."""
        turn = math.radians(self.angle)
        return -self.stretch * math.cos(turn), -self.stretch * math.sin(turn)

    @property
    def velocity(self) -> Vec:
        """Launch velocity."""
        x, y = self.pull
        return -LAUNCH_SPEED * x, -LAUNCH_SPEED * y


def release_of_pull(dx: float, dy: float) -> Release:
    """The release of a bird that is pulled by (dx, dy) from its rest point; longer pulls are cut to STRETCH_LIMIT."""
    length = math.hypot(dx, dy)
    if not (math.isfinite(length) and length > 0.0):
        raise ReleaseError(f"a pull must have a finite length above 0, got ({dx!r}, {dy!r})")
    return Release(math.degrees(math.atan2(-dy, -dx)), min(length, STRETCH_LIMIT))


def discrete_release(action: int) -> Release:
    """The release of one of the 180 discrete actions."""
    if not 0 <= action < len(DISCRETE_ANGLES):
        raise ReleaseError(f"no action {action}; there are 0 to {len(DISCRETE_ANGLES) - 1}")
    return Release(DISCRETE_ANGLES[action])


def position_at(release: Release, time: float | np.ndarray, rest: Vec = REST_POINT) -> np.ndarray:
    """The bird's position [2] after a time, or positions [n, 2] after times [n]."""
    t = np.asarray(time, float)
    (px, py), (vx, vy) = release.pull, release.velocity
    return np.stack([rest[0] + px + vx * t, rest[1] + py + vy * t - FALL * t * (t + STEP) / 2.0], axis=-1)


def path(release: Release, seconds: float = LONGEST_FLIGHT, rest: Vec = REST_POINT) -> np.ndarray:
    """The bird's positions [steps + 1, 2] after 0, 1, 2, … steps."""
    return position_at(release, STEP * np.arange(round(seconds / STEP) + 1), rest)


def landing(release: Release, rest: Vec = REST_POINT) -> np.ndarray:
    """The bird's position [2] after the first step that ends at or below the ground."""
    points = path(release, LONGEST_FLIGHT, rest)
    return np.asarray(points[np.argmax(points[:, 1] <= GROUND_Y)])


def releases_to(target: Vec, stretch: float = STRETCH_LIMIT, rest: Vec = REST_POINT) -> tuple[Release, ...]:
    """The low and the high release of a given stretch that fly through a point; empty where it is out of reach.

    >>> [round(release.angle, 1) for release in releases_to((0.0, 0.0))]
    [30.4, 70.1]
    """
    x, y = target[0] - rest[0], target[1] - rest[1]
    found = []
    for time in _arrival_times(x, y, stretch):
        angle = math.degrees(math.atan2(y + FALL * time * (time + STEP) / 2.0, x))
        found.append(Release(angle, stretch))
    return tuple(sorted(found, key=lambda release: release.angle))


def _arrival_times(x: float, y: float, stretch: float) -> list[float]:
    """Times at which a release of this stretch, at the right angle, is at (x, y) from the rest point.

    With k = FALL / 2 they solve x² + (y + k t (t + STEP))² = stretch² (LAUNCH_SPEED t - 1)², of degree four in t.
    """
    k, square = FALL / 2.0, stretch * stretch
    coefficients = [
        k * k,
        2.0 * k * k * STEP,
        k * k * STEP * STEP + 2.0 * k * y - square * LAUNCH_SPEED**2,
        2.0 * k * y * STEP + 2.0 * square * LAUNCH_SPEED,
        x * x + y * y - square,
    ]
    roots = np.roots(coefficients)
    real = sorted(float(root.real) for root in roots if abs(root.imag) < 1e-7 and root.real * LAUNCH_SPEED > 1.0)
    return real[:1] + real[-1:] if len(real) > 1 else real


def stretch_to(target: Vec, angle: float, rest: Vec = REST_POINT) -> Release | None:
    """The release of a given angle that flies through a point, if some stretch does."""
    x, y = target[0] - rest[0], target[1] - rest[1]
    cosine = math.cos(math.radians(angle))
    if x * cosine <= 0.0:
        return None
    fall = x * math.tan(math.radians(angle)) - y
    square = STEP * STEP / 4.0 + 2.0 * fall / FALL
    time = math.sqrt(square) - STEP / 2.0 if square >= 0.0 else 0.0
    if time * LAUNCH_SPEED <= 1.0:
        return None
    stretch = x / (cosine * (LAUNCH_SPEED * time - 1.0))
    if not 0.0 < stretch <= STRETCH_LIMIT + 1e-9:
        return None
    return Release(angle, min(stretch, STRETCH_LIMIT))


def envelope(x: float | np.ndarray) -> np.ndarray:
    """The greatest height that full stretch reaches at x, right of the default slingshot."""
    grid, heights = _envelope_table()
    return np.asarray(np.interp(x, grid, heights))


def within_reach(target: Vec, margin: float = 0.0) -> bool:
    """Whether some shot at full stretch passes within `margin` of a point, obstacles aside."""
    return bool(target[1] <= float(envelope(target[0])) + margin)


@cache
def _envelope_table() -> tuple[np.ndarray, np.ndarray]:
    grid = np.arange(REST_POINT[0] + 0.5, 20.0, _ENVELOPE_SPACING)
    angles = np.radians(np.arange(1.0, 89.9, 0.05))[:, None]
    time = ((grid - REST_POINT[0]) / np.cos(angles) + 1.0) / LAUNCH_SPEED
    heights = REST_POINT[1] + np.sin(angles) * (LAUNCH_SPEED * time - 1.0) - FALL * time * (time + STEP) / 2.0
    return grid, heights.max(axis=0)
