"""Engines with one thing changed: what tests and ablations compare ours with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import warp as wp

from tumble import engine
from tumble.engine.collision import broad_phase, contacts, time_of_impact
from tumble.engine.dynamics import contact_solver, continuous, islands, step
from tumble.engine.host import block
from tumble.engine.rollout import populate
from tumble.engine.rollout.kernel import kernel_for
from tumble.engine.state import bodies
from tumble.engine.state.layout import (
    BODY_FLAGS,
    DYNAMIC,
    PLACE,
    PLACE0,
    SWEEP,
    SWEEP0,
    TOUCHES,
    World,
    body_int,
    body_vec,
    get,
    put,
    put_body_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def libm_sine_cosine(angle: float) -> tuple[float, float]:
    return wp.sin(angle), wp.cos(angle)


@wp.func
def drifting_advance(w: World, body: int, alpha: float) -> None:
    """Box2D's advance: static bodies are interpolated too, which can move them by one unit in the last place."""
    flags = body_int(w, body, BODY_FLAGS)
    sweep = body_vec(w, body, SWEEP)
    c = continuous.swept_to(body_vec(w, body, SWEEP0), sweep, alpha)
    place = bodies.transform(w, body, flags, c[0], c[1], c[2])
    put_body_vec(w, body, SWEEP, wp.vec4(c[0], c[1], c[2], sweep[3]))
    put_body_vec(w, body, PLACE0, place)
    put_body_vec(w, body, PLACE, place)
    if (flags & DYNAMIC) == 0:
        c = wp.vec4(c[0], c[1], c[2], 0.0)
    put_body_vec(w, body, SWEEP0, c)


@wp.func
def no_impacts(w: World, dt: float, velocity_iterations: int, only_bullets: int) -> None:
    pass


@wp.func
def no_sleep(w: World, solved: int, dt: float) -> None:
    pass


@wp.func
def refresh_oldest_first(w: World) -> None:
    contacts.refresh_contacts(w)
    last = get(w, TOUCHES) - 1
    for k in range(get(w, TOUCHES) // 2):
        kept = get(w, w.touch_i + k)
        put(w, w.touch_i + k, get(w, w.touch_i + last - k))
        put(w, w.touch_i + last - k, kept)


def cold_stepping(options: engine.Options) -> Any:
    stepping = ORIGINAL_STEPPING(options)
    stepping.warm = 0.0
    return stepping


ORIGINAL_STEPPING: Callable[[engine.Options], Any] = block.stepping_of
TRIG = [(module, "sine_cosine", libm_sine_cosine) for module in (bodies, populate, time_of_impact)]
DRIFT = [(continuous, "advance", drifting_advance)]
VARIANTS: dict[str, list[tuple[Any, str, Any]]] = {
    "nothing changed": [],
    "difference undone: sine and cosine of the C library": TRIG,
    "difference undone: static bodies drift by units in the last place": DRIFT,
    "both differences undone": TRIG + DRIFT,
    "without continuous collision": [(step, "resolve_impacts", no_impacts)],
    "without warm starting": [(block, "stepping_of", cold_stepping)],
    "contacts oldest first": [(step, "refresh_contacts", refresh_oldest_first)],
    "without the block solver": [(contact_solver, "MAX_CONDITION_NUMBER", 0.0)],
    "without sleeping": [(islands, "rest_or_sleep", no_sleep)],
    "boxes without margin": [(broad_phase, "AABB_MARGIN", 0.0), (broad_phase, "AABB_STRETCH", 0.0)],
}


@contextmanager
def changed(changes: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """The engine with some of its functions or constants replaced."""
    kernel_for.cache_clear()
    patches = [patch.object(module, name, value) for module, name, value in changes]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
        kernel_for.cache_clear()
