"""Pig Shooter: shoots at the centre of a pig, regardless of obstacles, as the published program does.

Its trajectory planner works in whole pixels, as that agent sees the level. Constants, roundings and peculiarities
are facts about the published agent: with them, the shots and taps of the unchanged program are reproduced exactly.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.draws import Draws
from tumble.phyq.agents.agent import Agent, AttemptState, SettingError, draws_for
from tumble.phyq.catalogue.physics import FALL
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.observation.camera import to_pixels, to_world
from tumble.phyq.observation.symbolic import sling_corners, whole_pixels
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot, shot_from
from tumble.runs.participant import Given

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


OUT_OF_REACH = (-600, 560)
"""The release point for pigs that are out of reach."""
TAPS = {"yellow": (65, 89), "white": (50, 69), "blue": (65, 84)}
"""The range of taps in per cent of the way to the pig; red and black birds are not tapped."""


@dataclass
class PigShooter(Agent):
    """The published agent picks a random pig, and the low or the high trajectory at random."""

    pig: str = "random"
    """random or first."""
    trajectory: str = "random"
    """random, low or high."""
    seed: int = 0
    uses_past = False

    def __post_init__(self) -> None:
        if self.pig not in ("random", "first"):
            raise SettingError(f"pig must be random or first, not {self.pig!r}")
        if self.trajectory not in ("random", "low", "high"):
            raise SettingError(f"trajectory must be random, low or high, not {self.trajectory!r}")

    def given(self) -> Given:
        return Given(tasks=("boxes",))

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        draws = draws_for(self.seed, state)
        planner = Planner(pixel_box(sling_corners(task.level.slingshot)))
        pigs = [obj for obj in state.objects if obj.kind == "pig"]
        pig = draws.one_of(pigs) if self.pig == "random" else pigs[0]
        target = pixel_box(pig.corners).swapped_centre
        release = self._release(planner, target, draws)
        taps = TAPS.get(state.birds[0])
        tap = planner.tap_ms(release, target[0], draws.one_of(range(taps[0], taps[1] + 1))) if taps else 0
        point = to_world(*sent_release(planner, release))
        return shot_from(point, rest=task.level.rest_point, tap_ms=tap if tap > 0 else None)

    def _release(self, planner: Planner, target: tuple[float, float], draws: Draws) -> Pixel:
        releases = planner.releases_to(target)
        low_or_high = draws.one_of((0, -1)) if self.trajectory == "random" else {"low": 0, "high": -1}[self.trajectory]
        return releases[low_or_high] if releases else OUT_OF_REACH


def pixel_box(corners: np.ndarray) -> PixelBox:
    """The box in whole pixels of corners [n, 2] in world units."""
    pixels = whole_pixels(to_pixels(corners))
    (left, top), (right, bottom) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
    return PixelBox(left, top, right - left, bottom - top)


def sent_release(planner: Planner, release: Pixel) -> Pixel:
    """The release point that reaches the game, by default 5 pixels right of and 4 below the planned one.

    The published agent subtracts the slingshot's corner, and its wrapper adds the reference point.
    """
    (x, y), (left, top), (reference_x, reference_y) = release, planner.sling.corner, planner.reference
    return x - left + reference_x, y - top + reference_y
