"""Box2D 3 through its binding pyb2d3."""

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
import pyb2d3 as b2
from table import clock

from peers.peer import DT, Stepped
from tumble.scene import Body, Circle, Scene

TITLE = f"Box2D 3.1 (pyb2d3 {version('pyb2d3')})"
DIFFERENCES = (
    "another solver (soft contacts, 4 sub-steps instead of 15 velocity and 20 position iterations); continuous "
    "collision and sleep as ours; a Python call for each step"
)
DEVICES = ("cpu",)
ONE_BY_ONE = True
SUB_STEPS = 4
"""Box2D's recommendation for 60 steps a second."""
MAX_CORNERS = 8


def can_build(scene: Scene) -> bool:
    """Polygons have at most 8 corners."""
    return all(
        isinstance(shape, Circle) or len(shape.vertices) <= MAX_CORNERS
        for body in scene.bodies
        for shape in body.shapes
    )


def roll_out(scenes: Sequence[Scene], steps: int, device: str) -> Stepped:
    """Steps one world after the other; each is gone before the next is made, as there can be 128 at most."""
    now, seconds, poses = clock(device), 0.0, []
    for scene in scenes:
        world = b2.World(gravity=scene.gravity)
        bodies = [_add(world, body, scene.units_per_metre) for body in scene.bodies]
        step = world.step
        start = now()
        for _ in range(steps):
            step(DT, SUB_STEPS)
        seconds += now() - start
        poses.append(
            np.array(
                [
                    (body.position[0] * scene.units_per_metre, body.position[1] * scene.units_per_metre, body.angle)
                    for body in bodies
                ]
            )
        )
        del bodies, step, world
    return Stepped(seconds, poses)


def _add(world: b2.World, body: Body, units_per_metre: float) -> b2.Body:
    x, y = body.position
    added = world.create_body(
        type=b2.BodyType.DYNAMIC if body.dynamic else b2.BodyType.STATIC,
        position=(x / units_per_metre, y / units_per_metre),
        rotation=b2.make_rot(body.angle),
        linear_damping=body.linear_damping,
        angular_damping=body.angular_damping,
    )
    material = b2.surface_material(friction=body.friction, restitution=body.restitution)
    definition = b2.shape_def(density=body.density, material=material)
    for shape in body.shapes:
        if isinstance(shape, Circle):
            centre = (shape.centre[0] / units_per_metre, shape.centre[1] / units_per_metre)
            added.create_shape(definition, b2.circle(center=centre, radius=shape.radius / units_per_metre))
        else:
            corners = np.array(shape.vertices, np.float32) / np.float32(units_per_metre)
            added.create_shape(definition, b2.polygon(points=corners))
    return added
