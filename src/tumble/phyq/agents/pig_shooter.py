"""Pig Shooter: shoots at the centre of a pig, regardless of obstacles, as the published program does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.draws import Draws
from tumble.phyq.agents.agent import Agent, AttemptState, SettingError
from tumble.phyq.agents.draws import draws_for
from tumble.phyq.agents.planner import Pixel, PixelBox, Planner
from tumble.phyq.observation.camera import to_pixels, to_world
from tumble.phyq.observation.symbolic import sling_corners, whole_pixels
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot, shot_from
from tumble.phyq.tasks.task import Task
from tumble.runs.given import Given

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
