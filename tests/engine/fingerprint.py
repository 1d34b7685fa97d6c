"""A rule whose verdict depends on every bit of a scene's bodies, and variants of scenes to tell apart by it."""

import numpy as np
import warp as wp

from tumble import engine
from tumble.engine.rules.queries import angle, current_step, int_param, position, velocity
from tumble.engine.state.world import World
from tumble.scene import Body, Circle, Scene, box

BALL = Body((Circle(5.0),), dynamic=True, density=0.25, friction=0.5, restitution=0.2)
CRATE = Body((box(12.0, 9.0),), dynamic=True, density=0.25, friction=0.5, restitution=0.2)


@wp.func
def mixed(total: int, value: float) -> int:
    return (total ^ wp.cast(value, wp.int32)) * 16777619


@wp.func
def fingerprint(w: World) -> int:
    """At a given step, a verdict from 1 to 127 that depends on every bit of the scene's bodies."""
    if current_step(w) < int_param(w, 0):
        return 0
    total = int(-2128831035)
    for body in range(int_param(w, 1)):
        p = position(w, body)
        v = velocity(w, body)
        total = mixed(mixed(mixed(total, p[0]), p[1]), angle(w, body))
        total = mixed(mixed(mixed(total, v.linear[0]), v.linear[1]), v.angular)
    return 1 + ((total >> 8) & 0xFFFF) % 127


def fingerprints(scenes: list[Scene], scene_of: np.ndarray, at: np.ndarray) -> engine.Rule:
    """The rule that takes every scene's fingerprint at a step of its own."""
    bodies = np.array([len(scene.bodies) for scene in scenes])
    ints = np.stack([at[scene_of], bodies[scene_of]], axis=1)
    return engine.Rule(fingerprint, ints=ints, only_scene_bodies=True)


def variants_of(
    scenes: list[Scene], count: int, bodies: int, rng: np.random.Generator
) -> tuple[engine.Worlds, np.ndarray]:
    """Scenes with balls and crates added anywhere, and the scene of each world."""
    scene_of = rng.integers(0, len(scenes), count)
    poses = rng.uniform((8.0, 40.0, -3.0), (248.0, 240.0, 3.0), (count, bodies, 3))
    kind = rng.integers(0, 2, (count, bodies))
    return engine.variants(scenes, scene_of=scene_of, kinds=[BALL, CRATE], kind=kind, poses=poses), scene_of
