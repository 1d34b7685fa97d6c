"""A world under construction: what a template writes its bodies into.

    def build(world, x, left):
        ball = world.dynamic(ball(0.1), "ball", cx=x, bottom=0.9)
        wall = world.static(bar(1), "wall", angle=90, bottom=0, **either(left, left=0, right=1))
        world.reject(ball.left < wall.right)
        world.goal(ball, wall)

Numbers are in scene units (the scene is 1 wide and 1 high; `PX` is a pixel), angles in degrees.
"""

import math

from tumble.phyre.tasks.shapes import SIZE, Form, extent
from tumble.phyre.tasks.task import MATERIAL, UNITS_PER_METRE, Task
from tumble.scene import Body, Scene, box

WALL = 5.0
"""Pixels that the four outer walls are thick."""


class Rejected(Exception):  # noqa: N818 - not an error: the combination of parameters is skipped
    """The template wants no task of these parameters."""


class Placed:
    """A body of a world under construction, with the edges of its bounding box."""

    __slots__ = ("_extent", "angle", "dynamic", "form", "name", "x", "y")

    def __init__(self, form: Form, name: str, dynamic: bool, angle: float) -> None:
        self.form = form
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
        """Turn to an angle about the body's origin; its edges move."""
        self.angle = angle
        self._extent = extent(self.form, angle)

    def move(
        self,
        left: float | None = None,
        right: float | None = None,
        bottom: float | None = None,
        top: float | None = None,
        cx: float | None = None,
        cy: float | None = None,
    ) -> None:
        """Put an edge of the bounding box, or its middle, somewhere."""
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
            self.form.shapes,
            position=(SIZE * self.x, SIZE * self.y),
            angle=math.radians(self.angle),
            dynamic=self.dynamic,
            name=self.name,
            role=role,
            **MATERIAL,
        )


class World:
    """Bodies in their order, and the two that have to touch."""

    def __init__(self) -> None:
        self.bodies: list[Placed] = []
        self._goal: tuple[Placed, Placed] | None = None

    def dynamic(self, form: Form, name: str = "", angle: float = 0.0, **edges: float) -> Placed:
        """Add a body that moves; `edges` say where, see `Placed.move`."""
        return self._add(Placed(form, name, True, angle), edges)

    def static(self, form: Form, name: str = "", angle: float = 0.0, **edges: float) -> Placed:
        """Add a body that never moves."""
        return self._add(Placed(form, name, False, angle), edges)

    def _add(self, placed: Placed, edges: dict[str, float]) -> Placed:
        placed.move(**edges)
        self.bodies.append(placed)
        return placed

    def reject(self, unwanted: bool) -> None:
        """Skip this combination of parameters where a condition holds."""
        if unwanted:
            raise Rejected

    def goal(self, body: Placed, other: Placed) -> None:
        """Say which two bodies have to come to touch; the first one moves."""
        if not body.dynamic:
            raise ValueError(f"the goal's first body must move, but {body.name or 'it'} is static: turn the two round")
        self._goal = (body, other)

    def task(self, task_id: str, tier: str) -> Task:
        """The task that was built."""
        if self._goal is None:
            raise ValueError(f"task {task_id}: its template names no goal: call world.goal(body, other)")
        body, other = (self.bodies.index(placed) for placed in self._goal)
        roles = {body: "object", other: "subject"}
        own = tuple(placed.body(roles.get(k, "")) for k, placed in enumerate(self.bodies))
        scene = Scene(WALLS + own, units_per_metre=UNITS_PER_METRE)
        return Task(task_id, tier, scene, len(WALLS) + body, len(WALLS) + other)


def either(first: bool, **edges: float) -> dict[str, float]:
    """One of two edges: the first where a condition holds, else the second."""
    one, two = edges.items()
    return dict([one if first else two])


def _wall(name: str, x: float, y: float, width: float, height: float) -> Body:
    return Body((box(width, height),), position=(x, y), name=name, **MATERIAL)


WALLS = (
    _wall("bottom wall", SIZE / 2, -WALL / 2, SIZE, WALL),
    _wall("left wall", -WALL / 2, SIZE / 2, WALL, SIZE),
    _wall("top wall", SIZE / 2, SIZE + WALL / 2, SIZE, WALL),
    _wall("right wall", SIZE + WALL / 2, SIZE / 2, WALL, SIZE),
)
"""The walls just outside the scene that every task begins with; their corners stay open."""
