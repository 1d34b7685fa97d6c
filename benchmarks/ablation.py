"""What each part of the physics, and each deliberate difference from Box2D, does to the outcome.

    python benchmarks/ablation.py

Each row is an engine with one thing changed, compiled for the purpose (a quarter of a minute), compared with Box2D.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import warp as wp
from box2d import rollouts as box2d_rollouts
from published import SHARED, Case, Published, load
from table import Results

from tumble import engine
from tumble.engine import (
    block,
    bodies,
    broad_phase,
    contact_solver,
    contacts,
    continuous,
    islands,
    populate,
    step,
    time_of_impact,
)
from tumble.engine.kernel import kernel_for
from tumble.engine.state import (
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
SAMPLE = 1000


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
def no_impacts(w: World, dt: float, velocity_iterations: int) -> None:
    pass


@wp.func
def no_sleep(w: World, solved: int, dt: float) -> None:
    pass


@wp.func
def refresh_in_age_order(w: World) -> None:
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
    "contacts oldest first": [(step, "refresh_contacts", refresh_in_age_order)],
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


def sample(solutions: dict[str, Any], kind: str) -> list[Case]:
    cases = [(task_id, action) for task_id, known in solutions.items() for action in known[kind]]
    chosen = np.random.default_rng(0).choice(len(cases), SAMPLE, replace=False)
    return [cases[k] for k in np.sort(chosen)]


def main() -> None:
    data, solutions = Published(), load("official_solutions.json.xz")
    results = Results(f"One thing changed at a time, {engine.physics_id()}")
    recorded = np.load(SHARED / "phyre" / "box2d_rollouts.npz")
    meta = json.loads(str(recorded["meta"]))
    cases = {kind: sample(solutions, kind) for kind in ("stable", "unstable")}
    reference = {kind: box2d_rollouts(data.raw, chosen)[0] == 1 for kind, chosen in cases.items()}
    for name, changes in VARIANTS.items():
        with changed(changes):
            worlds, goal = data.worlds([(case["task"], case["action"]) for case in meta])
            poses = engine.rollout(worlds, goal, engine.Options(stride=1)).poses
            apart, identical = [], 0
            for k in range(len(meta)):
                steps, theirs = recorded[f"steps_{k}"].astype(int), recorded[f"pose_{k}"]
                ours = poses[k, np.minimum(steps + 1, 1000), : theirs.shape[1]]
                early = steps < 60
                apart.append(np.abs(ours[early, :, :2] - theirs[early, :, :2]).max())
                identical += np.array_equal(ours, theirs)
            verdicts = {}
            for kind, chosen in cases.items():
                worlds, goal = data.worlds(chosen)
                verdicts[kind] = engine.rollout(worlds, goal, engine.Options(share_past=False)).verdicts == 1
        value = ", ".join(
            f"{kind}: {np.mean(ours):.1%} solve, {np.sum(ours != reference[kind])} differ"
            for kind, ours in verdicts.items()
        )
        note = f"first 60 steps: median {np.median(apart):.1e}, 95 % {np.quantile(apart, 0.95):.1e} px; "
        results.add(name, value, note=note + f"{identical} of {len(meta)} recorded rollouts equal in every bit")
    box2d = ", ".join(f"{kind}: {np.mean(solves):.1%} solve" for kind, solves in reference.items())
    results.add("Box2D itself", box2d, note=f"{SAMPLE} stable and {SAMPLE} unstable published solutions")
    results.finish("ablation")


if __name__ == "__main__":
    main()
