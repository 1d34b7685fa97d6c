"""What an agent that follows rules sees before a shot: things, how they stand to each other, and what flights meet."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tumble.phyq.agents.agent import Now
from tumble.phyq.agents.flights import Flights, fly
from tumble.phyq.agents.relations import Relations
from tumble.phyq.observation.things import Thing
from tumble.phyq.tasks.pieces import BIRDS, shape_box
from tumble.phyq.tasks.trajectory import releases_to
from tumble.scene import Vec

FLAT = 50.0
"""Degrees from which on a release counts as steep."""
BROKEN = {
    "red": ("ice",),
    "yellow": ("wood",),
    "blue": ("ice",),
    "white": (),
    "black": ("ice", "wood", "stone"),
}
"""Materials through which birds usually go, as players come to know."""


@dataclass(frozen=True)
class Aim:
    """A release at a point of a thing, with what lies on the way to it."""

    angle: float
    target: int
    point: Vec
    heading: float
    """Degrees above the horizontal in which the bird arrives."""
    way: tuple[int, ...]
    """Things that are met before the target."""
    pigs: int
    """Pigs on the way and beyond it, the target aside."""

    @property
    def steep(self) -> bool:
        return self.angle >= FLAT

    @property
    def direct(self) -> bool:
        """Whether nothing is in the way."""
        return not self.way


@dataclass(frozen=True)
class Sight:
    """Everything but birds, and the bird on the sling."""

    things: tuple[Thing, ...]
    bird: str
    rest: Vec

    @cached_property
    def relations(self) -> Relations:
        return Relations(self.things)

    @property
    def pigs(self) -> list[int]:
        return self.relations.of_kind("pig")

    @property
    def radius(self) -> float:
        left, _, right, _ = shape_box(BIRDS[self.bird].piece.shape)
        return (right - left) / 2.0

    def aims_at(self, targets: Sequence[tuple[int, Vec]]) -> list[Aim]:
        """The low and the high release to each point that belongs to a thing, as far as they meet it at all."""
        wanted = [
            (target, point, release.angle)
            for target, point in targets
            for release in releases_to(point, rest=self.rest)
        ]
        flights = self.fly([angle for _, _, angle in wanted])
        return [
            self._aim(flights, flight, target, point)
            for flight, (target, point, _) in enumerate(wanted)
            if math.isfinite(flights.touches[flight, target])
        ]

    def fly(self, angles: Sequence[float] | np.ndarray) -> Flights:
        """What flights of the bird on the sling meet."""
        return fly(angles, self.things, self.bird, self.rest)

    def _aim(self, flights: Flights, flight: int, target: int, point: Vec) -> Aim:
        time = float(flights.touches[flight, target])
        way = tuple(k for k in flights.met(flight, time) if k != target)
        pigs = sum(1 for k in flights.met(flight) if self.things[k].kind == "pig" and k != target)
        return Aim(float(flights.angles[flight]), target, point, flights.heading(flight, time), way, pigs)

    def around(self, k: int) -> list[tuple[int, Vec]]:
        """The middle of a thing, and points a bird's radius left, right, above and below it."""
        x, y, r = self.things[k].x, self.things[k].y, self.radius
        return [(k, point) for point in ((x, y), (x - r, y), (x + r, y), (x, y + r), (x, y - r))]

    def breaks(self, thing: Thing) -> bool:
        """Whether the bird usually goes through a thing."""
        return thing.kind in ("pig", "tnt") or thing.material in BROKEN[self.bird]


def sight_of(now: Now) -> Sight:
    """What is to be seen now."""
    seen = tuple(thing for thing in now.things if thing.kind not in ("bird", "egg"))
    return _sight(seen, now.birds[0], now.task.level.rest_point)


@lru_cache(maxsize=512)
def _sight(things: tuple[Thing, ...], bird: str, rest: Vec) -> Sight:
    """One for all attempts at a task, as the start is the same."""
    return Sight(things, bird, rest)
