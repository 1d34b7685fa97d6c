"""Branches of one moment against plain rollouts, on one core: worlds per second, as ratios within one run.

    python benchmarks/speed/branch.py

10,000 pushes of one moment of an attempt are branched (`phyre.Session.branch`, everything included: checks, parameters,
statuses). The plain rollouts are the same worlds without sessions: the moment's poses and velocities as a scene, each
world with the pushed velocity of the body, under the plain goal rule, for the same number of steps. Both are timed in
turns, in CPU seconds of this process, which other load disturbs least; a ratio is the median of the ratios of
consecutive timings.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results

from tumble import engine, phyre
from tumble.phyre.simulation.attempt import goal_rule

COUNT, REPEATS = 10_000, 5
MOMENT, STEPS = 60, 300
TASKS = ("00003:001", "00008:050", "00015:003", "00020:010")
LARGEST_IMPULSE = 20.0


def moment_scene(session: phyre.Session) -> phyre.Task:
    """The session's task with its bodies where they are now, moving as they do."""
    state, bodies = session.state, []
    for body, pose, velocity in zip(session.scene.bodies, state.poses, state.velocities, strict=True):
        moving = {"velocity": tuple(velocity[:2].tolist()), "angular_velocity": float(velocity[2])}
        place = {"position": tuple(pose[:2].tolist()), "angle": float(pose[2])}
        bodies.append(replace(body, **place, **moving) if body.dynamic else body)
    return replace(session.task, scene=replace(session.scene, bodies=tuple(bodies)))


def plain_rollouts(session: phyre.Session, body: int, impulses: np.ndarray) -> Callable[[], engine.Rollouts]:
    """Rolls out the pushed worlds with the plain rule."""
    task, state = moment_scene(session), session.state
    velocities = np.repeat(state.velocities[None, None, body], COUNT, axis=0)
    velocities[:, 0, :2] += impulses / session.masses[body] * session.scene.units_per_metre
    poses = np.repeat(state.poses[None, None, body], COUNT, axis=0)
    rule = goal_rule([task], np.zeros(COUNT, int))
    options = engine.Options(threads=1, max_steps=STEPS)
    return lambda: engine.rollout(
        engine.variants(task.scene, target=body, poses=poses, velocities=velocities), rule, options
    )


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(results: Results, task_id: str) -> list[float]:
    """Ratios of the rate of branches over that of plain rollouts, at one task."""
    task, rng = phyre.task(task_id), np.random.default_rng(0)
    actions = phyre.actions.sample_valid(task.scene, phyre.TIERS[task.tier], 1, rng)
    session = phyre.Session(task, actions[0], threads=1)
    session.step(MOMENT)
    body = len(session.scene.bodies) - 1
    impulses = rng.uniform(-LARGEST_IMPULSE, LARGEST_IMPULSE, (COUNT, 2))
    plans = [[phyre.Push(body, tuple(impulse))] for impulse in impulses.tolist()]
    plain = plain_rollouts(session, body, impulses)
    session.branch(plans[:100], STEPS)
    plain()
    times = [(seconds(plain), seconds(lambda: session.branch(plans, STEPS))) for _ in range(REPEATS)]
    ratios = [alone / branched for alone, branched in times]
    note = f"{np.median([COUNT / branched for _, branched in times]):.0f} branches/s"
    results.add(f"branches over plain rollouts, task {task_id}", f"{np.median(ratios):.2f} x", "0.9 x", "", note)
    return ratios


def main() -> None:
    results = Results(f"{COUNT:,} branches of one moment, one core, {engine.physics_id()}")
    ratios = [ratio for task_id in TASKS for ratio in measure(results, task_id)]
    spread = f"median of {len(ratios)} ratios, from {min(ratios):.2f} to {max(ratios):.2f}"
    note = f"{spread}; {STEPS} steps after step {MOMENT}"
    results.add("branches over plain rollouts, all", f"{np.median(ratios):.2f} x", "0.9 x", "", note)
    results.finish("branch")


if __name__ == "__main__":
    main()
