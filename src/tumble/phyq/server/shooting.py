"""The shots that clients ask for: release points in pixels, taps and delays in milliseconds."""

import math
from dataclasses import dataclass

from tumble.phyq.observation.camera import PIXELS_PER_UNIT, to_world
from tumble.phyq.server.wire import Code
from tumble.phyq.simulation.shots import LONGEST_WAIT, Shot, shot_from
from tumble.scene import Vec

HUNDREDTHS = 100.0
"""Angles of polar shots are hundredths of a degree."""


@dataclass(frozen=True)
class RequestedShot:
    """A shot of a request."""

    point: Vec
    """The release point in world units."""
    release_ms: int
    """From the previous release, if the world still moves."""
    tap_ms: int
    """From the release; 0 or less for no tap."""

    def shot(self, rest: Vec, moving: bool) -> Shot:
        """The shot from a rest point; raises TumbleError if there is no pull."""
        longest = int(1000 * LONGEST_WAIT)
        tap = float(min(self.tap_ms, longest)) if self.tap_ms > 0 else None
        delay = min(max(self.release_ms, 0), longest) / 1000.0 if moving else None
        return shot_from(self.point, rest, tap_ms=tap, delay=delay)


def cartesian(x: int, y: int, release_ms: int, tap_ms: int) -> RequestedShot:
    """A release at a pixel."""
    return RequestedShot(to_world(float(x), float(y)), release_ms, tap_ms)


def polar(radius: int, angle: int, release_ms: int, tap_ms: int, focus: Vec) -> RequestedShot:
    """A pull of `radius` pixels from a focus point in world units, for a flight at `angle` hundredths of a degree."""
    turn, length = math.radians(angle / HUNDREDTHS), radius / PIXELS_PER_UNIT
    point = focus[0] - length * math.cos(turn), focus[1] - length * math.sin(turn)
    return RequestedShot(point, release_ms, tap_ms)


def of_sequence(code: int, x: int, y: int, first: int, second: int, release_ms: int, tap_ms: int) -> RequestedShot:
    """A shot of a sequence: a focus pixel, then a pull from it (dx, dy; or its length and angle)."""
    if code == Code.SHOOT_POLAR:
        return polar(first, second, release_ms, tap_ms, to_world(float(x), float(y)))
    return cartesian(x + first, y + second, release_ms, tap_ms)
