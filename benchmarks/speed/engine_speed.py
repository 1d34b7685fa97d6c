"""Speed of the engine beside Box2D and on a GPU, by the number of worlds, from a cold start; and its memory.

    python benchmarks/speed/engine_speed.py [--device cuda] [--part engine scaling memory first-call]

`engine_peers.py` sets it beside other engines. Absolute times vary with the machine's load; ratios are of times
measured in turns.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from published import ROOT, Published, box2d_rollouts, cases_of, one_of_each
from table import Results, arguments, clock, say, timed

from tumble import engine
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.attempt import PLACEABLE_BALLS, build_ball_worlds, goal_rule
from tumble.scene import samples

SLICES, REPEATS = 10, 3
SIZES = tuple(2**k for k in range(10, 21, 2))
MOST_SECONDS = 60.0
"""A size of `scaling` that is expected to take longer is left out, with all after it."""
FIRST_CALL = """
import time; start = time.perf_counter()
import sys; sys.path.insert(0, "src")
from tumble import engine
from tumble.scene import samples
scene = samples.dominoes()
goal = engine.touching(scene.index("domino 0"), scene.index("domino 13"), 180)
engine.rollout(engine.each([scene]), goal, engine.Options(device="{device}"))
print(time.perf_counter() - start)
"""


def seconds(worlds: engine.Worlds, goal: engine.Rule, **options: object) -> float:
    return timed(lambda: engine.rollout(worlds, goal, engine.Options(**options)))[0]  # type: ignore[arg-type]


def on_cpu(data: Published, results: Results) -> None:
    """Compares one core with Box2D, and two cores with one.

    Other users of the host slow rollouts for seconds at a time. So Box2D's are made in slices, between which ours are
    repeated: both meet the same disturbances.
    """
    for tier, must, hoped in (("B", "4.5 x", "6 x"), ("2B", "3.2 x", "4 x")):
        cases = cases_of(data, tier, 100 if tier == "B" else 40)
        worlds, goal = data.worlds(cases)
        engine.rollout(worlds.take(np.arange(8)), goal.for_worlds(len(worlds)).take(np.arange(8)))
        box2d_rollouts(data.raw, cases[:1])  # compiles
        slices: list[list[float]] = [[] for _ in range(SLICES)]
        times: dict[tuple[bool, int], list[float]] = {(shares, n): [] for shares in (True, False) for n in (1, 2)}
        for _ in range(REPEATS):
            for k, slice_times in enumerate(slices):
                slice_times.append(box2d_rollouts(data.raw, cases[k::SLICES])[1])
                for (shares, threads), own in times.items():
                    own.append(seconds(worlds, goal, threads=threads, share_past=shares))
        box2d = float(np.mean(slices, axis=1).sum())
        shared, plain = float(np.mean(times[True, 1])), float(np.mean(times[False, 1]))
        two, plain_two = (np.median(np.divide(times[shares, 1], times[shares, 2])) for shares in (True, False))
        rates = [f"{len(cases) / mean:.0f}/s" for mean in (shared, box2d, plain)]
        note = f"{rates[0]}; Box2D {rates[1]}; without shared past {rates[2]}, {box2d / plain:.2f} x; "
        note += f"{len(cases)} rollouts, means of {SLICES * REPEATS} (Box2D {REPEATS})"
        results.add(f"rollouts/s on one core over Box2D, {tier}", f"{box2d / shared:.2f} x", must, hoped, note)
        targets = ("1.8 x", "1.9 x") if tier == "B" else ("", "")
        results.add(f"two cores over one, {tier}", f"{two:.2f} x", *targets, f"without shared past {plain_two:.2f} x")


def on_gpu(data: Published, results: Results, device: str) -> None:
    """Rollouts per second, and whether the bits of a sample equal those of the CPU."""
    for tier, per_task in (("B", 2622), ("B", 10488), ("2B", 2622), ("2B", 10488)):
        cases = cases_of(data, tier, per_task)
        worlds, goal = data.worlds(cases)
        seconds(worlds, goal, device=device)
        shared = min(seconds(worlds, goal, device=device) for _ in range(3))
        plain = min(seconds(worlds, goal, device=device, share_past=False) for _ in range(2))
        targets = ("60,000", "300,000") if tier == "B" else ("", "")
        note = f"sharing the past {len(cases) / shared:,.0f}, without {len(cases) / plain:,.0f}"
        rate = f"{len(cases) / min(shared, plain):,.0f}"
        results.add(f"rollouts/s on the GPU, {tier}, {len(cases)} worlds", rate, *targets, note)
    cases = cases_of(data, "B", 80) + cases_of(data, "2B", 40)
    worlds, goal = data.worlds(cases)
    here, there = (
        engine.rollout(worlds, goal, engine.Options(device=place, stride=1, velocities=True, events=True))
        for place in ("cpu", device)
    )
    equal = all(
        np.array_equal(getattr(here, name), getattr(there, name), equal_nan=name in ("poses", "velocities"))
        for name in ("verdicts", "steps", "poses", "velocities", "events")
    )
    note = f"verdicts, steps, every pose and velocity of every step, {len(here.events)} events"
    results.add(f"bits equal to the CPU's, {len(cases)} rollouts", "yes" if equal else "NO", "yes", "yes", note)


def first_call(results: Results, device: str) -> None:
    """Seconds of a process with an empty kernel cache: imports, compilation and a rollout."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", FIRST_CALL.format(device=device)],
            cwd=ROOT,
            env={**os.environ, "WARP_CACHE_PATH": cache},
            capture_output=True,
            text=True,
            check=True,
        )
    targets = ("30 s", "15 s") if device == "cpu" else ("12 s", "8 s")
    results.add("first call, compilation included", f"{float(done.stdout.split()[-1]):.1f} s", *targets, device)


def roll_out_million(device: str) -> None:
    """Rolls a million variants of a scene out, for 200 steps each, and prints this process's peak memory in GB."""
    count = 1_000_000
    poses = np.zeros((count, 1, 3), np.float32)
    poses[:, 0, :2] = np.random.default_rng(0).uniform((10.0, 100.0), (246.0, 246.0), (count, 2))
    scene = samples.ramp()
    goal = engine.touching(scene.index("ball"), scene.index("crate"), 180)
    took = seconds(engine.variants(scene, kinds=PLACEABLE_BALLS[4:5], poses=poses), goal, device=device, max_steps=200)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**30  # macOS counts bytes
    status = Path("/proc/self/status")  # getrusage includes the parent's peak
    if status.exists() and (found := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
        peak = int(found[1]) / 2**20
    print(peak, count / took)


def memory(results: Results, device: str) -> None:
    """Peak memory of a process that rolls out a million worlds in one call."""
    command = [sys.executable, __file__, "--million", "--device", device]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak, rate = map(float, done.stdout.split()[-2:])
    note = f"whole process, interpreter and libraries included; 200 steps each, {rate:,.0f} rollouts/s"
    results.add("memory for 1,000,000 queued rollouts", f"{peak:.2f} GB", "2 GB", "0.5 GB", note)


def scaling(data: Published, device: str) -> None:
    """Rollouts per second by the number of worlds in one call, from a thousand to a million."""
    columns = ("tier", "worlds", "seconds", "rollouts/s", "us of a core or GPU per rollout", "relative to the best")
    results = Results(f"Rollouts of one call, {device}", device, columns)
    for tier in ("B", "2B"):
        measured = list(_sizes(data, tier, device))
        best = min(each for _, _, each in measured)
        for count, taken, each in measured:
            cells = (f"{count:,}", f"{taken:.2f}", f"{count / taken:,.0f}", f"{1e6 * each:.1f}", f"{best / each:.2f}")
            results.add_row(tier, *cells)
    results.finish("speed-scaling")


def _sizes(data: Published, tier: str, device: str) -> Iterator[tuple[int, float, float]]:
    """Worlds, the seconds of their rollouts, and those of a core or of the GPU for each; the best of several calls."""
    busy, rate = clock(device), np.inf
    tasks = [data.tasks[task_id] for task_id in one_of_each(data, tier)]
    rng = np.random.default_rng(2)
    for count in SIZES:
        if count / rate > MOST_SECONDS:
            say(f"{tier}, {count:,} worlds: left out, as they would take {count / rate:,.0f} s")
            return
        task_of = np.sort(np.arange(count) % len(tasks))
        actions = [data.random_valid(task.id, int(np.sum(task_of == k)), rng) for k, task in enumerate(tasks)]
        balls = placed_balls(np.concatenate(actions))
        worlds, rule = build_ball_worlds(tuple(task.scene for task in tasks), task_of, balls), goal_rule(tasks, task_of)
        if rate == np.inf:
            seconds(worlds, rule, device=device)  # compiles
        taken = each = np.inf
        for _ in range(REPEATS):
            start, used = time.perf_counter(), busy()
            engine.rollout(worlds, rule, engine.Options(device=device))
            taken, each = min(taken, time.perf_counter() - start), min(each, (busy() - used) / count)
            if taken > MOST_SECONDS / REPEATS / 4:
                break
        rate = count / taken
        say(f"{tier}, {count:,} worlds: {rate:,.0f} rollouts/s")
        yield count, taken, each


def main() -> None:
    given = arguments(__doc__, device="cpu", part=("first-call", "engine", "memory", "scaling"), million=False)
    if given.million:
        roll_out_million(given.device)
        return
    data, results = Published(), Results(f"Speed of {engine.physics_id()}", given.device)
    if "first-call" in given.part:
        first_call(results, given.device)
    if "engine" in given.part:
        on_cpu(data, results) if given.device == "cpu" else on_gpu(data, results, given.device)
    if "memory" in given.part:
        memory(results, given.device)
    if "scaling" in given.part:
        scaling(data, given.device)
    if results.rows:
        results.keep_others("speed")
        results.finish("speed")


if __name__ == "__main__":
    main()
