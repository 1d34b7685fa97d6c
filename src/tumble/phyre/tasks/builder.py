"""A world under construction, to which a template adds its bodies.

Numbers are in scene units (the scene is 1 wide and 1 high; `PX` is a pixel), angles in degrees.

>>> from tumble.phyre.tasks.shapes import ball, bar
>>> world = World()
>>> falling = world.dynamic(ball(0.1), "ball", cx=0.3, bottom=0.9)
>>> wall = world.static(bar(1), "wall", angle=90, bottom=0, **either(False, left=0, right=1))
>>> world.reject(falling.right > wall.left)
>>> world.goal(falling, wall)
>>> [body.name for body in world.task("mine:000", "B").scene.bodies][-3:]
['right wall', 'ball', 'wall']
"""

import math
from collections.abc import Sequence

from tumble.phyre.tasks.errors import TemplateError
from tumble.phyre.tasks.relations import TOUCHING, relation_names
from tumble.phyre.tasks.shapes import SIZE, BodyShape, extent
from tumble.phyre.tasks.task import MATERIAL, UNITS_PER_METRE, Task
from tumble.scene import Body, Scene, box

WALL = 5.0
"""Thickness of the four outer walls in pixels."""


class Rejected(Exception):  # noqa: N818 - not an error: the combination of parameters is skipped
    """The template rejects this combination of parameters."""


class WorldBody:
    """A body of a world under construction, with the edges of its bounding box."""

    __slots__ = ("_extent", "angle", "dynamic", "name", "shape", "x", "y")

    def __init__(self, shape: BodyShape, name: str, dynamic: bool, angle: float) -> None:
        self.shape = shape
        self.name = name
        self.dynamic = dynamic
        self.x = self.y = 0.0
        self.turn(angle)

    @property
    def left(self) -> float:
        return self.x + self._extent[0]

    @property
    def right(self) -> float:
        return self.x + self._extent[1]

    @property
    def bottom(self) -> float:
        return self.y + self._extent[2]

    @property
    def top(self) -> float:
        return self.y + self._extent[3]

    @property
    def cx(self) -> float:
        return (self.left + self.right) / 2.0

    @property
    def cy(self) -> float:
        return (self.bottom + self.top) / 2.0

    @property
    def width(self) -> float:
        return self._extent[1] - self._extent[0]

    @property
    def height(self) -> float:
        return self._extent[3] - self._extent[2]

    def turn(self, angle: float) -> None:
        """Rotates the body to an angle about its origin; its edges move."""
        self.angle = angle
        self._extent = extent(self.shape, angle)

    def move(
        self,
        left: float | None = None,
        right: float | None = None,
        bottom: float | None = None,
        top: float | None = None,
        cx: float | None = None,
        cy: float | None = None,
    ) -> None:
        """Moves the body so that an edge of its bounding box, or its centre, has this coordinate."""
        to_left, to_right, to_bottom, to_top = self._extent
        if left is not None:
            self.x = left - to_left
        if right is not None:
            self.x = right - to_right
        if cx is not None:
            self.x = cx - (to_left + to_right) / 2.0
        if bottom is not None:
            self.y = bottom - to_bottom
        if top is not None:
            self.y = top - to_top
        if cy is not None:
            self.y = cy - (to_bottom + to_top) / 2.0

    def body(self, role: str) -> Body:
        """The finished body, in pixels and radians."""
        return Body(
            self.shape.shapes,
            position=(SIZE * self.x, SIZE * self.y),
            angle=math.radians(self.angle),
            dynamic=self.dynamic,
            name=self.name,
            role=role,
            **MATERIAL,
        )


class World:
    """Bodies in their order, and the goal."""

    def __init__(self) -> None:
        self.bodies: list[WorldBody] = []
        self._goal: tuple[WorldBody, WorldBody] | None = None
        self._relations: tuple[str, ...] = ()

    def dynamic(self, shape: BodyShape, name: str = "", angle: float = 0.0, **edges: float) -> WorldBody:
        """Adds a body that moves; for `edges` see `WorldBody.move`."""
        return self._add(WorldBody(shape, name, True, angle), edges)

    def static(self, shape: BodyShape, name: str = "", angle: float = 0.0, **edges: float) -> WorldBody:
        """Adds a body that never moves."""
        return self._add(WorldBody(shape, name, False, angle), edges)

    def _add(self, body: WorldBody, edges: dict[str, float]) -> WorldBody:
        body.move(**edges)
        self.bodies.append(body)
        return body

    def reject(self, condition: bool) -> None:
        """Skips this combination of parameters if a condition holds."""
        if condition:
            raise Rejected

    def goal(self, body: WorldBody, other: WorldBody, relation: str | Sequence[str] = TOUCHING) -> None:
        """Sets the two bodies of the goal, and how the first has to lie to the other; the first must be dynamic.

        For the relations see `relations.CODES`; of several, all must hold. "inside" means inside the other's hull.
        """
        if not body.dynamic:
            raise TemplateError(f"the goal's first body must move, but {body.name or 'it'} is static: swap the two")
        self._relations = relation_names(relation)
        self._goal = (body, other)

    def task(self, task_id: str, tier: str) -> Task:
        """The finished task."""
        if self._goal is None:
            raise TemplateError(f"task {task_id}: its template names no goal: call world.goal(body, other)")
        body, other = (self.bodies.index(part) for part in self._goal)
        roles = {body: "object", other: "subject"}
        bodies = tuple(part.body(roles.get(k, "")) for k, part in enumerate(self.bodies))
        scene = Scene(WALLS + bodies, units_per_metre=UNITS_PER_METRE)
        return Task(task_id, tier, scene, len(WALLS) + body, len(WALLS) + other, self._relations)


def either(condition: bool, **edges: float) -> dict[str, float]:
    """The first of two edges if a condition holds, else the second.

    >>> either(True, left=0, right=1)
    {'left': 0}
    """
    first, second = edges.items()
    return dict([first if condition else second])


def _wall(name: str, x: float, y: float, width: float, height: float) -> Body:
    return Body((box(width, height),), position=(x, y), name=name, **MATERIAL)


WALLS = (
    _wall("bottom wall", SIZE / 2, -WALL / 2, SIZE, WALL),
    _wall("left wall", -WALL / 2, SIZE / 2, WALL, SIZE),
    _wall("top wall", SIZE / 2, SIZE + WALL / 2, SIZE, WALL),
    _wall("right wall", SIZE + WALL / 2, SIZE / 2, WALL, SIZE),
)
"""The first bodies of every task: walls just outside the scene, whose corners stay open."""
