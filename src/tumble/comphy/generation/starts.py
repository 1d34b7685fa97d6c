"""Where bodies begin: drawn so that they meet, on a table where sliding bodies slow down and stop.

Every body but the first is drawn to meet one that was drawn before: some time ahead it is to be where the other would
be, had nothing else happened, and from there its way is followed back to the start. What really happens is left to the
physics. The ranges are tuned to the published motion: over all bodies and all 175 frames of targets, the planar
coordinates x and y, taken together, have a standard deviation of 1.84, and those of the velocity 0.72.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import moving
from tumble.comphy.simulation.simulator import DAMPING, FRICTION, GRAVITY, Start
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, HALF_HEIGHTS
from tumble.comphy.tasks.motion import Motion
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


TARGET = Style((1.0, 3.2), (0.9, 2.6), (0.0, 0.3), 0.1, 5.5, 4.5)
LATE = Style((5.1, 6.8), (0.2, 0.9), (0.0, 0.1), 0.5, 7.0, 4.5)
"""For a body that is to meet another after the shown part."""
REFERENCE = Style((0.2, 1.1), (0.4, 1.8), (0.0, 0.3), 0.15, 4.0, 3.0)
NEAR_MISSES = (0.0, 0.8)
"""Instead of `misses` for a charged pair: to pass each other shows their charge too."""
CHARGED_SPEEDS = (0.4, 1.8)
"""Instead of `speeds`: what goes slowly is turned more."""


@dataclass(frozen=True)
class Way:
    """How a body would go on if nothing happened."""

    shape: str
    place: Place
    heading: float
    angle: float
    speed: float

    def at(self, seconds: float) -> Place:
        """Where it would be."""
        return _beside(self.place, self.angle, distance_gone(self.shape, self.speed, seconds))

    def moves_at(self, seconds: float) -> bool:
        """Whether it would still be on its way."""
        return self.speed > 0.0 and seconds < _seconds_until_rest(self.shape, self.speed)


@dataclass(frozen=True, eq=False)
class Course:
    """How a body really moves, as long as nobody else comes."""

    places: np.ndarray
    """[frame, 2]."""
    moves: np.ndarray
    """bool [frame]."""

    @property
    def place(self) -> Place:
        """Where it starts."""
        return float(self.places[0, 0]), float(self.places[0, 1])

    def at(self, seconds: float) -> Place:
        """Where it is."""
        along, across = self.places[int(seconds * FRAMES_PER_SECOND)]
        return float(along), float(across)

    def moves_at(self, seconds: float) -> bool:
        """Whether it moves then."""
        return bool(self.moves[int(seconds * FRAMES_PER_SECOND)])


def draw_ways(
    draws: Draws, bodies: tuple[Body, ...], drawn: Sequence[int], others: Mapping[int, Way | Course], style: Style
) -> dict[int, Way] | None:
    """Ways for some bodies, each to meet one drawn before it or one of the others; None if there is no room."""
    ways: dict[int, Way] = {}
    for body in drawn:
        way = _draw_way(draws, bodies, body, {**others, **ways}, style)
        if way is None:
            return None
        ways[body] = way
    return ways


def courses_of(members: Sequence[int], motion: Motion) -> dict[int, Course]:
    """The courses of a motion's bodies, by their numbers in a set."""
    moves = moving(motion)
    return {body: Course(motion.positions[:, k, :2], moves[:, k]) for k, body in enumerate(members)}


def start_of(bodies: tuple[Body, ...], ways: Mapping[int, Way]) -> Start:
    """The start from which some of a set's bodies go their ways, in the order of their numbers."""
    lined = [ways[k] for k in sorted(ways)]
    return Start.on_table(
        tuple(bodies[k] for k in sorted(ways)),
        np.array([way.place for way in lined]),
        np.array([way.heading for way in lined]),
        np.array([(way.speed * math.cos(way.angle), way.speed * math.sin(way.angle)) for way in lined]),
    )


def _draw_way(
    draws: Draws, bodies: tuple[Body, ...], body: int, others: Mapping[int, Way | Course], style: Style
) -> Way | None:
    """A way for a body to meet one of the others, or to pass the middle if there is none."""
    shape = bodies[body].shape
    for _ in range(MOST_TRIES):
        seconds = draws.between(*style.times)
        heading, angle = draws.between(-math.pi, math.pi), draws.between(-math.pi, math.pi)
        rests = draws.between(0.0, 1.0) < style.resting
        speed = draws.between(*style.speeds)
        meeting = draws.between(-MIDDLE, MIDDLE), draws.between(-MIDDLE, MIDDLE)
        if others:
            other = draws.one_of(list(others))
            both_charged = bodies[body].is_charged and bodies[other].is_charged
            miss = draws.between(*(NEAR_MISSES if both_charged else style.misses))
            speed = draws.between(*CHARGED_SPEEDS) if both_charged else speed
            meeting = _beside(others[other].at(seconds), draws.between(-math.pi, math.pi), miss)
            rests = rests and others[other].moves_at(seconds)
        way = _way_to(shape, meeting, heading, angle, speed, 0.0 if rests else seconds)
        way = replace(way, speed=0.0) if rests else way
        fits = math.hypot(*way.place) < style.reach and way.speed < style.fastest and _seen(shape, meeting)
        if fits and all(math.dist(way.place, own.place) > ROOM for own in others.values()):
            return way
    return None


def _beside(place: Place, angle: float, distance: float) -> Place:
    return place[0] + distance * math.cos(angle), place[1] + distance * math.sin(angle)


def _seen(shape: str, place: Place) -> bool:
    return bool(CAMERA.sees(np.array([*place, HALF_HEIGHTS[shape]])))


def _way_to(shape: str, place: Place, heading: float, angle: float, speed: float, seconds: float) -> Way:
    """The way that leads to a place in some time, where it has a speed left."""
    friction, damping = _slowing(shape)
    rest = friction / damping
    growth = math.exp(damping * seconds)
    gone = (speed + rest) * (growth - 1.0) / damping - rest * seconds
    return Way(shape, _beside(place, angle, -gone), heading, angle, (speed + rest) * growth - rest)


def distance_gone(shape: str, speed: float, seconds: float) -> float:
    """How far a body slides or rolls in some time."""
    friction, damping = _slowing(shape)
    rest = friction / damping
    seconds = min(seconds, _seconds_until_rest(shape, speed))
    return (speed + rest) * -math.expm1(-damping * seconds) / damping - rest * seconds


def _seconds_until_rest(shape: str, speed: float) -> float:
    """When a body stops; spheres never do."""
    friction, damping = _slowing(shape)
    return math.log1p(speed * damping / friction) / damping if friction else math.inf


def _slowing(shape: str) -> tuple[float, float]:
    """(a, b) of a body's slowing down by a + b * speed."""
    return 0.0 if shape == "sphere" else FRICTION[shape] * GRAVITY, DAMPING[shape]
