"""PHYRE's speed on one core: sweeps compared with the bare engine, building the tasks, drawing observations.

python benchmarks/speed/phyre_speed.py
"""

import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results

from tumble import engine, phyre
from tumble.phyre.simulation.actions import fixed_set, placed_balls
from tumble.phyre.simulation.attempt import Attempt, build_ball_worlds, goal_rule
from tumble.phyre.simulation.status import INVALID

ACTIONS = 10_000
REPEATS = 5
SWEPT = ("00002:004", "00010:003", "00016:000", "00021:004")
BUILD = """
import time
from tumble import phyre
start = time.perf_counter()
count = len(phyre.tasks())
print(count, time.perf_counter() - start)
"""


def sweep_over_engine(task: phyre.Task) -> tuple[float, float]:
    """The rate of a sweep divided by that of the engine on the same valid worlds, and the latter; medians."""
    simulator = phyre.Simulator([task], task.tier, threads=1)
    actions = fixed_set(simulator.tier, ACTIONS)
    status = simulator.sweep(actions, progress=lambda _: None)
    balls = placed_balls(actions[status[0] != INVALID])
    task_of = np.zeros(len(balls), int)
    worlds, rule = build_ball_worlds((task.scene,), task_of, balls), goal_rule([task], task_of)
    ratios, rates = [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        simulator.sweep(actions, progress=lambda _: None)
        middle = time.perf_counter()
        engine.rollout(worlds, rule, engine.Options(threads=1))
        end = time.perf_counter()
        ratios.append((end - middle) / (middle - start))
        rates.append(len(balls) / (end - middle))
    return float(np.median(ratios)), float(np.median(rates))


def microseconds_per_picture(attempts: list[Attempt], single: bool) -> float:
    """The time to draw an observation: one by one, or all frames of an attempt together."""
    frames = 0
    start = time.perf_counter()
    for attempt in attempts:
        assert attempt.scene is not None
        assert attempt.states is not None
        poses = attempt.states[:, :, :3]
        for part in poses if single else [poses]:
            phyre.observe.picture(attempt.scene, part)
        frames += len(poses)
    return (time.perf_counter() - start) / frames * 1e6


def main() -> None:
    results = Results(f"PHYRE on one core, {engine.physics_id()}")
    for task_id in SWEPT:
        ratio, rate = sweep_over_engine(phyre.task(task_id))
        note = f"the engine alone: {rate:.0f} rollouts/s; medians of {REPEATS}"
        results.add(f"sweep of {ACTIONS} actions on {task_id} over the engine", f"{ratio:.3f} x", "0.9 x", "", note)
    took = []
    for _ in range(3):
        process = subprocess.run([sys.executable, "-c", BUILD], capture_output=True, text=True, check=True)
        count, seconds = process.stdout.split()[-2:]
        took.append(float(seconds))
    results.add(f"building all {count} tasks", f"{np.median(took):.1f} s", "10 s", "", "median of 3 new processes")
    ids = [task_id for task_id in phyre.task_ids("B") if task_id.endswith("0")][::8]
    simulator = phyre.Simulator([phyre.task(task_id) for task_id in ids], "B")
    actions = np.concatenate(
        [phyre.actions.sample_valid(t.scene, simulator.tier, 1, np.random.default_rng(0)) for t in simulator.tasks]
    )
    attempts = simulator.attempts(ids, actions, want=["states"])
    for single, how in ((True, "one by one"), (False, "all frames of an attempt at once")):
        microseconds_per_picture(attempts, single)
        value = float(np.median([microseconds_per_picture(attempts, single) for _ in range(REPEATS)]))
        note = f"{len(ids)} tasks of tier B, median of {REPEATS}"
        results.add(f"drawing a 256 x 256 observation, {how}", f"{value:.0f} us", "100 us", "", note)
    results.finish("phyre-speed")


if __name__ == "__main__":
    main()
