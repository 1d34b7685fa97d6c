"""The engine with timers between the phases of a step, and counters of what a step works on; for a CPU.

A timer is read at the borders of phases only. What a reading takes is measured and subtracted; times so long that the
system must have run another program are left out.
"""

from typing import Any

import numpy as np
import warp as wp

from tumble.engine.collision.contacts import create_contacts, update_contacts
from tumble.engine.dynamics import step
from tumble.engine.dynamics.continuous import resolve_impacts
from tumble.engine.dynamics.islands import StepSettings, build_islands, finish_islands
from tumble.engine.dynamics.step import solve_all_velocities, step_world
from tumble.engine.rollout import kernels
from tumble.engine.state.bodies import is_active
from tumble.engine.state.layout import BODY_FLAGS, CONTACT_COUNT, DYNAMIC_COUNT, TOUCHING_COUNT
from tumble.engine.state.world import World, body_int, dynamic_body, get_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

PHASES = (
    "contacts: manifolds",
    "islands: search",
    "islands: constraints, warm start",
    "islands: velocity iterations",
    "islands: motion, position correction, sleep",
    "islands: AABBs",
    "new pairs",
    "impacts",
    "outside steps: building worlds, saving states, nearness, rule",
)
CONTACTS, SEARCH, PREPARE, VELOCITIES, POSITIONS, BOXES, PAIRS, IMPACTS, OUTSIDE = range(len(PHASES))
COUNTS = ("steps", "awake bodies", "contacts", "touching contacts", "islands")
STEPS, AWAKE_BODIES, ALL_CONTACTS, TOUCHING, ISLANDS = range(len(COUNTS))

# layout of the counters: ticks of each phase, readings in each phase, counts, the current phase, the last reading
_READINGS = len(PHASES)
_COUNTS = 2 * len(PHASES)
_CURRENT = _COUNTS + len(COUNTS)
_counters = np.zeros(_CURRENT + 2, np.int64)

_ENTER = f"""
#if !defined(__CUDA_ARCH__)
#if defined(__aarch64__)
    const long long longest = 1 << 13;  // some 100 us of either counter
    const long long now = (long long)__builtin_arm_rsr64("CNTVCT_EL0");
#else
    const long long longest = 1 << 18;
    const long long now = (long long)__builtin_readcyclecounter();
#endif
    long long* c = (long long*){_counters.ctypes.data}LL;
    const long long current = c[{_CURRENT}];
    const long long passed = now - c[{_CURRENT + 1}];
    if (passed < longest)
    {{
        c[current] += passed;
        c[{_READINGS} + current] += 1;
    }}
    c[{_CURRENT}] = phase;
    c[{_CURRENT + 1}] = now;
#endif
"""


@wp.func_native(_ENTER)
def enter(phase: int) -> None:
    """Ends the current phase and begins another."""
    ...


@wp.func_native(f"((long long*){_counters.ctypes.data}LL)[{_COUNTS} + what] += number;")
def count(what: int, number: int) -> None: ...


@wp.func
def timed_step(w: World, settings: StepSettings, running: int) -> None:
    step_world(w, settings, running)
    enter(OUTSIDE)


@wp.func
def timed_contacts(w: World) -> None:
    enter(CONTACTS)
    update_contacts(w)
    count(STEPS, 1)
    count(ALL_CONTACTS, get_int(w, CONTACT_COUNT))
    count(TOUCHING, get_int(w, TOUCHING_COUNT))
    for k in range(get_int(w, DYNAMIC_COUNT)):
        if is_active(body_int(w, dynamic_body(w, k), BODY_FLAGS)):
            count(AWAKE_BODIES, 1)
    enter(SEARCH)


@wp.func
def timed_search(w: World, dt: float) -> tuple[int, int, int]:
    islands, bodies, constraints = build_islands(w, dt)
    count(ISLANDS, islands)
    enter(PREPARE)
    return islands, bodies, constraints


@wp.func
def timed_velocities(w: World, constraints: int, iterations: int) -> None:
    enter(VELOCITIES)
    solve_all_velocities(w, constraints, iterations)
    enter(POSITIONS)


@wp.func
def timed_boxes(w: World) -> None:
    enter(BOXES)
    finish_islands(w)


@wp.func
def timed_pairs(w: World) -> None:
    enter(PAIRS)
    create_contacts(w)


@wp.func
def timed_impacts(w: World, dt: float, velocity_iterations: int, only_bullets: int) -> None:
    enter(IMPACTS)
    resolve_impacts(w, dt, velocity_iterations, only_bullets)
    enter(OUTSIDE)


@wp.kernel
def read_timer_often(times: int) -> None:
    for _k in range(times):
        enter(0)


TIMERS: list[tuple[Any, str, Any]] = [
    (kernels, "step_world", timed_step),
    (step, "update_contacts", timed_contacts),
    (step, "create_contacts", timed_pairs),
    (step, "resolve_impacts", timed_impacts),
    (step, "build_islands", timed_search),
    (step, "solve_all_velocities", timed_velocities),
    (step, "finish_islands", timed_boxes),
]
"""What is replaced, as `other_physics.changed` takes it."""


def start() -> None:
    """Sets all counters to 0 and begins the last phase."""
    _counters[:] = 0
    wp.launch(read_timer_often, dim=1, inputs=[1], device="cpu")
    _counters[:_CURRENT] = 0
    _counters[_CURRENT] = OUTSIDE


def ticks_per_reading() -> float:
    """What one reading of the timer takes, in ticks of it."""
    times = 1_000_000
    wp.launch(read_timer_often, dim=1, inputs=[times], device="cpu")
    start()
    wp.launch(read_timer_often, dim=1, inputs=[times], device="cpu")
    return float(_counters[: len(PHASES)].sum()) / times


def shares(reading: float) -> np.ndarray:
    """float [phases]: the share of each phase since the start, where a reading takes that many ticks."""
    ticks = _counters[: len(PHASES)] - reading * _counters[_READINGS:_COUNTS]
    return np.maximum(ticks, 0.0) / np.maximum(ticks, 0.0).sum()


def counts() -> np.ndarray:
    """int [COUNTS] since the start."""
    return _counters[_COUNTS:_CURRENT].copy()
