"""The trajectory planner of the published Pig Shooter, in whole pixels as that agent sees the level.

Its constants, roundings and peculiarities are facts about the published agent: with them, the shots and taps of the
unchanged program are reproduced exactly.
"""

import math
from dataclasses import dataclass

from tumble.phyq.tasks.constants import FALL

WORLD_SCALE = 2.7
"""World units that the planner takes the width plus the height of the slingshot for."""
SPEED = 9.5
"""Launch speed in units/s when the bird passes the slingshot."""
PULL = 5.0
"""Length of a pull in heights of the slingshot, which is far more than full stretch."""
LOW_ADDITION, HIGH_ADDITION = 1e-4, 5e-5
"""Radians that are added to the low and to the high angle per pixel of distance."""
SLING_LENGTH = 0.4
"""Way of a bird from its release to the reference point, in multiples of the scale."""
TAP_FACTOR = 815.0
"""Milliseconds of flight per computed second, until the tap."""

Pixel = tuple[int, int]


@dataclass(frozen=True)
class PixelBox:
    """A box in whole pixels, y down."""

    left: int
    top: int
    width: int
    height: int

    @property
    def corner(self) -> Pixel:
        """The upper left corner."""
        return self.left, self.top

    @property
    def swapped_centre(self) -> tuple[float, float]:
        """The point that the published agents take for the centre: they swap width and height."""
        return self.left + self.height / 2.0, self.top + self.width / 2.0


@dataclass(frozen=True)
class Planner:
    """Plans releases from the box of the slingshot."""

    sling: PixelBox

    @property
    def scale(self) -> int:
        """Pixels of WORLD_SCALE units."""
        return self.sling.width + self.sling.height

    @property
    def reference(self) -> Pixel:
        """The point that flights are computed from, near the rest point."""
        return int(self.sling.left + 0.45 * self.sling.width), int(self.sling.top + 0.35 * self.sling.width)

    def releases_to(self, target: tuple[float, float]) -> list[Pixel]:
        """The release points of the low and the high flight through a pixel; empty if it is out of reach."""
        speed, fall = (value / WORLD_SCALE * self.scale for value in (SPEED, FALL))
        x, y = target[0] - self.reference[0], self.reference[1] - target[1]
        distance = math.hypot(x, y)
        square = speed * speed
        discriminant = square * square - fall * fall * x * x - 2.0 * y * fall * square
        if discriminant < 0.0 or distance == 0.0:
            return []
        found = []
        for root, addition in ((math.sqrt(discriminant), LOW_ADDITION), (-math.sqrt(discriminant), HIGH_ADDITION)):
            cosine = math.sqrt(max(0.0, square - y * fall + root) / (2.0 * square)) * abs(x) / distance
            found.append(self._release(math.acos(min(1.0, cosine)) + addition * distance))
        return found

    def _release(self, angle: float) -> Pixel:
        length = PULL * self.sling.height
        x, y = self.reference
        return int(x - length * math.cos(angle)), int(y + length * math.sin(angle))

    def tap_ms(self, release: Pixel, target_x: float, per_cent: int) -> int:
        """Milliseconds from the release to the tap, at a share of the way from the slingshot to the target."""
        x, y = self.reference
        cosine = math.cos(math.atan2(release[1] - y, x - release[0]))
        tap_x = int(self.sling.left + (target_x - self.sling.left) * per_cent / 100)
        way = (tap_x - x + SLING_LENGTH * self.scale * cosine) / self.scale
        return int(way / (SPEED / WORLD_SCALE * cosine) * TAP_FACTOR)
