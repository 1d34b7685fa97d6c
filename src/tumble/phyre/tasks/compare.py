"""Comparing two tasks."""

from tumble.phyre.tasks.task import Task
from tumble.scene import Body, Circle, Scene

TOLERANCE = 1e-6
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


def difference(task: Task, other: Task) -> str:
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
    return next((f"body {k}" for k, pair in enumerate(pairs) if not _equal(*pair)), "")


def _equal(body: Body, other: Body) -> bool:
    if any(getattr(body, field) != getattr(other, field) for field in EXACT_FIELDS):
        return False
    return _close(_numbers(body), _numbers(other))


def _close(numbers: list[float], others: list[float]) -> bool:
    return len(numbers) == len(others) and all(abs(a - b) <= TOLERANCE for a, b in zip(numbers, others, strict=True))


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
