"""A digest of tasks, which tells whether results belong to the same tasks."""

from collections.abc import Iterable
from hashlib import sha256

import numpy as np

from tumble.phyre.tasks.task import HOLD_STEPS, Task
from tumble.scene import Body, Circle

PRECISION = 1e-4
"""Pixels and radians to which geometry is rounded: the last bits of a sine differ between machines."""


def digest_of_tasks(tasks: Iterable[Task]) -> str:
    """A digest of all that the outcomes of tasks depend on: their scenes and their goals.

    >>> from tumble.phyre.tasks.catalogue import task
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
        digest.update(np.rint(np.array(numbers) / PRECISION).astype("<i8").tobytes())
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
