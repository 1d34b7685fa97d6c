"""A task: a scene, and the relation that two of its bodies must reach; tiers, relations, equality."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from tumble.checks import is_a
from tumble.errors import TumbleError
from tumble.scene import Body, Circle, Scene, Vec
from tumble.scene.checks import as_tuple, as_vector, shown
from tumble.scene.shapes import convex_hull, convexity_problems


class TaskError(TumbleError):
    """A task, tier, setting or fold that does not exist, or a task that is not valid."""


class TemplateError(TaskError):
    """A file that is no template, or a task that a template doesn't have."""


@dataclass(frozen=True)
class Tier:
    """A tier, "B" or "2B"; an action has three numbers (x, y, radius) for each of its balls."""

    name: str
    balls: int

    @property
    def numbers(self) -> int:
        """How many numbers an action has."""
        return 3 * self.balls


TIERS = {"B": Tier("B", 1), "2B": Tier("2B", 2)}


def tier_named(name: str) -> Tier:
    """The tier of a name; a TaskError if there is none."""
    if not is_a(str, name) or name not in TIERS:
        raise TaskError(f"no tier {name!r}; there are {', '.join(TIERS)}")
    return TIERS[name]


def as_tier(tier: Tier | str) -> Tier:
    """A tier, given itself or by its name."""
    return tier if isinstance(tier, Tier) else tier_named(tier)


TOUCHING = "touching"
BRIEFLY = "touching briefly"
NOT_TOUCHING = "not touching"
RELATION_CODES = {
    "above": 1,
    "below": 2,
    "left of": 3,
    "right of": 4,
    BRIEFLY: 5,
    TOUCHING: 6,
    "inside": 7,
    NOT_TOUCHING: 8,
    "not inside": 9,
}
"""The relations of a goal's first body to its second, with their codes in the original's binary files."""
MOST_CORNERS = 128
"""Of the area of a goal."""
RELATIONS_WITH_AREA = ("inside", "not inside")


def relation_names(value: object) -> tuple[str, ...]:
    """The names of one relation or of several; a TaskError if one isn't known.

    >>> relation_names("LEFT_OF"), relation_names(["above", "not touching"])
    (('left of',), ('above', 'not touching'))
    """
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, Sequence) or not values:
        raise TaskError(f"'relation' must be the name of a relation, or a list of names, got {shown(value)}")
    names = []
    for item in values:
        name = item.lower().replace("_", " ") if isinstance(item, str) else ""
        if name not in RELATION_CODES:
            raise TaskError(f"no relation {shown(item)}; there are {', '.join(RELATION_CODES)}")
        if name in names:
            raise TaskError(f"the relation {name!r} is given twice")
        names.append(name)
    return tuple(names)


def relations_of_codes(codes: object) -> tuple[str, ...]:
    """The names of relations given by their codes."""
    names = {code: name for name, code in RELATION_CODES.items()}
    if not isinstance(codes, Sequence):
        raise TaskError(f"'relations' must be a list of codes, got {shown(codes)}")
    for code in codes:
        if type(code) is not int or code not in names:
            known = ", ".join(f"{number} ({name})" for number, name in names.items())
            raise TaskError(f"no relation has the code {shown(code)}; there are {known}")
    return relation_names([names[code] for code in codes])


def needs_area(relations: Sequence[str]) -> bool:
    """Whether relations ask whether one body is inside the other."""
    return any(name in RELATIONS_WITH_AREA for name in relations)


def enclosed_area(body: Body) -> tuple[Vec, ...]:
    """The convex hull of a body's polygons: for a jar all that it encloses, up to its rim."""
    points = [vertex for shape in body.shapes if not isinstance(shape, Circle) for vertex in shape.vertices]
    if not points:
        raise TaskError("a goal of 'inside' or 'not inside' needs an area: a ball encloses none")
    return convex_hull(points)


def check_area(area: Sequence[Vec]) -> None:
    """Raises a TaskError unless the area is a convex polygon, listed counter-clockwise."""
    if not 3 <= len(area) <= MOST_CORNERS:
        raise TaskError(f"the area of the goal must have 3 to {MOST_CORNERS} vertices, got {len(area)}")
    problem = next(convexity_problems(area), None)
    if problem is not None:
        raise TaskError(f"the area of the goal: {problem}")


def goal_words(relations: Sequence[str], body: str, other: str, seconds: float) -> str:
    """What a goal asks for, in words.

    >>> goal_words(["left of"], "the ball", "the bar", 3)
    'the ball has to be left of the bar for 3 seconds'
    """
    held = f"for {seconds:g} seconds"
    if tuple(relations) == (TOUCHING,):
        return f"{body} has to touch {other} {held}"
    if tuple(relations) == (BRIEFLY,):
        return f"{body} has to touch {other} once"
    if tuple(relations) == (NOT_TOUCHING,):
        return f"{body} must never touch {other}, or part from it {held}"
    words = [name.removesuffix(" briefly") for name in relations]
    joined = " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    return f"{body} has to be {joined} {other} {held}"


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
        if not self.only_touching:
            return 0.0
        radii = []
        for index in (self.body, self.other):
            shapes = self.scene.bodies[index].shapes
            if len(shapes) != 1 or not isinstance(shapes[0], Circle):
                return 0.0
            radii.append(shapes[0].radius)
        return float(np.float32(sum(radii) + MAX_BALL_GAP) / np.float32(self.scene.units_per_metre))


EQUAL_WITHIN = 1e-6
"""Pixels and radians (and units of other fields) by which equal tasks may differ."""
EXACT_FIELDS = ("dynamic", "role", "bullet", "layer", "mask", "dormant")
NUMBER_FIELDS = (
    "angle",
    "angular_velocity",
    "density",
    "friction",
    "restitution",
    "gravity_scale",
    "linear_damping",
    "angular_damping",
)


def task_difference(task: Task, other: Task) -> str:
    """The first difference between two tasks, names of bodies aside; empty if they are equal."""
    if task.tier != other.tier:
        return "the tier"
    if (task.body, task.other) != (other.body, other.other):
        return "the goal"
    if set(task.relations) != set(other.relations) or not _close(_area(task), _area(other)):
        return "the relations of the goal"
    if len(task.scene.bodies) != len(other.scene.bodies):
        return f"the number of bodies, {len(task.scene.bodies)} and {len(other.scene.bodies)}"
    if not _close(_frame(task.scene), _frame(other.scene)):
        return "the size, units or gravity of the scene"
    pairs = zip(task.scene.bodies, other.scene.bodies, strict=True)
    return next((f"body {k}" for k, pair in enumerate(pairs) if not _equal_bodies(*pair)), "")


def _equal_bodies(body: Body, other: Body) -> bool:
    if any(getattr(body, field) != getattr(other, field) for field in EXACT_FIELDS):
        return False
    return _close(_numbers(body), _numbers(other))


def _close(numbers: list[float], others: list[float]) -> bool:
    return len(numbers) == len(others) and all(abs(a - b) <= EQUAL_WITHIN for a, b in zip(numbers, others, strict=True))


def _frame(scene: Scene) -> list[float]:
    return [scene.width, scene.height, scene.units_per_metre, *scene.gravity]


def _area(task: Task) -> list[float]:
    return [coordinate for vertex in task.area for coordinate in vertex]


def _numbers(body: Body) -> list[float]:
    """Position, material and shapes of a body as a flat list."""
    numbers = [*body.position, *body.velocity, *(getattr(body, field) for field in NUMBER_FIELDS)]
    for shape in body.shapes:
        points = [shape.centre] if isinstance(shape, Circle) else shape.vertices
        numbers += [len(points), shape.radius if isinstance(shape, Circle) else 0.0]
        numbers += [coordinate for point in points for coordinate in point]
    return numbers


DIGEST_PRECISION = 1e-4
"""Pixels and radians to which geometry is rounded: the last bits of a sine differ between machines."""


def digest_of_tasks(tasks: Iterable[Task]) -> str:
    """A digest of all that the outcomes of tasks depend on: their scenes and their goals.

    >>> from tumble.phyre.catalogue.tasks_by_id import task
    >>> digest_of_tasks([task("00000:000")])[:16]
    '3c06f30db40fc86c'
    """
    digest = sha256()
    for task in tasks:
        scene = task.scene
        goal: tuple[object, ...] = (task.id, task.tier, task.body, task.other, HOLD_STEPS)
        if not task.only_touching:  # the digests of published tasks are older than the other relations
            goal += tuple(sorted(task.relations))
        world = (scene.width, scene.height, scene.units_per_metre, scene.gravity)
        digest.update(repr((goal, world, [_material(body) for body in scene.bodies])).encode())
        numbers = [number for body in scene.bodies for number in _geometry(body)]
        numbers += [number for vertex in task.area for number in vertex]
        digest.update(np.rint(np.array(numbers) / DIGEST_PRECISION).astype("<i8").tobytes())
    return digest.hexdigest()


def _material(body: Body) -> tuple[object, ...]:
    flags = (body.dynamic, body.bullet, body.dormant, body.layer, body.mask, body.gravity_scale)
    return (*flags, body.density, body.friction, body.restitution, body.linear_damping, body.angular_damping)


def _geometry(body: Body) -> list[float]:
    numbers = [*body.position, body.angle, *body.velocity, body.angular_velocity, len(body.shapes)]
    for shape in body.shapes:
        if isinstance(shape, Circle):
            numbers += [1, *shape.centre, shape.radius]
        else:
            numbers += [len(shape.vertices), *(number for vertex in shape.vertices for number in vertex)]
    return numbers
