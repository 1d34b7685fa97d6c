"""Tasks: a scene, and the two bodies that have to touch."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Circle, Scene

UNITS_PER_METRE = 6.0
MATERIAL: dict[str, Any] = {"density": 0.25, "friction": 0.5, "restitution": 0.2, "angular_damping": 0.01}
"""The material of all bodies."""
HOLD_STEPS = 180
"""Steps for which the two bodies must touch without a break: 3 s."""
MAX_BALL_GAP = 0.1
"""Pixels by which two balls may be apart and still count as touching."""
MAX_ATTEMPTS = 100
"""Attempts at a task in the benchmark."""


@dataclass(frozen=True)
class Task:
    """A task of a tier; `body` and `other` are indices of the scene's bodies."""

    id: str
    tier: str
    scene: Scene
    body: int
    other: int

    def __post_init__(self) -> None:
        if self.tier not in TIERS:
            raise TaskError(f"task {self.id}: no tier {self.tier!r}; there are {', '.join(TIERS)}")
        for index in (self.body, self.other):
            if not 0 <= index < len(self.scene.bodies):
                raise TaskError(f"task {self.id}: the goal names body {index} of {len(self.scene.bodies)}")

    @property
    def reach(self) -> float:
        """The distance in metres below which two balls count as touching; 0 where the engine's contacts decide."""
        radii = []
        for index in (self.body, self.other):
            shapes = self.scene.bodies[index].shapes
            if len(shapes) != 1 or not isinstance(shapes[0], Circle):
                return 0.0
            radii.append(shapes[0].radius)
        return float(np.float32(sum(radii) + MAX_BALL_GAP) / np.float32(self.scene.units_per_metre))
