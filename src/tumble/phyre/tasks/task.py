"""Tasks: a scene, and the relation that two of its bodies must reach."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.relations import (
    BRIEFLY,
    NOT_TOUCHING,
    TOUCHING,
    check_area,
    enclosed_area,
    needs_area,
    relation_names,
)
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Circle, Scene, Vec
from tumble.scene.checks import as_tuple, as_vector

UNITS_PER_METRE = 6.0
MATERIAL: dict[str, Any] = {"density": 0.25, "friction": 0.5, "restitution": 0.2, "angular_damping": 0.01}
"""The material of all bodies."""
HOLD_STEPS = 180
"""Steps for which the goal must hold without a break: 3 s."""
MAX_STEPS = 1000
"""Steps of an attempt."""
MAX_BALL_GAP = 0.1
"""Pixels by which two balls may be apart and still count as touching."""
MAX_ATTEMPTS = 100
"""Attempts at a task in the benchmark."""


@dataclass(frozen=True)
class Task:
    """A task of a tier; `body` and `other` are indices of the scene's bodies.

    All `relations` (see `relations.CODES`) of the first body to the other must hold. For "inside" and "not inside",
    `area` is a convex polygon in pixels and in the other body's coordinates; by default its convex hull.
    """

    id: str
    tier: str
    scene: Scene
    body: int
    other: int
    relations: tuple[str, ...] = (TOUCHING,)
    area: tuple[Vec, ...] = ()

    def __post_init__(self) -> None:
        if self.tier not in TIERS:
            raise TaskError(f"task {self.id}: no tier {self.tier!r}; there are {', '.join(TIERS)}")
        for index in (self.body, self.other):
            if not 0 <= index < len(self.scene.bodies):
                raise TaskError(f"task {self.id}: the goal names body {index} of {len(self.scene.bodies)}")
        try:
            self._check_relations()
        except TaskError as error:
            raise TaskError(f"task {self.id}: {error}") from None

    def _check_relations(self) -> None:
        """Sets relations and area to their checked form."""
        object.__setattr__(self, "relations", relation_names(self.relations))
        area = as_tuple(self.area)
        if not needs_area(self.relations):
            if len(area):
                raise TaskError("only goals of 'inside' and 'not inside' have an area")
            return
        vertices = tuple(map(as_vector, area)) or enclosed_area(self.scene.bodies[self.other])
        check_area(vertices)
        object.__setattr__(self, "area", vertices)

    @property
    def only_touching(self) -> bool:
        """Whether the goal is that of all published tasks."""
        return self.relations == (TOUCHING,)

    @property
    def hold_steps(self) -> int:
        """Steps for which the goal must hold without a break."""
        return 1 if self.relations == (BRIEFLY,) else HOLD_STEPS

    @property
    def unbroken_steps(self) -> int:
        """The same, if it has held from the first step on: bodies that should not touch must meet first, or never."""
        return MAX_STEPS if self.relations == (NOT_TOUCHING,) else self.hold_steps

    @property
    def reach(self) -> float:
        """The distance in metres below which two balls count as touching; 0 where the engine's contacts decide."""
        return touching_reach(self.scene, self.body, self.other) if self.only_touching else 0.0


def touching_reach(scene: Scene, body: int, other: int) -> float:
    """The distance in metres below which two bodies count as touching, if both are balls; else 0."""
    radii = []
    for index in (body, other):
        shapes = scene.bodies[index].shapes
        if len(shapes) != 1 or not isinstance(shapes[0], Circle):
            return 0.0
        radii.append(shapes[0].radius)
    return float(np.float32(sum(radii) + MAX_BALL_GAP) / np.float32(scene.units_per_metre))
