"""Variants of the engine with one change each, for tests and ablations."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import warp as wp

from tumble import engine
from tumble.engine.collision import broad_phase, contacts, time_of_impact
from tumble.engine.dynamics import contact_constraint, continuous, step
from tumble.engine.host import chunk
from tumble.engine.rollout.kernels import build_kernels
from tumble.engine.state import bodies
from tumble.engine.state.bodies import (
    CentrePose,
    centre_pose,
    set_centre_pose,
    set_start_pose,
    set_start_transform,
    set_transform,
    start_pose,
)
from tumble.engine.state.layout import BODY_FLAGS, DYNAMIC, TOUCHING_COUNT, TOUCHING_I
from tumble.engine.state.world import World, body_int, chunk_int, get_int, set_int, touching_contact

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def libm_sine_cosine(angle: float) -> tuple[float, float]:
    return wp.sin(angle), wp.cos(angle)


@wp.func
def drifting_advance(w: World, body: int, alpha: float) -> None:
    """Box2D's advance: static bodies are interpolated too, which can move them by one unit in the last place."""
    flags = body_int(w, body, BODY_FLAGS)
    end = centre_pose(w, body)
    pose = continuous.interpolate(start_pose(w, body), end, alpha)
    transform = bodies.transform_at(w, body, flags, pose.position, pose.angle)
    set_centre_pose(w, body, CentrePose(pose.position, pose.angle, end.sleep_time))
    set_start_transform(w, body, transform)
    set_transform(w, body, transform)
    if (flags & DYNAMIC) == 0:
        pose.fraction = 0.0
    set_start_pose(w, body, pose)


@wp.func
def no_impacts(w: World, dt: float, velocity_iterations: int, only_bullets: int) -> None:
    pass


@wp.func
def no_sleep(w: World, first: int, bodies: int, positions_solved: int, dt: float) -> None:
    pass


@wp.func
def update_oldest_first(w: World) -> None:
    contacts.update_contacts(w)
    last = get_int(w, TOUCHING_COUNT) - 1
    for k in range(get_int(w, TOUCHING_COUNT) // 2):
        contact = touching_contact(w, k)
        set_int(w, chunk_int(w, TOUCHING_I) + k, touching_contact(w, last - k))
        set_int(w, chunk_int(w, TOUCHING_I) + last - k, contact)


def settings_without_warm_starting(options: engine.Options) -> Any:
    settings = ORIGINAL_SETTINGS(options)
    settings.warm_start_ratio = 0.0
    return settings


ORIGINAL_SETTINGS: Callable[[engine.Options], Any] = chunk.step_settings
TRIG = [(module, "sine_cosine", libm_sine_cosine) for module in (bodies, broad_phase, time_of_impact)]
DRIFT = [(continuous, "advance", drifting_advance)]
VARIANTS: dict[str, list[tuple[Any, str, Any]]] = {
    "nothing changed": [],
    "difference undone: sine and cosine of the C library": TRIG,
    "difference undone: static bodies drift by units in the last place": DRIFT,
    "both differences undone": TRIG + DRIFT,
    "without continuous collision": [(step, "resolve_impacts", no_impacts)],
    "without warm starting": [(chunk, "step_settings", settings_without_warm_starting)],
    "contacts oldest first": [(step, "update_contacts", update_oldest_first)],
    "without the block solver": [(contact_constraint, "MAX_CONDITION_NUMBER", 0.0)],
    "without sleeping": [(step, "update_sleep", no_sleep)],
    "boxes without margin": [(broad_phase, "AABB_MARGIN", 0.0), (broad_phase, "AABB_STRETCH", 0.0)],
}


@contextmanager
def changed(changes: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """The engine with some of its functions or constants replaced."""
    build_kernels.cache_clear()
    patches = [patch.object(module, name, value) for module, name, value in changes]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
        build_kernels.cache_clear()
