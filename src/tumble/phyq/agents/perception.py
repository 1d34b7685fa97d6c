"""What a rule-based agent perceives before a shot: objects, relations between them, and what flights would hit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tumble.phyq.agents.agent import AttemptState
from tumble.phyq.agents.flights import Flights, flights_of
from tumble.phyq.agents.relations import Relations
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.tasks.pieces import BIRDS, shape_box
from tumble.phyq.tasks.trajectory import releases_to
from tumble.scene import Vec

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
