"""Phy-Q's speed: shots until rest at the 75 templates, on one core, on two cores, and on a GPU.

    python benchmarks/speed/phyq_speed.py                  on this machine's CPU
    python benchmarks/speed/phyq_speed.py --device cuda    on its GPU

Absolute rates depend on the machine's load; ratios are medians of ratios between consecutive measurements.
"""

import argparse
import sys
import time
from pathlib import Path
from unittest.mock import patch

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from table import Results

from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.simulation import simulator as simulate
from tumble.phyq.simulation.shots import table_of

REPEATS = 5
CPU_ANGLES = np.array(DISCRETE_ANGLES[4::9])
GPU_TURNS = 20
FEW = {"VELOCITY_ITERATIONS": 12, "POSITION_ITERATIONS": 6}
"""Solver iterations to compare with the original's 100 and 100."""


def simulator(device: str = "cpu", threads: int = 1) -> simulate.Simulator:
    """A simulator of all templates, settled."""
    result = simulate.Simulator([design.base for design in templates().values()], device, threads)
    result.settled_levels()
    return result


def shoot(simulator: simulate.Simulator, angles: np.ndarray) -> tuple[float, np.ndarray]:
    """Seconds to shoot every angle once at every template, and the steps of each shot."""
    of = np.repeat(np.arange(len(simulator.worlds)), len(angles))
    shots = table_of(np.tile(angles, len(simulator.worlds)))
    start = time.perf_counter()
    episodes = simulator.play(of, shots)
    return time.perf_counter() - start, episodes.steps - episodes.start


def on_cpu(results: Results) -> None:
    one, two = simulator(), simulator(threads=2)
    with patch.multiple(simulate, **FEW):
        hasty = simulator()
    count = len(one.worlds) * len(CPU_ANGLES)
    times: dict[str, list[float]] = {"one": [], "two": [], "hasty": []}
    steps = shoot(one, CPU_ANGLES[:2])[1]
    for _ in range(REPEATS):
        taken, steps = shoot(one, CPU_ANGLES)
        times["one"].append(taken)
        times["two"].append(shoot(two, CPU_ANGLES)[0])
        times["hasty"].append(shoot(hasty, CPU_ANGLES)[0])
    rates = {name: count / float(np.median(taken)) for name, taken in times.items()}
    best = count / min(times["one"])
    note = f"best {best:.0f}; {count} shots at 75 templates, {steps.mean():.0f} steps on average, median of {REPEATS}"
    results.add("shots/s on one core, until rest", f"{rates['one']:.0f}", "60", "150", note)
    results.add("times real time", f"{rates['one'] * steps.mean() * 0.02:.0f} x", "", "", "50 steps to a second")
    halves = [one / two for one, two in zip(times["one"], times["two"], strict=True)]
    results.add("two cores over one", f"{np.median(halves):.2f} x", "", "", f"{rates['two']:.0f} shots/s")
    ratios = [one / few for one, few in zip(times["one"], times["hasty"], strict=True)]
    note = f"12 and 6 instead of 100 and 100: {rates['hasty']:.0f} shots/s"
    results.add("with few solver iterations over the original's", f"{np.median(ratios):.2f} x", "", "", note)
    slowest = {name: own_rate(design.base) for name, design in templates().items()}
    name = min(slowest, key=lambda key: slowest[key])
    results.add("the slowest template", f"{slowest[name]:.0f} shots/s", "", "", name)


def own_rate(level: Level) -> float:
    """Shots per second at one level."""
    own = simulate.Simulator([level], threads=1)
    own.settled_levels()
    shoot(own, CPU_ANGLES[:2])
    return len(CPU_ANGLES) / shoot(own, CPU_ANGLES)[0]


def on_gpu(results: Results) -> None:
    """The 180 actions and angles between them at all templates, in one call."""
    gpu = simulator("cuda")
    spread = np.arange(-90.0, 90.0, 1.0 / GPU_TURNS)
    count = len(gpu.worlds) * len(spread)
    shoot(gpu, spread)
    taken = [shoot(gpu, spread)[0] for _ in range(3)]
    rate = count / float(np.median(taken))
    note = f"{count} shots in one call, median of 3"
    results.add("shots/s on one GPU, until rest", f"{rate:.0f}", "10000", "30000", note)
    same = np.array_equal(shoot(gpu, CPU_ANGLES)[1], shoot(simulator(threads=0), CPU_ANGLES)[1])
    results.add("shots that take as many steps as on the CPU", "all" if same else "not all", "all", "", "")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    device = parser.parse_args().device
    name = "" if device == "cpu" else str(wp.get_device(device).name)
    results = Results(f"Phy-Q, {simulate.physics_id()}", name)
    on_cpu(results) if device == "cpu" else on_gpu(results)
    results.finish("phyq-speed" if device == "cpu" else "phyq-speed-gpu")


if __name__ == "__main__":
    main()
