"""Steps in phases and the fused kernel on a GPU: the best settings of each, rates, time of each phase, the same bits.

    WARP_CACHE_PATH=FOLDER python benchmarks/engine_phases.py --precompile 90   # on any machine, for an H200
    WARP_CACHE_PATH=FOLDER python benchmarks/engine_phases.py --out RESULTS --seconds 45

The first line compiles all kernels in several processes. What Warp names a compiled kernel by does not depend on the
machine, so that FOLDER may be taken to another one with the same version of Warp; kernels that are missing there are
compiled first, in a process for each core.

Parts, in this order: `settings` searches the best settings of the phases, `fused` those of the fused kernel, `rates`
measures both at their best, `phases` the time of each phase, `bits` compares results, `first` times a first call. Each
ends after `--seconds` and writes RESULTS/engine-phases-PART-ARCHITECTURE.csv row by row; one that fails prints why and
the next one follows. It needs the published PHYRE tasks (`published.py`).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import table
import warp as wp
from engine_kernels import compile_missing
from engine_phase_work import Work, phyq_work, phyre_work
from phase_times import phase_table
from published import ROOT, Published
from settings_search import FUSED_AXES, PHASE_AXES, named, search
from table import Results

from tumble import engine
from tumble.engine.host.fused_settings import FusedSettings, fused_with
from tumble.engine.host.phase_settings import PhaseSettings, phased_on

MUST = {
    ("B", 10488): ("250,000", "400,000"),
    ("2B", 2622): ("90,000", "200,000"),
    ("2B", 10488): ("120,000", "200,000"),
}
SIZES = (("B", 10488), ("2B", 2622), ("2B", 10488), ("B", 2622))
SEARCHED = 5244
"""Worlds of each of 25 tasks with which settings are searched: a run takes about a second."""


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

    def __init__(self, device: str, small: bool) -> None:
        self.device, self.small = device, small
        self.phased = PhaseSettings(lanes=64) if small else PhaseSettings()
        self.fused = FusedSettings()
        self.deadline = 0.0
        self.kind = "cpu" if wp.get_device(device).is_cpu else "cuda"
        self.data = cache(Published)

    def phyre(self, tier: str, per_task: int) -> Work:
        return phyre_work(self.data(), tier, max(1, per_task // 500) if self.small else per_task)

    @contextmanager
    def way(self, phased: bool) -> Iterator[None]:
        """Rolls out in phases, or fused, with the best settings found so far."""
        with phased_on(*([self.kind] if phased else []), settings=self.phased), fused_with(self.fused):
            yield

    def late(self) -> bool:
        """Whether the time of the part is used up."""
        return time.perf_counter() > self.deadline


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def same(a: engine.Rollouts, b: engine.Rollouts) -> bool:
    """Whether two results have the same bits."""
    names = ("verdicts", "steps", "poses", "velocities", "events")
    return all(
        np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name in ("poses", "velocities")) for name in names
    )


def yes(equal: bool) -> str:
    return "yes" if equal else "NO"


def bits(bench: Bench, results: Results) -> None:
    """PHYRE worlds with frames and events, with shared past, and Phy-Q shots: in phases, fused, and on the CPU."""
    for tier, per_task in (("B", 20), ("2B", 12)):
        work = phyre_work(bench.data(), tier, 2 if bench.small else per_task)
        wanted = {"stride": 20, "velocities": True, "events": True}
        for name, options in (("every 20th pose, velocities, events", wanted), ("shared past", {})):
            with bench.way(True):
                phased = work.roll_out(bench.device, fewest=2, **options)
            with bench.way(False):
                fused = work.roll_out(bench.device, fewest=2, **options)
                cpu = fused if bench.kind == "cpu" else work.roll_out("cpu", **options)
            results.add(f"{tier}, {len(work)} worlds, {name}: phased = fused", yes(same(phased, fused)), "yes", "yes")
            results.add(f"{tier}, {len(work)} worlds, {name}: phased = CPU", yes(same(phased, cpu)), "yes", "yes")
    angles = np.array([15.0, 40.0])
    played = []
    for device, is_phased in ((bench.device, True), (bench.device, False), ("cpu", False)):
        with bench.way(is_phased):
            played.append(phyq_work(device, 5 if bench.small else 75).shoot(angles))
    names = ("status", "steps", "pigs_left", "score", "start", "released", "tapped")
    for other, label in ((played[1], "fused"), (played[2], "CPU")):
        equal = all(np.array_equal(getattr(played[0], name), getattr(other, name)) for name in names)
        results.add(f"Phy-Q, {len(played[0].steps)} shots: phased = {label}", yes(equal), "yes", "yes")


def phases(bench: Bench, results: Results) -> None:
    """The time of each kernel and how well its threads are used."""
    for tier in ("B", "2B"):
        with bench.way(True):
            phase_table(
                bench.phyre(tier, SEARCHED), bench.device, bench.phased, tier, 40 if bench.small else 320, results
            )


def rate_of(bench: Bench, work: Work, **options: Any) -> float:
    """Rollouts per second, in the better of two calls, the first of which may have to load kernels."""
    again = partial(work.roll_out, bench.device, **options)
    return len(work) / min(timed(again)[0] for _ in range(2))


def settings(bench: Bench, results: Results) -> None:
    """The best settings of the phases, for B without shared past."""
    work = bench.phyre("B", SEARCHED)

    def rate(chosen: PhaseSettings) -> float:
        with phased_on(bench.kind, settings=replace(chosen, lanes=64) if bench.small else chosen):
            return rate_of(bench, work, share_past=False)

    bench.phased = search(bench.phased, PHASE_AXES, rate, f"B, {len(work)} worlds", bench.deadline, results)


def fused(bench: Bench, results: Results) -> None:
    """The best settings of the fused kernel, likewise."""
    work = bench.phyre("B", SEARCHED)

    def rate(chosen: FusedSettings) -> float:
        with phased_on(), fused_with(chosen):
            return rate_of(bench, work, share_past=False)

    bench.fused = search(bench.fused, FUSED_AXES, rate, f"B, {len(work)} worlds, fused", bench.deadline, results)


def rates(bench: Bench, results: Results) -> None:
    """Rollouts and shots per second at the best settings, fused and in phases, with and without shared past."""
    results.add("settings in phases", named(bench.phased))
    results.add("settings, fused", named(bench.fused))
    phyq_rates(bench, results)
    for tier, per_task in SIZES:
        work = bench.phyre(tier, per_task)
        must, goal = MUST.get((tier, per_task), ("", ""))
        for is_phased, label in ((True, "in phases"), (False, "fused")):
            if bench.late():
                results.add("stopped", "", "", "", "the time was used up")
                return
            with bench.way(is_phased):
                shared, plain = rate_of(bench, work), rate_of(bench, work, share_past=False)
            note = f"sharing the past {shared:,.0f}, without {plain:,.0f}"
            results.add(
                f"rollouts/s, {tier}, {len(work)} worlds, {label}", f"{max(shared, plain):,.0f}", must, goal, note
            )


def phyq_rates(bench: Bench, results: Results) -> None:
    templates = 3 if bench.small else 75
    for is_phased, label in ((True, "in phases"), (False, "fused")):
        angles = np.arange(-90.0, 90.0, 30.0 if bench.small else 0.05 if is_phased else 0.25)
        with bench.way(is_phased):
            work = phyq_work(bench.device, templates)
            work.shoot(angles[::40])
            seconds, episodes = timed(partial(work.shoot, angles))
        count = len(episodes.steps)
        figure = f"Phy-Q shots/s until rest, {count} shots, {label}"
        results.add(figure, f"{count / seconds:,.0f}", "40,000", "60,000", f"{seconds:.2f} s")


def first(bench: Bench, results: Results) -> None:
    """A first call, with an empty kernel cache."""
    for label in ("in phases", "fused"):
        seconds = first_call(bench.device, "" if label == "in phases" else "no device")
        results.add(f"first call, compilation included, {label}", f"{seconds:.1f} s", "12 s", "8 s", bench.device)


FIRST_CALL = """
import time; start = time.perf_counter()
import sys; sys.path.insert(0, "src")
from tumble import engine
from tumble.engine.host.phase_settings import phased_on
from tumble.scene import samples
scene = samples.dominoes()
goal = engine.touching(scene.index("domino 0"), scene.index("domino 13"), 180)
with phased_on("{phased}"):
    engine.rollout(engine.each([scene]), goal, engine.Options(device="{device}"))
print(time.perf_counter() - start)
"""


def first_call(device: str, phased: str) -> float:
    """Seconds of a process with an empty kernel cache: imports, compilation and a rollout."""
    kind = "cpu" if device == "cpu" else "cuda"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", FIRST_CALL.format(device=device, phased=phased or kind)],
            cwd=ROOT,
            env={**os.environ, "WARP_CACHE_PATH": folder},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout.split()[-1])


PARTS = {"settings": settings, "fused": fused, "rates": rates, "phases": phases, "bits": bits, "first": first}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda or cpu")
    parser.add_argument("--out", type=Path, default=table.RESULTS, help="the folder for CSV files")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seconds", type=float, default=45.0, help="after which a part begins no other measurement")
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
    bench = Bench(arguments.device, arguments.small)
    table.RESULTS = arguments.out
    arguments.out.mkdir(parents=True, exist_ok=True)
    for part in arguments.parts:
        began = time.perf_counter()
        bench.deadline = began + arguments.seconds
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
