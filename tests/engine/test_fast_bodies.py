"""Fast bodies do not tunnel through thin ones."""

from itertools import product
from math import cos, sin

import numpy as np
from mechanics import STILL

from tumble import engine
from tumble.scene import Body, Circle, Scene, box, regular_polygon


def test_nothing_passes_a_thin_wall() -> None:
    """A wall of 2 cm, and discs, boxes and triangles that move up to a hundred times that in a step."""
    wall = Body((box(0.02, 40.0),), position=(10.0, 0.0), restitution=0.3)
    sizes = (0.05, 0.2, 1.0)
    kinds = [
        Body((shape,), dynamic=True, restitution=0.5)
        for size in sizes
        for shape in (Circle(size), box(size, 2.0 * size), regular_polygon(3, size))
    ]
    cases = list(product(range(len(kinds)), (30.0, 90.0, 200.0, 1000.0), (0.0, 0.31, 0.77, 1.4), (-0.6, 0.0, 0.4)))
    worlds = engine.variants(
        Scene((wall,), gravity=STILL),
        kinds=kinds,
        kind=[[kind] for kind, *_ in cases],
        poses=[[[5.0 + offset, -2.0, 0.3]] for _, _, offset, _ in cases],
        velocities=[[[speed * cos(a), speed * sin(a), 20.0]] for _, speed, _, a in cases],
    )
    result = engine.rollout(worlds, options=engine.Options(max_steps=60, stride=1, velocities=True))
    before_wall = result.poses[:, :, 1, 0]
    assert before_wall.max() < 10.0 - 0.01
    assert (result.velocities[:, -1, 1, 0] <= 0.0).all()


def test_a_bullet_does_not_pass_a_thin_plate_that_can_move() -> None:
    half = 2.0
    plate = Body((box(0.05, 2.0 * half),), position=(10.0, 0.0), dynamic=True)
    kinds = [
        Body((Circle(radius),), dynamic=True, bullet=True, density=d) for radius in (0.05, 0.2, 0.5) for d in (0.2, 5.0)
    ]
    cases = list(product(range(len(kinds)), (60.0, 110.0, 200.0, 1000.0), (0.0, 0.31, 0.77, 1.4), (-1.0, 0.0, 1.5)))
    worlds = engine.variants(
        Scene((plate,), gravity=STILL),
        kinds=kinds,
        kind=[[kind] for kind, *_ in cases],
        poses=[[[5.0 + offset, height, 0.0]] for _, _, offset, height in cases],
        velocities=[[[speed, 0.0, 0.0]] for _, speed, _, _ in cases],
    )
    result = engine.rollout(worlds, options=engine.Options(max_steps=60, stride=1, velocities=True))
    x, y, angle = np.moveaxis(result.poses[:, :, 0].astype(float), -1, 0)
    dx, dy = result.poses[:, :, 1, 0] - x, result.poses[:, :, 1, 1] - y
    behind, along = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
    assert (result.velocities[:, -1, 0, 0] > 0.0).all()
    # once the plate turns, what was knocked aside may well pass around its end
    in_front = np.logical_and.accumulate(np.abs(along) < half, axis=1)
    assert (behind[in_front] < 0.0).all()
