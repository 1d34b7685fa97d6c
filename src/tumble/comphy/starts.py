"""Where bodies begin: drawn so that they meet, on a table where sliding bodies slow down and stop.

Every body but the first is drawn to meet one that was drawn before: some time ahead it is to be where the other would
be, had nothing else happened, and from there its way is followed back to the start. What really happens is left to the
physics. The ranges are tuned to the published motion: over all bodies and all 175 frames of targets, the planar
coordinates x and y, taken together, have a standard deviation of 1.84, and those of the velocity 0.72.
"""

import math
from dataclasses import dataclass

import numpy as np

from tumble.comphy.bodies import Body
from tumble.comphy.camera import CAMERA
from tumble.comphy.constants import HALF_HEIGHTS
from tumble.comphy.physics import DAMPING, FRICTION, GRAVITY, Start
from tumble.draws import Draws

Range = tuple[float, float]
Place = tuple[float, float]
ROOM = 0.7
"""Distance that bodies must have from each other when they start."""
MIDDLE = 1.0
"""The first body passes through a square of so many units to each side of the table's middle."""
MOST_TRIES = 50


@dataclass(frozen=True)
class Style:
    """Ranges from which a video's starts are drawn."""

    times: Range
    """Seconds until a body meets the one that it is aimed at."""
    speeds: Range
    """Units per second that a body has left when it is there."""
    misses: Range
    """Units by which it is aimed past the other's middle."""
    resting: float
    """Share of bodies that stand still at first."""
    reach: float
    """How far from the table's middle a body may start."""
    fastest: float
    """Units per second at the start."""


TARGET = Style((1.0, 3.0), (0.7, 2.3), (0.0, 0.3), 0.1, 5.5, 4.5)
LATE = Style((4.8, 6.6), (0.2, 0.9), (0.0, 0.2), 0.5, 7.0, 4.5)
"""For a body that is to meet another after the shown part."""
REFERENCE = Style((0.2, 1.1), (0.4, 1.8), (0.0, 0.3), 0.15, 4.0, 3.0)
NEAR_MISSES = (0.0, 0.8)
"""Instead of `misses` for a charged pair: to pass each other shows their charge too."""
CHARGED_SPEEDS = (0.3, 1.5)
"""Instead of `speeds`: what goes slowly is turned more."""


@dataclass(frozen=True)
class Way:
    """How a body would go on if nothing happened."""

    shape: str
    place: Place
    angle: float
    speed: float

    def at(self, seconds: float) -> Place:
        """Where it would be."""
        gone = distance_gone(self.shape, self.speed, seconds)
        return self.place[0] + gone * math.cos(self.angle), self.place[1] + gone * math.sin(self.angle)


def draw_start(
    draws: Draws, bodies: tuple[Body, ...], leads: tuple[int, int], style: Style, last: Style
) -> Start | None:
    """A start in which the two leads meet, with a style of its own for the last body; None if there is no room."""
    others = [k for k in range(len(bodies)) if k not in leads]
    ways: dict[int, Way] = {}
    for body in (*leads, *others):
        way = _draw_way(draws, bodies, body, ways, last if others and body == others[-1] else style)
        if way is None:
            return None
        ways[body] = way
    lined = [ways[k] for k in range(len(bodies))]
    return Start.on_table(
        bodies,
        np.array([way.place for way in lined]),
        np.array([draws.between(-math.pi, math.pi) for _ in lined]),
        np.array([(way.speed * math.cos(way.angle), way.speed * math.sin(way.angle)) for way in lined]),
    )


def _draw_way(draws: Draws, bodies: tuple[Body, ...], body: int, ways: dict[int, Way], style: Style) -> Way | None:
    """A way for a body to meet one of those that have a way, or to pass the middle if it is the first."""
    shape = bodies[body].shape
    for _ in range(MOST_TRIES):
        seconds = draws.between(*style.times)
        angle = draws.between(-math.pi, math.pi)
        rests = draws.between(0.0, 1.0) < style.resting
        if ways:
            other = draws.one_of(list(ways))
            both_charged = bodies[body].is_charged and bodies[other].is_charged
            miss = draws.between(*(NEAR_MISSES if both_charged else style.misses))
            speed = draws.between(*(CHARGED_SPEEDS if both_charged else style.speeds))
            meeting = _beside(ways[other].at(seconds), draws.between(-math.pi, math.pi), miss)
            rests = rests and ways[other].speed > 0.0
        else:
            speed = draws.between(*style.speeds)
            meeting = draws.between(-MIDDLE, MIDDLE), draws.between(-MIDDLE, MIDDLE)
        way = Way(shape, meeting, angle, 0.0) if rests else _back_from(shape, meeting, angle, speed, seconds)
        fits = math.hypot(*way.place) < style.reach and way.speed < style.fastest and _seen(shape, meeting)
        if fits and all(math.dist(way.place, own.place) > ROOM for own in ways.values()):
            return way
    return None


def _beside(place: Place, angle: float, distance: float) -> Place:
    return place[0] + distance * math.cos(angle), place[1] + distance * math.sin(angle)


def _seen(shape: str, place: Place) -> bool:
    return bool(CAMERA.sees(np.array([*place, HALF_HEIGHTS[shape]])))


def _back_from(shape: str, place: Place, angle: float, speed: float, seconds: float) -> Way:
    """The way that leads to a place in some time, where it has a speed left."""
    friction, damping = _slowing(shape)
    rest = friction / damping
    growth = math.exp(damping * seconds)
    gone = (speed + rest) * (growth - 1.0) / damping - rest * seconds
    return Way(shape, _beside(place, angle, -gone), angle, (speed + rest) * growth - rest)


def distance_gone(shape: str, speed: float, seconds: float) -> float:
    """How far a body slides or rolls in some time."""
    friction, damping = _slowing(shape)
    rest = friction / damping
    if friction > 0.0:
        seconds = min(seconds, math.log1p(speed / rest) / damping)
    return (speed + rest) * -math.expm1(-damping * seconds) / damping - rest * seconds


def _slowing(shape: str) -> tuple[float, float]:
    """(a, b) of a body's slowing down by a + b * speed."""
    return 0.0 if shape == "sphere" else FRICTION[shape] * GRAVITY, DAMPING[shape]
