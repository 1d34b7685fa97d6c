"""Chipmunk through its binding pymunk."""

import math
from collections.abc import Sequence

import numpy as np
import pymunk
from table import clock

from peers.peer import DT, Stepped
from tumble.scene import Body, Circle, Scene

TITLE = f"pymunk {pymunk.version} (Chipmunk {pymunk.chipmunk_version.partition('-')[0]})"
DIFFERENCES = (
    "no continuous collision, no position iterations, 15 velocity iterations as ours, point by point; sleep as ours; "
    "double precision; a Python call for each step"
)
DEVICES = ("cpu",)
ONE_BY_ONE = True
ITERATIONS = 15


def can_build(scene: Scene) -> bool:
    """Any scene."""
    return True


def roll_out(scenes: Sequence[Scene], steps: int, device: str) -> Stepped:
    """Steps one world after the other."""
    now, seconds, poses = clock(device), 0.0, []
    for scene in scenes:
        space = pymunk.Space()
        space.gravity = scene.gravity
        space.iterations = ITERATIONS
        space.sleep_time_threshold = 0.5
        space.collision_slop = 0.005
        bodies = [_add(space, body, scene.units_per_metre) for body in scene.bodies]
        step = space.step
        start = now()
        for _ in range(steps):
            step(DT)
        seconds += now() - start
        units = scene.units_per_metre
        poses.append(np.array([(body.position.x * units, body.position.y * units, body.angle) for body in bodies]))
    return Stepped(seconds, poses)


def _add(space: pymunk.Space, body: Body, units_per_metre: float) -> pymunk.Body:
    added = pymunk.Body(body_type=pymunk.Body.DYNAMIC if body.dynamic else pymunk.Body.STATIC)
    added.position = (body.position[0] / units_per_metre, body.position[1] / units_per_metre)
    added.angle = body.angle
    shapes: list[pymunk.Shape] = []
    for shape in body.shapes:
        if isinstance(shape, Circle):
            centre = (shape.centre[0] / units_per_metre, shape.centre[1] / units_per_metre)
            shapes.append(pymunk.Circle(added, shape.radius / units_per_metre, centre))
        else:
            shapes.append(pymunk.Poly(added, [(x / units_per_metre, y / units_per_metre) for x, y in shape.vertices]))
        # Chipmunk multiplies the coefficients of two shapes; those of a scene are mostly equal.
        shapes[-1].friction = math.sqrt(body.friction)
        shapes[-1].elasticity = math.sqrt(body.restitution)
        if body.dynamic:
            shapes[-1].density = body.density
    space.add(added, *shapes)
    return added
