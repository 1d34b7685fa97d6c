"""Templates: many tasks of one design, the world to which a design adds bodies, and the shapes that these have.

A template's combinations of parameters are numbered; its `build` adds the bodies of one combination to a `World`.
Numbers are in scene units (the scene is 1 wide and 1 high; `PX` is one of its 256 pixels), angles in degrees.

>>> world = World()
>>> falling = world.dynamic(ball(0.1), "ball", cx=0.3, bottom=0.9)
>>> wall = world.static(bar(1), "wall", angle=90, bottom=0, **either(False, left=0, right=1))
>>> world.reject(falling.right > wall.left)
>>> world.goal(falling, wall)
>>> [body.name for body in world.task("mine:000", "B").scene.bodies][-3:]
['right wall', 'ball', 'wall']
"""

import importlib.util
import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import md5
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np

from tumble.errors import error_with_line
from tumble.phyre.catalogue.task import MATERIAL, TIERS, TOUCHING, UNITS_PER_METRE, Task, TemplateError, relation_names
from tumble.scene import Body, Circle, Polygon, Scene, Shape, Vec, box

SIZE = 256.0
"""Pixels along each side of the scene."""
PX = 1.0 / SIZE
THICKNESS = SIZE / 50.0
"""Thickness of a bar in pixels."""
STICKS_ANGLE = math.radians(77.5)


@dataclass(frozen=True, eq=False)
class BodyShape:
    """The shapes of a body, in pixels about its origin; equal calls of the functions below give the same object."""

    shapes: tuple[Shape, ...]


@cache
def ball(size: float) -> BodyShape:
    """A ball about `size` wide: its radius in pixels is a whole number and a half.

    >>> ball(0.1).shapes[0].radius
    12.5
    """
    return ball_of_radius(size / 2.0)


@cache
def ball_of_radius(radius: float) -> BodyShape:
    """A ball of this radius, cut to whole pixels and half a pixel added."""
    return BodyShape((Circle(int(SIZE * radius) + 0.5),))


@cache
def bar(length: float) -> BodyShape:
    """A horizontal bar."""
    return BodyShape((box(SIZE * length, THICKNESS),))


@cache
def jar(height: float) -> BodyShape:
    """An open jar that widens towards its top; its origin is the middle of its base."""
    tall = SIZE * height
    top = tall / 1.2
    base = 0.8 * top
    thick = THICKNESS * math.log(tall) / math.log(0.3 * SIZE)
    overhang = (top - base) / 2.0
    side = math.hypot(tall, overhang)
    sine, cosine = tall / side, overhang / side
    rim, foot = tall - thick / 2.0, -thick / 2.0
    wall: tuple[Vec, ...] = (
        (-top / 2.0, rim),
        (-base / 2.0, foot),
        (-base / 2.0 + thick * sine, thick * cosine + foot),
        (-top / 2.0 + thick / sine, rim),
    )
    mirrored = tuple((-x, y) for x, y in (wall[0], *reversed(wall[1:])))
    return BodyShape((box(base, thick), Polygon(wall), Polygon(mirrored)))


@cache
def sticks(size: float) -> BodyShape:
    """Two crossed sticks that stand like an X, two thirds as long and as thick as a bar of that size."""
    stick = box(SIZE * size * 2.0 / 3.0, THICKNESS * 2.0 / 3.0)
    return BodyShape((_rotated(stick, -STICKS_ANGLE), _rotated(stick, STICKS_ANGLE)))


def _rotated(polygon: Polygon, angle: float) -> Polygon:
    c, s = math.cos(angle), math.sin(angle)
    return Polygon(tuple((x * c - y * s, x * s + y * c) for x, y in polygon.vertices))


@cache
def extent(shape: BodyShape, angle: float) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of a shape rotated by `angle` degrees, in scene units from its origin."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    xs: list[float] = []
    ys: list[float] = []
    for part in shape.shapes:
        corners = [part.centre] if isinstance(part, Circle) else part.vertices
        radius = part.radius if isinstance(part, Circle) else 0.0
        for x, y in corners:
            xs += [x * c - y * s - radius, x * c - y * s + radius]
            ys += [x * s + y * c - radius, x * s + y * c + radius]
    return min(xs) * PX, max(xs) * PX, min(ys) * PX, max(ys) * PX


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


def _wall_body(name: str, x: float, y: float, width: float, height: float) -> Body:
    return Body((box(width, height),), position=(x, y), name=name, **MATERIAL)


WALLS = (
    _wall_body("bottom wall", SIZE / 2, -WALL / 2, SIZE, WALL),
    _wall_body("left wall", -WALL / 2, SIZE / 2, WALL, SIZE),
    _wall_body("top wall", SIZE / 2, SIZE + WALL / 2, SIZE, WALL),
    _wall_body("right wall", SIZE + WALL / 2, SIZE / 2, WALL, SIZE),
)
"""The first bodies of every task: walls just outside the scene, whose corners stay open."""


def lin(first: float, last: float, count: int) -> list[float]:
    """`count` evenly spaced values, both ends included.

    >>> lin(0.2, 0.6, 3)
    [0.2, 0.4, 0.6]
    """
    return [float(value) for value in np.linspace(first, last, count)]


def steps(step: float, numbers: Sequence[int]) -> list[float]:
    """Whole multiples of a step.

    >>> steps(0.5, range(2, 5))
    [1.0, 1.5, 2.0]
    """
    return [step * number for number in numbers]


class Template:
    """Numbers the tasks of a design.

    All combinations of the parameters are taken in a fixed pseudo-random order; those that `build` rejects are
    dropped, and the rest have the numbers 0, 1, 2, … that end the ids of their tasks.
    """

    def __init__(
        self,
        id: str,
        tier: str,
        parameters: Mapping[str, Sequence[Any]],
        build: Callable[..., None],
        name: str = "",
        description: str = "",
    ) -> None:
        self.id = id
        self.tier = tier
        self.parameters = dict(parameters)
        self.build = build
        self.name = name or id
        self.description = description
        self._counts = tuple(len(values) for values in self.parameters.values())
        self._order = _combination_order(int(np.prod(self._counts)))
        self._tried = 0
        self._accepted: list[int] = []
        self._lock = Lock()

    def task(self, number: int) -> Task:
        """The task of a number."""
        return self._build(self._combination(number)).task(f"{self.id}:{number:03d}", self.tier)

    def tasks(self, numbers: Sequence[int]) -> list[Task]:
        """The tasks of several numbers."""
        return [self.task(number) for number in numbers]

    def first_tasks(self, count: int) -> Iterator[Task]:
        """The first `count` tasks, or all if there are fewer."""
        self._accept(count)
        return (self.task(number) for number in range(min(count, len(self._accepted))))

    def values(self, number: int) -> dict[str, Any]:
        """The parameters of a task."""
        return self._values(self._combination(number))

    def __len__(self) -> int:
        """The number of tasks; the first call tries all combinations."""
        self._accept(len(self._order))
        return len(self._accepted)

    def _combination(self, number: int) -> int:
        if number < 0:
            raise TemplateError(f"template {self.id} ({self.name}) numbers its tasks from 0; there is no {number}")
        self._accept(number + 1)
        if number >= len(self._accepted):
            raise TemplateError(
                f"template {self.id} ({self.name}) has {len(self._accepted)} tasks, the last is number "
                f"{len(self._accepted) - 1}; there is no {number}"
            )
        return self._accepted[number]

    def _accept(self, count: int) -> None:
        """Tries combinations until `count` are accepted or none is left; one whose build fails is tried again."""
        with self._lock:
            while len(self._accepted) < count and self._tried < len(self._order):
                combination = self._order[self._tried]
                with suppress(Rejected):
                    self._build(combination)
                    self._accepted.append(combination)
                self._tried += 1

    def _values(self, combination: int) -> dict[str, Any]:
        chosen = []
        for values in reversed(self.parameters.values()):
            combination, index = divmod(combination, len(values))
            chosen.append(values[index])
        return dict(zip(self.parameters, reversed(chosen), strict=True))

    def _build(self, combination: int) -> World:
        world = World()
        self.build(world, **self._values(combination))
        return world


@lru_cache(maxsize=64)
def _combination_order(count: int) -> tuple[int, ...]:
    """The numbers from 0 on, sorted by the digest of their decimal text."""
    return tuple(sorted(range(count), key=lambda k: md5(str(k).encode(), usedforsecurity=False).digest()))


def load_template(path: str | Path) -> Template:
    """A user-defined template: a Python file with ID, TIER, PARAMETERS and build, like the files in `templates/`."""
    file = Path(path)
    spec = importlib.util.spec_from_file_location(f"tumble_template_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise TemplateError(f"{path}: no such Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise TemplateError(error_with_line(error, path)) from error
    return template_of_module(module, file.stem, str(path))


def template_of_module(module: ModuleType, name: str, where: str) -> Template:
    """The template that a module describes; errors begin with `where`."""
    problem = next(_module_problems(module), None)
    if problem is not None:
        raise TemplateError(f"{where}: {problem}")
    return Template(module.ID, module.TIER, module.PARAMETERS, module.build, name, inspect.getdoc(module) or "")


def _module_problems(module: ModuleType) -> Iterator[str]:
    for name in ("ID", "TIER", "PARAMETERS", "build"):
        if not hasattr(module, name):
            yield f"a template needs ID, TIER, PARAMETERS and build; {name} is missing"
            return
    if not isinstance(module.ID, str) or not re.fullmatch(r"[\w-]+", module.ID):
        yield f"ID must be letters, digits, _ or -, not {module.ID!r}"
    if not isinstance(module.TIER, str) or module.TIER not in TIERS:
        yield f"no tier {module.TIER!r}; there are {', '.join(TIERS)}"
    if not isinstance(module.PARAMETERS, Mapping) or not all(
        isinstance(values, Sequence | np.ndarray) and len(values) for values in module.PARAMETERS.values()
    ):
        yield "PARAMETERS must give for each name the values that it can have"
        return
    if not callable(module.build):
        yield f"build must be a function, not {module.build!r}"
        return
    arguments = list(inspect.signature(module.build).parameters)[1:]
    if sorted(arguments) != sorted(module.PARAMETERS):
        names = ", ".join(module.PARAMETERS)
        yield f"build takes {', '.join(arguments) or 'nothing'} besides the world, but PARAMETERS has {names}"
