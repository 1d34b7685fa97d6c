"""The engine on a GPU, fused and in phases: rates, bits, a projection of PHYRE's largest sweep, the best settings.

    WARP_CACHE_PATH=FOLDER python benchmarks/engine_phases.py --precompile 90   # on any machine, for an H200
    WARP_CACHE_PATH=FOLDER python benchmarks/engine_phases.py --out RESULTS --parts rates bits

The first line compiles the kernels in several processes. What Warp names a compiled kernel by does not depend on the
machine, so that FOLDER may be taken to another one with the same version of Warp; kernels that are missing there are
compiled first, in a process for each core.

`rates` (PHYRE) and `phyq` measure with the settings that the engine chooses; `bits` compares 100,000 rollouts with the
CPU; `projection` sweeps a hundredth of all published tasks with 100,000 actions each; `settings` searches better
settings of phases on Phy-Q, `fused` better ones of the fused kernel on PHYRE. Of rollouts with a shared past, `overlap`
tries other groups of worlds, `stages` says which stage takes how long, and `fewest` from how many variants of a scene
on sharing is faster. Without one, `orders` says what it is worth that neighbouring lanes have worlds that are alike,
and `placement` that blocks have fewer worlds the longer these take.
Each writes
RESULTS/engine-phases-PART-ARCHITECTURE.csv row by row; one that fails prints why and the next one follows. It needs the
published PHYRE tasks (`published.py`).
"""

import argparse
import os
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import table
import warp as wp
from engine_kernels import compile_missing
from engine_phase_work import Work, phyq_work, phyre_work
from engine_stages import stage_seconds
from published import Published, one_of_each
from settings_search import FEW_AXES, FUSED_AXES, PHASE_AXES, search
from table import Results

from tumble import engine, phyre
from tumble.engine.host import job, rollout
from tumble.engine.host.stepping import FEW_WORLDS, MANY_WORLDS, FusedSettings, PhaseSettings, stepped_by
from tumble.phyre.simulation.actions import fixed_set

FEW, MANY = 2622, 10488
"""Worlds of each of 25 tasks: 65,550 and 262,200 in all."""
MUST = {("B", MANY): ("250,000", "400,000"), ("2B", FEW): ("90,000", "200,000"), ("2B", MANY): ("120,000", "200,000")}
"""Required rollouts/s, and the goal."""
FEW_VARIANTS = (64, 256, 1024, FEW)
"""Of each task, where every world has a lane."""
VARIANTS = (*FEW_VARIANTS, 4096, MANY)
"""Of each task, to find out from how many on they share its past."""
OVERLAPS = ((1 << 21, 1), (1 << 18, 3), (1 << 17, 3), (1 << 16, 3))
"""Worlds of a group that share pasts, and groups that a GPU works on at a time."""
SWEEP = 100_000
"""Actions on each task of a sweep."""


class Rows(Results):
    """Results whose file is written anew with every row."""

    def __init__(self, title: str, device: str, name: str) -> None:
        super().__init__(title, device)
        self.name = name

    def add(self, figure: str, value: str, must: str = "", goal: str = "", note: str = "") -> None:
        super().add(figure, value, must, goal, note)
        table.write_csv(self.name, table.COLUMNS, self.rows, self.machine)


class Bench:
    """What the parts measure with: a device and the size of the work."""

    def __init__(self, device: str, small: bool, seconds: float) -> None:
        self.device, self.small, self.seconds = device, small, seconds
        self.data = cache(Published)
        self._most = cache(lambda tier: phyre_work(self.data(), tier, self.scaled(MANY, 500), device))

    def scaled(self, count: int, divisor: int) -> int:
        """A number of things to do, or much fewer to try the program out."""
        return max(2, count // divisor) if self.small else count

    def phyre(self, tier: str, per_task: int) -> Work:
        """The first worlds of each task, of those that are drawn once."""
        work: Work = self._most(tier)
        return work.first(self.scaled(per_task, 500))

    def angles(self, spacing: float) -> np.ndarray:
        return np.arange(-90.0, 90.0, 30.0 if self.small else spacing)

    def levels(self) -> int:
        return 3 if self.small else 75


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def rate_of(bench: Bench, work: Work, **options: Any) -> float:
    """Rollouts per second, in the better of two calls, the first of which may have to load kernels."""
    again = partial(work.roll_out, bench.device, **options)
    return len(work) / min(timed(again)[0] for _ in range(2))


def rates(bench: Bench, results: Results) -> None:
    """PHYRE rollouts per second."""
    for tier, per_task in (("B", FEW), ("B", MANY), ("2B", FEW), ("2B", MANY)):
        work = bench.phyre(tier, per_task)
        must, goal = MUST.get((tier, per_task), ("", ""))
        results.add(f"rollouts/s, {tier}, {len(work)} worlds", f"{rate_of(bench, work):,.0f}", must, goal)


def stages(bench: Bench, results: Results) -> None:
    """Where the time of PHYRE rollouts with a shared past goes, in the faster of two calls."""
    for tier, per_task in (("B", FEW), ("B", MANY), ("2B", FEW), ("2B", MANY)):
        work = bench.phyre(tier, per_task)
        calls = []
        for _ in range(3):  # the first may have to load kernels
            with stage_seconds() as seconds:
                calls.append((timed(partial(work.roll_out, bench.device, fewest=2))[0], seconds))
        total, seconds = min(calls[1:], key=lambda one: one[0])
        for stage, taken in (*seconds.items(), ("all", total)):
            results.add(f"{tier}, {len(work)} worlds: {stage}", f"{1000 * taken:.1f} ms")


def fewest(bench: Bench, results: Results) -> None:
    """PHYRE rollouts per second with and without a shared past, by the number of variants of each task."""
    for tier in ("B", "2B"):
        for per_task in VARIANTS:
            work = bench.phyre(tier, per_task)
            for label, shares in (("sharing the past", True), ("plain", False)):
                rate = rate_of(bench, work, fewest=2, share_past=shares)
                results.add(f"{tier}, {per_task} variants of each task, {label}", f"{rate:,.0f}")


def orders(bench: Bench, results: Results) -> None:
    """PHYRE rollouts per second, by the order of worlds in lanes."""
    for tier in ("B", "2B"):
        work = bench.phyre(tier, FEW)
        for label, order in (
            ("by scene and place", job.order_of_alike),
            ("by scene", lambda worlds: np.argsort(worlds.scene_of, kind="stable")),
            ("at random", lambda worlds: np.random.default_rng(0).permutation(len(worlds))),
        ):
            with patch.object(job, "order_of_alike", order):
                results.add(f"{tier}, {len(work)} worlds, {label}", f"{rate_of(bench, work):,.0f}")


def placement(bench: Bench, results: Results) -> None:
    """PHYRE rollouts per second of few worlds, which lanes take from a queue or which have their lanes."""
    for tier, per_task in product(("B", "2B"), FEW_VARIANTS):
        work = bench.phyre(tier, per_task)
        for label, chosen in (("from a queue", replace(FEW_WORLDS, waves=0.0)), ("placed", FEW_WORLDS)):
            with stepped_by(chosen):
                results.add(f"{tier}, {len(work)} worlds, {label}", f"{rate_of(bench, work):,.0f}")


def phyq(bench: Bench, results: Results) -> None:
    """Shots per second, and whether they end as on the CPU."""
    shooting = phyq_work(bench.device, bench.levels())
    shooting.shoot(bench.angles(9.0))
    both = [timed(partial(shooting.shoot, bench.angles(0.05))) for _ in range(2)]
    seconds, episodes = min(both, key=lambda one: one[0])
    count = len(episodes.steps)
    figure = f"Phy-Q shots/s until rest, {count} shots"
    results.add(figure, f"{count / seconds:,.0f}", "40,000", "60,000", f"{seconds:.2f} s")
    there = shooting.shoot(bench.angles(9.0))
    here = phyq_work("cpu", bench.levels()).shoot(bench.angles(9.0))
    names = ("status", "steps", "pigs_left", "score", "start", "released", "tapped", "died", "killed_by")
    equal = all(np.array_equal(getattr(here, name), getattr(there, name)) for name in names)
    results.add(f"Phy-Q, {len(here.steps)} shots: as on the CPU", yes(equal), "yes", "yes")


def bits(bench: Bench, results: Results) -> None:
    """Verdicts and steps of 100,000 PHYRE worlds, with and without shared past."""
    for tier in ("B", "2B"):
        work = bench.phyre(tier, 2000)
        here = work.roll_out("cpu")
        for label, fewest in (("", len(work)), (", sharing the past", 2)):
            there = work.roll_out(bench.device, fewest=fewest)
            equal = all(np.array_equal(getattr(here, name), getattr(there, name)) for name in ("verdicts", "steps"))
            results.add(f"{tier}, {len(work)} rollouts{label}: as on the CPU", yes(equal), "yes", "yes")


def yes(equal: bool) -> str:
    return "yes" if equal else "NO"


def projection(bench: Bench, results: Results) -> None:
    """Sweeps of one task of each template; a hundredth of all tasks."""
    total = 0.0
    for tier in ("B", "2B"):
        tasks = [bench.data().tasks[one] for one in one_of_each(bench.data(), tier)]
        actions = fixed_set(tier, bench.scaled(SWEEP, 2000))
        simulator = phyre.Simulator(tasks, tier, device=bench.device)
        simulator.sweep(actions[: len(actions) // 20], progress=lambda _: None)
        seconds, status = timed(partial(simulator.sweep, actions, progress=lambda _: None))
        total += seconds
        note = f"{(status != 0).sum() / seconds:,.0f} valid actions/s, {100 * (status != 0).mean():.0f} % are valid"
        results.add(f"{tier}: {len(actions)} actions on {len(tasks)} tasks", f"{seconds:.1f} s", "", "", note)
    note = f"from {total:.1f} s for 50 of them"
    minutes = 100 * total * SWEEP / len(actions) / 60
    results.add("100,000 actions on all 5,000 tasks", f"{minutes:.1f} min", "30 min", "20 min", note)


def settings(bench: Bench, results: Results) -> None:
    """The best settings of the phases, for Phy-Q."""
    shooting = phyq_work(bench.device, bench.levels())
    shooting.shoot(bench.angles(2.0))

    def rate(chosen: PhaseSettings) -> float:
        with stepped_by(chosen):
            seconds, episodes = timed(partial(shooting.shoot, bench.angles(0.1)))
            return len(episodes.steps) / seconds

    search(PhaseSettings(), PHASE_AXES, rate, "Phy-Q", time.perf_counter() + bench.seconds, results)


def fused(bench: Bench, results: Results) -> None:
    """The best settings of the fused kernel, for both tiers of PHYRE, with few and with many worlds."""
    kinds = (FEW, FEW_WORLDS, FEW_AXES), (MANY, MANY_WORLDS, FUSED_AXES)
    for (per_task, base, axes), tier in product(kinds, ("B", "2B")):
        work = bench.phyre(tier, per_task)

        def rate(chosen: FusedSettings, work: Work = work) -> float:
            with stepped_by(chosen):
                return rate_of(bench, work)

        until = time.perf_counter() + bench.seconds / 4
        search(base, axes, rate, f"{tier}, {len(work)} worlds", until, results)


def overlap(bench: Bench, results: Results) -> None:
    """PHYRE rollouts per second by the size of groups that share pasts, and by how many a GPU works on at a time."""
    for (tier, per_task), (group, in_flight) in product((("2B", MANY), ("B", MANY)), OVERLAPS):
        work = bench.phyre(tier, per_task)
        with patch.multiple(rollout, GPU_WORLDS=group, IN_FLIGHT=in_flight):
            rate = rate_of(bench, work)
        results.add(f"{tier}, {len(work)} worlds, groups of {group:,}, {in_flight} at a time", f"{rate:,.0f}")


PARTS = {
    "rates": rates,
    "stages": stages,
    "fewest": fewest,
    "orders": orders,
    "placement": placement,
    "phyq": phyq,
    "bits": bits,
    "projection": projection,
    "settings": settings,
    "fused": fused,
    "overlap": overlap,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda or cpu")
    parser.add_argument("--out", type=Path, default=table.RESULTS, help="the folder for CSV files")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seconds", type=float, default=45.0, help="after which a search tries no other settings")
    parser.add_argument("--small", action="store_true", help="little work: tries the program out, on a CPU for example")
    parser.add_argument("--precompile", type=int, metavar="ARCH", help="only compile, for GPUs such as 90 (H200)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes that compile")
    arguments = parser.parse_args()
    start = time.perf_counter()
    arch = arguments.precompile
    if not arch:
        device = wp.get_device(arguments.device)
        arch = 0 if device.is_cpu else device.arch
    if arch:
        compile_missing(tuple(arguments.parts), arch, arguments.workers)
        print(f"compiled what was missing in {time.perf_counter() - start:.1f} s", flush=True)
    if arguments.precompile:
        return
    bench = Bench(arguments.device, arguments.small, arguments.seconds)
    table.RESULTS = arguments.out
    arguments.out.mkdir(parents=True, exist_ok=True)
    for part in arguments.parts:
        began = time.perf_counter()
        name = f"engine-phases-{part}"
        results = Rows(f"Engine: {part}, {engine.physics_id()}", "" if device.is_cpu else device.name, name)
        try:
            PARTS[part](bench, results)
        except Exception:  # one part must not lose the others
            traceback.print_exc()
            results.add(f"part {part}", "failed", "", "", traceback.format_exc().splitlines()[-1][:200])
        print(f"part {part}: {time.perf_counter() - began:.1f} s of {time.perf_counter() - start:.1f}", flush=True)


if __name__ == "__main__":
    main()
