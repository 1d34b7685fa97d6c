"""Jax2D: all scenes in one batch of equal size, one kernel over all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax2d.engine import PhysicsEngine, create_empty_sim
from jax2d.sim_state import SimParams, SimState, StaticSimParams
from table import clock

from peers.peer import DT, Stepped, mass_of
from tumble.scene import Body, Circle, Scene

TITLE = f"Jax2D {version('jax2d')} (JAX {jax.__version__})"
DIFFERENCES = (
    "10 iterations as by default, contacts in batches of 16; no continuous collision, no sleep; the work of every "
    "possible pair of shapes, in all scenes as for the largest; no dynamic bodies of several shapes; "
    "on a busy CPU the time of its waiting threads counts too (3 to 6 rollouts/s seen)"
)
DEVICES = ("cpu", "cuda")
ONE_BY_ONE = False
MAX_SHAPES = 16
"""Its time grows with the square of the number of shapes."""
MAX_CORNERS = 4


def can_build(scene: Scene) -> bool:
    """Few shapes, of at most four corners; each dynamic body is one shape."""
    shapes = [shape for body in scene.bodies for shape in body.shapes]
    return (
        len(shapes) <= MAX_SHAPES
        and all(isinstance(shape, Circle) or len(shape.vertices) <= MAX_CORNERS for shape in shapes)
        and all(len(body.shapes) == 1 for body in scene.bodies if body.dynamic)
    )


@dataclass(frozen=True)
class _Layout:
    """A scene's shapes in the order of Jax2D's slots, each with the index of its body, and the body."""

    fixed: list[tuple[int, Body, Any]]
    """Polygons of static bodies."""
    moving: list[tuple[int, Body, Any]]
    """Polygons of dynamic bodies."""
    circles: list[tuple[int, Body, Any]]


def roll_out(scenes: Sequence[Scene], steps: int, device: str) -> Stepped:
    """Steps all scenes at once."""
    layouts = [_layout(scene) for scene in scenes]
    fixed, moving, circles = (
        max(len(getattr(one, kind)) for one in layouts) for kind in ("fixed", "moving", "circles")
    )
    static = StaticSimParams(
        num_polygons=fixed + max(2, moving),  # it refuses to have no pairs, and no joints
        num_circles=max(2, circles),
        num_joints=1,
        num_thrusters=1,
        max_polygon_vertices=MAX_CORNERS,
        num_static_fixated_polys=fixed,
    )
    place = jax.devices("gpu" if device.startswith("cuda") else "cpu")[0]
    batch = jax.device_put(_batch(scenes, layouts, static), place)
    run, now = _compiled(static, len(scenes), place), clock(device)
    start = now()
    ended = jax.block_until_ready(run(batch, steps))
    seconds = now() - start
    polygons, rounds = jax.device_get((ended.polygon, ended.circle))
    poses = []
    for k, (scene, layout) in enumerate(zip(scenes, layouts, strict=True)):
        rows = np.array([(*body.position, body.angle) for body in scene.bodies])
        for row, position, turn, middle in _moved(layout, fixed, polygons, rounds, k, scene.units_per_metre):
            cosine, sine = np.cos(turn), np.sin(turn)
            offset = np.array([cosine * middle[0] - sine * middle[1], sine * middle[0] + cosine * middle[1]])
            rows[row] = (*((position - offset) * scene.units_per_metre), turn)
        poses.append(rows)
    return Stepped(seconds, poses)


def _layout(scene: Scene) -> _Layout:
    layout = _Layout([], [], [])
    for row, body in enumerate(scene.bodies):
        for shape in body.shapes:
            if isinstance(shape, Circle):
                layout.circles.append((row, body, shape))
            else:
                (layout.moving if body.dynamic else layout.fixed).append((row, body, shape))
    return layout


@cache
def _compiled(static: StaticSimParams, worlds: int, place: Any) -> Any:
    """The function that steps a batch of this size on a device a number of times."""
    engine, settings = PhysicsEngine(static), SimParams(dt=DT, clip_position=1000.0)
    no_action = jnp.zeros(static.num_joints + static.num_thrusters)

    def step_all(states: SimState, steps: int) -> SimState:
        def once(_: int, current: SimState) -> SimState:
            return jax.vmap(lambda state: engine.step(state, settings, no_action)[0])(current)

        return jax.lax.fori_loop(0, steps, once, states)

    empty = create_empty_sim(static, add_floor=False, add_walls_and_ceiling=False)
    batch = jax.tree.map(lambda value: jnp.broadcast_to(value, (worlds, *jnp.shape(value))), empty)
    return jax.jit(step_all).lower(jax.device_put(batch, place), 1).compile()


def _batch(scenes: Sequence[Scene], layouts: Sequence[_Layout], static: StaticSimParams) -> SimState:
    """The scenes as one state with the scene as its first axis; slots without a shape are not active."""
    empty = create_empty_sim(static, add_floor=False, add_walls_and_ceiling=False)
    batch = jax.tree.map(lambda value: np.array(np.broadcast_to(value, (len(scenes), *np.shape(value)))), empty)
    polygon, circle = batch.polygon, batch.circle
    for k, (scene, layout) in enumerate(zip(scenes, layouts, strict=True)):
        units = scene.units_per_metre
        for first, entries in ((0, layout.fixed), (static.num_static_fixated_polys, layout.moving)):
            for slot, (_, body, shape) in enumerate(entries, first):
                middle = mass_of(replace(body, shapes=(shape,)), units).centre
                corners = (np.array(shape.vertices) / units - middle)[::-1]  # clockwise
                _fill(polygon, (k, slot), body, units, middle)
                polygon.n_vertices[k, slot] = len(corners)
                polygon.vertices[k, slot, : len(corners)] = corners
        for slot, (_, body, shape) in enumerate(layout.circles):
            _fill(circle, (k, slot), body, units, np.array(shape.centre) / units)
            circle.radius[k, slot] = shape.radius / units
        batch.gravity[k] = scene.gravity
    return batch


def _fill(bodies: Any, at: tuple[int, int], body: Body, units_per_metre: float, middle: np.ndarray) -> None:
    """Fills a slot, except for the shape, whose middle is given in body coordinates."""
    cosine, sine = np.cos(body.angle), np.sin(body.angle)
    offset = (cosine * middle[0] - sine * middle[1], sine * middle[0] + cosine * middle[1])
    bodies.position[at] = np.array(body.position) / units_per_metre + offset
    bodies.rotation[at] = body.angle
    if body.dynamic:
        mass = mass_of(body, units_per_metre)
        bodies.inverse_mass[at], bodies.inverse_inertia[at] = 1.0 / mass.mass, 1.0 / mass.inertia
    else:
        bodies.inverse_mass[at] = bodies.inverse_inertia[at] = 0.0
    bodies.friction[at] = body.friction
    bodies.restitution[at] = np.sqrt(body.restitution)  # those of two shapes are multiplied
    bodies.active[at] = True


def _moved(
    layout: _Layout, fixed: int, polygons: Any, circles: Any, k: int, units_per_metre: float
) -> Iterator[tuple[int, Any, Any, Any]]:
    """Of each dynamic body of scene k: its row, its shape's position and angle, and the middle of the shape."""
    for slot, (row, body, _) in enumerate(layout.moving, fixed):
        middle = mass_of(body, units_per_metre).centre
        yield row, polygons.position[k, slot], polygons.rotation[k, slot], middle
    for slot, (row, body, shape) in enumerate(layout.circles):
        if body.dynamic:
            yield row, circles.position[k, slot], circles.rotation[k, slot], np.array(shape.centre) / units_per_metre
