"""What a rule-based agent perceives before a shot: objects, relations between them, and what flights would hit.

All of it follows from shapes and positions as agents see them. Flights are ballistic, as if nothing stopped the
bird.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tumble.phyq.agents.agent import AttemptState
from tumble.phyq.catalogue.level import Box, bounding_box
from tumble.phyq.catalogue.physics import BIRDS, FALL, GROUND_Y, LAUNCH_SPEED, STEP, shape_box
from tumble.phyq.catalogue.trajectory import releases_to
from tumble.phyq.observation.objects import GameObject
from tumble.scene import Vec

TOUCHING = 0.12
"""The largest gap between objects that count as touching."""
MIN_OVERLAP = 0.02
"""The smallest horizontal overlap of an object with its support."""
ROUND = ("circle", "circle_small")


@dataclass(frozen=True)
class Relations:
    """Relations between objects, which are given by their indices."""

    objects: tuple[GameObject, ...]

    @cached_property
    def boxes(self) -> list[Box]:
        """The bounding box of each object."""
        return [bounding_box(obj.corners) for obj in self.objects]

    def of_kind(self, kind: str) -> list[int]:
        """The objects of a kind: pig, block, platform or tnt."""
        return [k for k, obj in enumerate(self.objects) if obj.kind == kind]

    @cached_property
    def round_blocks(self) -> list[int]:
        return [k for k in self.of_kind("block") if self.objects[k].name in ROUND]

    @cached_property
    def rests_on(self) -> np.ndarray:
        """bool [objects, objects]: whether the first rests on the second."""
        count = len(self.objects)
        result = np.zeros((count, count), bool)
        for k in range(count):
            for other in range(count):
                result[k, other] = k != other and self._rests(k, other)
        return result

    def _rests(self, upper: int, lower: int) -> bool:
        if self.objects[upper].kind == "platform":
            return False
        a, b = self.boxes[upper], self.boxes[lower]
        overlap = min(a.right, b.right) - max(a.left, b.left)
        sloping = self.objects[lower].kind == "platform" and b.bottom < a.bottom < b.top  # on a ramp
        return overlap > MIN_OVERLAP and (abs(a.bottom - b.top) <= TOUCHING or sloping)

    def supports(self, k: int) -> list[int]:
        """The objects that an object rests on."""
        return [int(other) for other in np.flatnonzero(self.rests_on[k])]

    def carried(self, k: int) -> set[int]:
        """All objects that rest on an object, directly or not."""
        found: set[int] = set()
        waiting = [k]
        while waiting:
            above = {int(other) for other in np.flatnonzero(self.rests_on[:, waiting.pop()])} - found
            found |= above
            waiting += above
        return found

    def touching(self, k: int, other: int) -> bool:
        """Whether the bounding boxes of two objects touch."""
        a, b = self.boxes[k], self.boxes[other]
        return (
            min(a.right, b.right) - max(a.left, b.left) >= -TOUCHING
            and min(a.top, b.top) - max(a.bottom, b.bottom) >= -TOUCHING
        )

    @cached_property
    def buildings(self) -> list[list[int]]:
        """Groups of touching blocks."""
        left = set(self.of_kind("block"))
        groups = []
        while left:
            group, waiting = set(), [min(left)]
            while waiting:
                k = waiting.pop()
                group.add(k)
                left.discard(k)
                waiting += [other for other in left if self.touching(k, other) and other not in waiting]
            groups.append(sorted(group))
        return groups

    def around(self, group: Sequence[int]) -> Box:
        """The bounding box of a group of objects."""
        boxes = [self.boxes[k] for k in group]
        return Box(
            min(box.left for box in boxes),
            min(box.bottom for box in boxes),
            max(box.right for box in boxes),
            max(box.top for box in boxes),
        )

    def distance(self, k: int, other: int) -> float:
        """The distance between the centres of two objects."""
        a, b = self.objects[k], self.objects[other]
        return float(np.hypot(a.x - b.x, a.y - b.y))


LONGEST_FLIGHT = 5.0
"""Seconds of a flight that are computed; the steepest flights land after 4.3."""


@dataclass(frozen=True)
class Flights:
    """Flights at full stretch, one for each angle."""

    angles: np.ndarray
    """float [n]: degrees."""
    objects: tuple[GameObject, ...]
    touches: np.ndarray
    """float [n, objects]: seconds until the bird touches an object, ignoring all others; infinite for never."""
    landings: np.ndarray
    """float [n]: seconds until the bird reaches the ground."""

    def first(self, flight: int) -> int | None:
        """The index of the object that a flight meets first; None for the ground."""
        met = self.met(flight)
        return met[0] if met else None

    def met(self, flight: int, until: float = np.inf) -> list[int]:
        """The indices of the objects that a flight meets before a time, in order."""
        times = self.touches[flight]
        order = np.argsort(times, kind="stable")
        end = min(until, float(self.landings[flight]))
        return [int(k) for k in order if times[k] < end]

    def heading(self, flight: int, time: float) -> float:
        """Degrees above the horizontal of the bird's velocity at a time."""
        angle = np.radians(self.angles[flight])
        x, y = LAUNCH_SPEED * np.cos(angle), LAUNCH_SPEED * np.sin(angle) - FALL * time
        return float(np.degrees(np.arctan2(y, x)))


def flights_of(angles: Sequence[float] | np.ndarray, objects: Sequence[GameObject], bird: str, rest: Vec) -> Flights:
    """The flights of a bird of the given colour, with the objects that they meet."""
    degrees = np.asarray(angles, float)
    circle = BIRDS[bird].circle
    times = _flight_times()
    points = _flight_points(degrees, rest) + circle.centre
    is_down = points[..., 1] - circle.radius <= GROUND_Y
    landings = np.where(is_down.any(axis=1), times[is_down.argmax(axis=1)], LONGEST_FLIGHT)
    touches = np.full((len(degrees), len(objects)), np.inf)
    for k, obj in enumerate(objects):
        touches[:, k] = _touch_times(points, times, obj.corners, circle.radius)
    return Flights(degrees, tuple(objects), touches, landings)


def flight_path(angle: float, rest: Vec) -> tuple[np.ndarray, np.ndarray]:
    """Times [n] and positions [n, 2] of a flight."""
    return _flight_times(), _flight_points(np.array([angle]), rest)[0]


@lru_cache(maxsize=1)
def _flight_times() -> np.ndarray:
    return STEP * np.arange(round(LONGEST_FLIGHT / STEP))


def _flight_points(angles: np.ndarray, rest: Vec) -> np.ndarray:
    """Positions of the bird: [angles, times, 2]."""
    radians, times = np.radians(angles)[:, None], _flight_times()
    along = LAUNCH_SPEED * times - 1.0
    x = rest[0] + np.cos(radians) * along
    y = rest[1] + np.sin(radians) * along - FALL * times * (times + STEP) / 2.0
    return np.stack([x, y], axis=-1)


def _touch_times(points: np.ndarray, times: np.ndarray, corners: np.ndarray, radius: float) -> np.ndarray:
    """float [rows]: the first time at which a disc on each row of points touches a convex outline [n, 2]."""
    low, high = corners.min(axis=0) - radius, corners.max(axis=0) + radius
    near = ((points >= low) & (points <= high)).all(axis=-1)
    rows, columns = np.nonzero(near)
    first = np.full(len(points), np.inf)
    if len(rows):
        touching = _distances(points[rows, columns], corners) <= radius
        np.minimum.at(first, rows[touching], times[columns[touching]])
    return first


def _distances(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """float [n]: distances of points [n, 2] to a convex outline [m, 2]; 0 inside."""
    edges = np.roll(corners, -1, axis=0) - corners
    offsets = points[:, None] - corners
    lengths = np.maximum((edges**2).sum(axis=-1), 1e-12)
    shares = np.clip((offsets * edges).sum(axis=-1) / lengths, 0.0, 1.0)
    away = np.hypot(*np.moveaxis(offsets - shares[..., None] * edges, -1, 0)).min(axis=1)
    inside = (edges[:, 0] * offsets[..., 1] - edges[:, 1] * offsets[..., 0] >= 0.0).all(axis=1)
    return np.asarray(np.where(inside, 0.0, away))


STEEP_ANGLE = 50.0
"""Releases of this angle or more count as steep."""
BREAKABLE = {
    "red": ("ice",),
    "yellow": ("wood",),
    "blue": ("ice",),
    "white": (),
    "black": ("ice", "wood", "stone"),
}
"""Materials that each bird usually breaks through, as players learn."""


@dataclass(frozen=True)
class Aim:
    """A release at a point of an object, and what is in its way."""

    angle: float
    target: int
    point: Vec
    heading: float
    """Degrees above the horizontal of the bird's velocity at the target."""
    obstacles: tuple[int, ...]
    """Objects that the flight meets before the target."""
    pigs: int
    """Pigs on the whole flight, without the target."""

    @property
    def steep(self) -> bool:
        return self.angle >= STEEP_ANGLE

    @property
    def direct(self) -> bool:
        """Whether there is no obstacle."""
        return not self.obstacles


@dataclass(frozen=True)
class PerceivedScene:
    """All objects but birds, and the bird on the slingshot."""

    objects: tuple[GameObject, ...]
    bird: str
    rest: Vec

    @cached_property
    def relations(self) -> Relations:
        return Relations(self.objects)

    @property
    def pigs(self) -> list[int]:
        return self.relations.of_kind("pig")

    @property
    def radius(self) -> float:
        """The radius of the bird."""
        left, _, right, _ = shape_box(BIRDS[self.bird].piece.shape)
        return (right - left) / 2.0

    def aims_at(self, targets: Sequence[tuple[int, Vec]]) -> list[Aim]:
        """The low and the high release to points of objects, where the flight meets the object."""
        candidates = [
            (target, point, release.angle)
            for target, point in targets
            for release in releases_to(point, rest=self.rest)
        ]
        flights = self.flights([angle for _, _, angle in candidates])
        return [
            self._aim(flights, flight, target, point)
            for flight, (target, point, _) in enumerate(candidates)
            if math.isfinite(flights.touches[flight, target])
        ]

    def flights(self, angles: Sequence[float] | np.ndarray) -> Flights:
        """Flights of the bird on the slingshot."""
        return flights_of(angles, self.objects, self.bird, self.rest)

    def _aim(self, flights: Flights, flight: int, target: int, point: Vec) -> Aim:
        time = float(flights.touches[flight, target])
        obstacles = tuple(k for k in flights.met(flight, time) if k != target)
        pigs = sum(1 for k in flights.met(flight) if self.objects[k].kind == "pig" and k != target)
        return Aim(float(flights.angles[flight]), target, point, flights.heading(flight, time), obstacles, pigs)

    def points_around(self, k: int) -> list[tuple[int, Vec]]:
        """The centre of an object, and points a bird's radius left, right, above and below it."""
        x, y, r = self.objects[k].x, self.objects[k].y, self.radius
        return [(k, point) for point in ((x, y), (x - r, y), (x + r, y), (x, y + r), (x, y - r))]

    def breaks(self, obj: GameObject) -> bool:
        """Whether the bird usually breaks through an object."""
        return obj.kind in ("pig", "tnt") or obj.material in BREAKABLE[self.bird]


def perceive(state: AttemptState) -> PerceivedScene:
    """The scene that an agent perceives in a state."""
    objects = tuple(obj for obj in state.objects if obj.kind not in ("bird", "egg"))
    return _scene(objects, state.birds[0], state.task.level.rest_point)


@lru_cache(maxsize=512)
def _scene(objects: tuple[GameObject, ...], bird: str, rest: Vec) -> PerceivedScene:
    """Cached, because all attempts at a task have the same start."""
    return PerceivedScene(objects, bird, rest)
