"""Draws initial states in which bodies meet, on a table where sliding bodies slow down and stop.

Every body but the first is drawn to meet one that was drawn before it: after some time it should be where that one
would be if nothing else happened, and from there its path is followed back to the start. What really happens is left to
the physics. The ranges are tuned to the published motion: over all bodies and all 175 frames of targets, the planar
coordinates x and y, taken together, have a standard deviation of 1.84, and those of the velocity 0.72.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, HALF_HEIGHTS
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import is_moving
from tumble.comphy.simulation.laws import earlier, seconds_until_rest, sliding_distance
from tumble.comphy.simulation.simulator import InitialState
from tumble.draws import Draws

Range = tuple[float, float]
Place = tuple[float, float]
MIN_START_DISTANCE = 0.7
"""Between any two bodies."""
PICTURE_X, PICTURE_Y = (0.1, 0.9), (0.25, 0.9)
"""Where the first body passes, in parts of the picture from the left and from the top."""
MAX_TRIES = 50


@dataclass(frozen=True)
class StartRanges:
    """Ranges from which the initial states of a video are drawn."""

    times: Range
    """Seconds until a body meets the one that it is aimed at."""
    speeds: Range
    """Units per second at the meeting."""
    misses: Range
    """Distance by which it is aimed past the other's centre."""
    resting: float
    """Share of bodies that start at rest."""
    max_distance: float
    """From the table's centre, at the start."""
    max_speed: float
    """Units per second at the start."""


TARGET = StartRanges((0.7, 4.8), (0.6, 2.1), (0.0, 0.3), 0.2, 10.0, 4.7)
LATE = StartRanges((5.1, 7.0), (0.2, 1.1), (0.0, 0.1), 0.45, 10.0, 4.7)
"""For a body that should meet another one after the shown frames."""
REFERENCE = StartRanges((0.2, 1.1), (0.4, 1.8), (0.0, 0.3), 0.15, 4.0, 3.0)
CHARGED_MISSES = (0.0, 0.8)
"""Instead of `misses` for a charged pair, whose charge is visible when they pass each other too."""
CHARGED_SPEEDS = (0.4, 1.8)
"""Instead of `speeds` for a charged pair, since slow bodies are deflected more."""


@dataclass(frozen=True)
class FreePath:
    """The path of a body that meets no other: a straight line, slowed down by friction and damping."""

    shape: str
    place: Place
    """Where it starts."""
    heading: float
    """How the body is turned."""
    angle: float
    """Of its velocity."""
    speed: float

    def at(self, seconds: float) -> Place:
        """Its place at a time."""
        return _beside(self.place, self.angle, sliding_distance(self.shape, self.speed, seconds))

    def moves_at(self, seconds: float) -> bool:
        """Whether it moves at a time."""
        return self.speed > 0.0 and seconds < seconds_until_rest(self.shape, self.speed)


@dataclass(frozen=True, eq=False)
class SimulatedPath:
    """The path of a body in a simulation."""

    places: np.ndarray
    """[frame, 2]."""
    moves: np.ndarray
    """bool [frame]."""

    @property
    def place(self) -> Place:
        """Where it starts."""
        return float(self.places[0, 0]), float(self.places[0, 1])

    def at(self, seconds: float) -> Place:
        """Its place at a time."""
        x, y = self.places[int(seconds * FRAMES_PER_SECOND)]
        return float(x), float(y)

    def moves_at(self, seconds: float) -> bool:
        """Whether it moves at a time."""
        return bool(self.moves[int(seconds * FRAMES_PER_SECOND)])


BodyPath = FreePath | SimulatedPath


def draw_paths(
    draws: Draws, bodies: tuple[Body, ...], order: Sequence[int], others: Mapping[int, BodyPath], ranges: StartRanges
) -> dict[int, FreePath] | None:
    """Paths for some bodies, each to meet one drawn before it or one of the others; None if there is no room."""
    paths: dict[int, FreePath] = {}
    for body in order:
        path = _draw_path(draws, bodies, body, {**others, **paths}, ranges)
        if path is None:
            return None
        paths[body] = path
    return paths


def simulated_paths(members: Sequence[int], motion: Motion) -> dict[int, SimulatedPath]:
    """The paths of a motion's bodies, by their indices in the set."""
    moves = is_moving(motion)
    return {body: SimulatedPath(motion.positions[:, k, :2], moves[:, k]) for k, body in enumerate(members)}


def initial_state(bodies: tuple[Body, ...], paths: Mapping[int, FreePath]) -> InitialState:
    """The start of the paths of some of a set's bodies, sorted by index."""
    members = sorted(paths)
    starts = [paths[k] for k in members]
    return InitialState.on_table(
        tuple(bodies[k] for k in members),
        np.array([path.place for path in starts]),
        np.array([path.heading for path in starts]),
        np.array([(path.speed * math.cos(path.angle), path.speed * math.sin(path.angle)) for path in starts]),
    )


def _draw_path(
    draws: Draws, bodies: tuple[Body, ...], body: int, others: Mapping[int, BodyPath], ranges: StartRanges
) -> FreePath | None:
    """A path on which a body meets one of the others, or passes a point in view if there are none."""
    shape, is_charged = bodies[body].shape, bodies[body].is_charged
    seconds = draws.between(*ranges.times)
    known = list(others)
    for _ in range(MAX_TRIES):
        other = draws.one_of(known) if known else None
        speeds, misses, rests = ranges.speeds, ranges.misses, draws.between(0.0, 1.0) < ranges.resting
        if other is None:
            meeting = CAMERA.place(draws.between(*PICTURE_X), draws.between(*PICTURE_Y), HALF_HEIGHTS[shape])
        else:
            if is_charged and bodies[other].is_charged:
                speeds, misses = CHARGED_SPEEDS, CHARGED_MISSES
            meeting = _beside(others[other].at(seconds), draws.between(-math.pi, math.pi), draws.between(*misses))
            rests = rests and others[other].moves_at(seconds)
        if not _in_view(shape, meeting):
            continue
        heading, angle = draws.between(-math.pi, math.pi), draws.between(-math.pi, math.pi)
        if rests:
            path = FreePath(shape, meeting, heading, angle, 0.0)
        else:
            path = _path_to(shape, meeting, heading, angle, draws.between(*speeds), seconds)
        in_range = math.hypot(*path.place) < ranges.max_distance and path.speed < ranges.max_speed
        if (
            in_range
            and (not is_charged or _in_view(shape, path.place))
            and all(math.dist(path.place, other_path.place) > MIN_START_DISTANCE for other_path in others.values())
        ):
            return path
    return None


def _beside(place: Place, angle: float, distance: float) -> Place:
    return place[0] + distance * math.cos(angle), place[1] + distance * math.sin(angle)


def _in_view(shape: str, place: Place) -> bool:
    return CAMERA.sees_point(*place, HALF_HEIGHTS[shape])


def _path_to(shape: str, place: Place, heading: float, angle: float, speed: float, seconds: float) -> FreePath:
    """The path that reaches a place after some time with a given speed."""
    start_speed, distance = earlier(shape, speed, seconds)
    return FreePath(shape, _beside(place, angle, -distance), heading, angle, start_speed)
