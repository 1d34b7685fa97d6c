"""Where the time of PHYRE rollouts goes on one core, by kernel and by phase of a step, with one ball and with two.

    python benchmarks/speed_phases.py

It also measures the rate over Box2D. All times are processor time, so that other programs disturb them little. Kernels
with timers are compiled for it (20 seconds) and not kept.
"""

import os
import tempfile
import time
from collections import defaultdict
from typing import Any
from unittest.mock import patch

import numpy as np
import phase_timers
import warp as wp
from box2d import rollouts as box2d_rollouts
from other_physics import changed
from published import Case, Published
from speed import cases_of
from table import Results

from tumble import engine
from tumble.engine.host.chunk import Chunk

REPEATS = 9
PER_TASK = {"B": 100, "2B": 40}
KERNELS = ("record", "approach", "branch")
ONE_CORE = engine.Options(threads=1)


class KernelTimes:
    """What each kernel took, while in use: seconds, and with timers the shares of the phases and the counts."""

    def __init__(self, reading: float | None = None) -> None:
        self.reading = reading
        self.seconds: dict[str, float] = defaultdict(float)
        self.launched: dict[str, int] = defaultdict(int)
        self.phases: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(len(phase_timers.PHASES)))
        self.counts: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(len(phase_timers.COUNTS), np.int64))

    def run(self, worlds: engine.Worlds, goal: engine.Rule) -> float:
        """Rolls worlds out on one core; returns the seconds of it all."""
        plain = Chunk.run

        def timed(chunk: Chunk, kernel: Any, *arguments: Any, **options: Any) -> None:
            if self.reading is not None:
                phase_timers.start()
            start = time.thread_time()
            plain(chunk, kernel, *arguments, **options)
            took = time.thread_time() - start
            self.seconds[kernel.key] += took
            self.launched[kernel.key] += options.get("count") or chunk.count
            if self.reading is not None:
                self.phases[kernel.key] += took * phase_timers.shares(self.reading)
                self.counts[kernel.key] += phase_timers.counts()

        with patch.object(Chunk, "run", timed):
            start = time.thread_time()
            engine.rollout(worlds, goal, ONE_CORE)
            return time.thread_time() - start


def box2d_seconds(data: Published, cases: list[Case]) -> float:
    """The processor time of Box2D's rollouts, less that of a single one: the program also reads its input."""
    start = os.times().children_user
    box2d_rollouts(data.raw, cases[:1])
    middle = os.times().children_user
    box2d_rollouts(data.raw, cases)
    return (os.times().children_user - middle) - (middle - start)


def against_box2d(data: Published, cases: list[Case], tier: str, results: Results) -> tuple[float, dict[str, float]]:
    """The rate over Box2D, measured in pairs; the seconds of the fastest rollout, and of its kernels."""
    worlds, goal = data.worlds(cases)
    engine.rollout(worlds, goal, ONE_CORE)
    box2d_rollouts(data.raw, cases[:1])  # compiles
    ratios: list[float] = []
    fastest: tuple[float, dict[str, float]] = (np.inf, {})
    for _ in range(REPEATS):
        theirs = box2d_seconds(data, cases)
        times = KernelTimes()
        ours = times.run(worlds, goal)
        ratios.append(theirs / ours)
        fastest = min(fastest, (ours, dict(times.seconds)), key=lambda pair: pair[0])
    must, goal_ratio = {"B": ("4.5 x", "6 x"), "2B": ("3.2 x", "4 x")}[tier]
    note = f"{len(cases) / fastest[0]:,.0f}/s at best; {len(cases)} rollouts, median of {REPEATS} pairs"
    results.add(f"{tier}: rollouts/s on one core over Box2D", f"{np.median(ratios):.2f} x", must, goal_ratio, note)
    return fastest


def add_kernels(tier: str, total: float, plain: dict[str, float], timed: KernelTimes, results: Results) -> None:
    """What each kernel takes of the whole, and how many steps of what size it makes."""
    for kernel in KERNELS:
        sizes = dict(zip(phase_timers.COUNTS, timed.counts[kernel], strict=True))
        steps = max(1, sizes.pop("steps"))
        each = ", ".join(f"{number / steps:.2f} {name}" for name, number in sizes.items())
        results.add(
            f"{tier}: {kernel}",
            f"{plain[kernel] / total:.1%}",
            note=f"{timed.launched[kernel]} worlds, {steps / timed.launched[kernel]:.0f} steps each, "
            f"{1e6 * plain[kernel] / steps:.2f} us a step; a step has {each}",
        )
    rest = 1.0 - sum(plain[kernel] for kernel in KERNELS) / total
    results.add(f"{tier}: outside kernels", f"{rest:.1%}", note="packing scenes, launching, collecting results")


def add_phases(tier: str, total: float, plain: dict[str, float], timed: KernelTimes, results: Results) -> None:
    """What each phase takes of the whole, and of each kernel."""
    scaled = {name: timed.phases[name] * plain[name] / timed.phases[name].sum() for name in KERNELS}
    for k, phase in enumerate(phase_timers.PHASES):
        by_kernel = ", ".join(f"{name} {scaled[name][k] / total:.1%}" for name in KERNELS)
        results.add(f"{tier}: {phase}", f"{sum(scaled[name][k] for name in KERNELS) / total:.1%}", note=by_kernel)


def main() -> None:
    data = Published()
    results = Results(f"Phases of a rollout on one core, {engine.physics_id()}")
    cases = {tier: cases_of(data, tier, per_task) for tier, per_task in PER_TASK.items()}
    fastest = {tier: against_box2d(data, cases[tier], tier, results) for tier in PER_TASK}
    with tempfile.TemporaryDirectory() as folder, changed(phase_timers.TIMERS):
        wp.config.kernel_cache_dir = folder
        reading = phase_timers.ticks_per_reading()
        for tier, (total, plain) in fastest.items():
            worlds, goal = data.worlds(cases[tier])
            engine.rollout(worlds, goal, ONE_CORE)  # compiles
            timed = KernelTimes(reading)
            timed.run(worlds, goal)
            add_kernels(tier, total, plain, timed, results)
            add_phases(tier, total, plain, timed, results)
    results.finish("speed-phases")


if __name__ == "__main__":
    main()
