"""Speed of the engine: beside other engines, on two cores, on a GPU, by the number of worlds, from a cold start; and
its memory.

    python benchmarks/speed.py                  on this machine's CPU
    python benchmarks/speed.py --device cuda    on its GPU
    python benchmarks/speed.py --part peers     one part only: first-call, engine, peers, scaling, memory

Other engines are those of `pip install -r benchmarks/peers/requirements.txt`; those that are not installed are left out
and named. Absolute times vary with the machine's load; ratios are of times measured in turns.
`speed_record.py` records ratios commit by commit.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from published import Published, cases_of
from speed_peers import compare_with_peers
from speed_scaling import measure_scaling
from table import Results

from tumble import engine
from tumble.phyre.simulation.attempt import PLACEABLE_BALLS
from tumble.scene import samples

ROOT = Path(__file__).resolve().parents[2]
BOX2D_SLICES = 10
BOX2D_REPEATS = 3


def seconds(worlds: engine.Worlds, goal: engine.Rule, **options: object) -> float:
    chosen = engine.Options(**options)  # type: ignore[arg-type]
    start = time.perf_counter()
    engine.rollout(worlds, goal, chosen)
    return time.perf_counter() - start


def on_cpu(data: Published, results: Results) -> None:
    """Compares one core with Box2D, and two cores with one.

    Other users of the host slow rollouts for seconds at a time. So Box2D's are made in slices, between which ours are
    repeated: both meet the same disturbances.
    """
    from box2d import rollouts as box2d_rollouts

    for tier, must, goal_ratio in (("B", "4.5 x", "6 x"), ("2B", "3.2 x", "4 x")):
        cases = cases_of(data, tier, 100 if tier == "B" else 40)
        worlds, goal = data.worlds(cases)
        engine.rollout(worlds.take(np.arange(8)), goal.for_worlds(len(worlds)).take(np.arange(8)))
        box2d_rollouts(data.raw, cases[:1])  # compiles
        slices: list[list[float]] = [[] for _ in range(BOX2D_SLICES)]
        times: dict[str, list[float]] = {"shared": [], "two": [], "plain": [], "plain two": []}
        for _ in range(BOX2D_REPEATS):
            for k, slice_times in enumerate(slices):
                slice_times.append(box2d_rollouts(data.raw, cases[k::BOX2D_SLICES])[1])
                times["shared"].append(seconds(worlds, goal, threads=1))
                times["two"].append(seconds(worlds, goal, threads=2))
                times["plain"].append(seconds(worlds, goal, threads=1, share_past=False))
                times["plain two"].append(seconds(worlds, goal, threads=2, share_past=False))
        box2d = float(np.mean(slices, axis=1).sum())
        shared, plain = float(np.mean(times["shared"])), float(np.mean(times["plain"]))
        rates = [f"{len(cases) / mean:.0f}/s" for mean in (shared, box2d, plain)]
        note = f"{rates[0]}; Box2D {rates[1]}; without shared past {rates[2]}, "
        note += f"{box2d / plain:.2f} x; {len(cases)} rollouts, means of {len(times['shared'])} (Box2D {BOX2D_REPEATS})"
        results.add(f"rollouts/s on one core over Box2D, {tier}", f"{box2d / shared:.2f} x", must, goal_ratio, note)
        results.add(
            f"two cores over one, {tier}",
            ratio(times, "shared", "two"),
            *(("1.8 x", "1.9 x") if tier == "B" else ("", "")),
            f"without shared past {ratio(times, 'plain', 'plain two')}",
        )


def ratio(times: dict[str, list[float]], slower: str, faster: str) -> str:
    """The median over repeats of the ratio of two times measured one after the other."""
    return f"{np.median(np.divide(times[slower], times[faster])):.2f} x"


def on_gpu(data: Published, results: Results, device: str) -> None:
    """Rollouts per second, and whether the bits of a sample equal those of the CPU."""
    for tier, per_task, must, goal_rate in (
        ("B", 2622, "60,000", "300,000"),
        ("B", 10488, "60,000", "300,000"),
        ("2B", 2622, "", ""),
    ):
        cases = cases_of(data, tier, per_task)
        worlds, goal = data.worlds(cases)
        seconds(worlds, goal, device=device)
        shared = min(seconds(worlds, goal, device=device) for _ in range(3))
        plain = min(seconds(worlds, goal, device=device, share_past=False) for _ in range(2))
        results.add(
            f"rollouts/s on the GPU, {tier}, {len(cases)} worlds",
            f"{len(cases) / min(shared, plain):,.0f}",
            must,
            goal_rate,
            f"sharing the past {len(cases) / shared:,.0f}, without {len(cases) / plain:,.0f}",
        )
    cases = cases_of(data, "B", 80) + cases_of(data, "2B", 40)
    worlds, goal = data.worlds(cases)
    options = {"stride": 1, "velocities": True, "events": True}
    there = engine.rollout(worlds, goal, engine.Options(device=device, **options))  # type: ignore[arg-type]
    here = engine.rollout(worlds, goal, engine.Options(**options))  # type: ignore[arg-type]
    equal = all(
        np.array_equal(getattr(here, name), getattr(there, name), equal_nan=name in ("poses", "velocities"))
        for name in ("verdicts", "steps", "poses", "velocities", "events")
    )
    note = f"verdicts, steps, every pose and velocity of every step, {len(here.events)} events"
    results.add(f"bits equal to the CPU's, {len(cases)} rollouts", "yes" if equal else "NO", "yes", "yes", note)


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
    must, goal = ("30 s", "15 s") if wp.get_device(device).is_cpu else ("12 s", "8 s")
    results.add("first call, compilation included", f"{float(done.stdout.split()[-1]):.1f} s", must, goal, device)


def queue_million(device: str) -> None:
    """Rolls a million variants of a scene out, for 200 steps each, and prints this process's peak memory."""
    count = 1_000_000
    rng = np.random.default_rng(0)
    poses = np.zeros((count, 1, 3), np.float32)
    poses[:, 0, :2] = rng.uniform((10.0, 100.0), (246.0, 246.0), (count, 2))
    scene = samples.ramp()
    goal = engine.touching(scene.index("ball"), scene.index("crate"), 180)
    worlds = engine.variants(scene, kinds=PLACEABLE_BALLS[4:5], poses=poses)
    start = time.perf_counter()
    engine.rollout(worlds, goal, engine.Options(device=device, max_steps=200))
    took = time.perf_counter() - start
    print(peak_memory(), count / took)


def peak_memory() -> float:
    """The peak memory of this process in GB."""
    status = Path("/proc/self/status")  # getrusage includes the parent's peak
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found.group(1)) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**30  # macOS counts bytes


def memory(results: Results, device: str) -> None:
    """Peak memory of a process that rolls out a million worlds in one call."""
    arguments = [sys.executable, __file__, "--queue-million", "--device", device]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    peak, rate = map(float, done.stdout.split()[-2:])
    note = f"whole process, interpreter and libraries included; 200 steps each, {rate:,.0f} rollouts/s"
    results.add("memory for 1,000,000 queued rollouts", f"{peak:.2f} GB", "2 GB", "0.5 GB", note)


PARTS = ("first-call", "engine", "peers", "scaling", "memory")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--part", action="append", choices=PARTS, help="measure only this part; may be repeated")
    parser.add_argument("--queue-million", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.queue_million:
        queue_million(arguments.device)
        return
    parts = arguments.part or PARTS
    device = wp.get_device(arguments.device)
    name = "speed" if device.is_cpu else "speed-gpu"
    results = Results(f"Speed of {engine.physics_id()}", "" if device.is_cpu else device.name)
    if "first-call" in parts:
        first_call(results, arguments.device)
    data = Published()
    if "engine" in parts:
        if device.is_cpu:
            on_cpu(data, results)
        else:
            on_gpu(data, results, arguments.device)
    if "memory" in parts:
        memory(results, arguments.device)
    if "peers" in parts:
        compare_with_peers(data, f"{name}-peers", arguments.device, results.machine)
    if "scaling" in parts:
        measure_scaling(data, f"{name}-scaling", arguments.device, results.machine)
    if results.rows:
        results.keep_others(name)
        results.finish(name)


if __name__ == "__main__":
    main()
