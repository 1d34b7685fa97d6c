"""Constants, bodies and error bounds of the tests that compare the engine with formulas of mechanics.

Lengths are metres. The engine integrates v += g dt, then x += v dt, so that sums over steps replace integrals; where
a formula of continuous time is tested, its tolerance says how far the two are apart.
"""

from collections.abc import Sequence
from math import pi
from typing import Any

from tumble import engine
from tumble.scene import Body, Circle, Scene, Vec, box

G = 9.8
DT = 1.0 / 60.0
# Settings that Box2D 2.3 publishes.
SLOP = 0.005
SKIN = 2.0 * SLOP
BOUNCE_THRESHOLD = 1.0
FARTHEST_PER_STEP = 2.0
STILL = (0.0, 0.0)
FLOOR = Body((box(400.0, 1.0),), position=(0.0, -0.5))


def play(scenes: Sequence[Scene], steps: int) -> engine.Rollouts:
    """All frames of all scenes, with velocities."""
    return engine.rollout(engine.each(scenes), options=engine.Options(max_steps=steps, stride=1, velocities=True))


def ball(radius: float = 0.5, position: Vec = STILL, velocity: Vec = STILL, **more: Any) -> Body:
    return Body((Circle(radius),), position=position, velocity=velocity, dynamic=True, **more)


def rounding(steps: int, largest: float) -> float:
    """How far sums of `steps` single-precision terms can be off, the numbers being no larger than `largest`.

    A step adds up three rounded numbers, each wrong by at most half a unit in its 24th binary place.
    """
    return 3.0 * steps * 2.0**-24 * largest


def disc_mass(radius: float, density: float = 1.0) -> float:
    return density * pi * radius**2
