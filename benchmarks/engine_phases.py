"""Steps in phases against the fused kernel: the same bits, the time of each phase, rates, and what settings change.

    python benchmarks/engine_phases.py --device cuda --out FOLDER --parts bits phases rates settings
    WARP_CACHE_PATH=FOLDER python benchmarks/engine_phases.py --precompile 90    # on any machine, for an H200

Every part writes FOLDER/engine-phases-PART-ARCHITECTURE.csv as soon as it is done; one that fails prints why, and the
next one follows. It needs the published PHYRE tasks (`published.py`).
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
from engine_phase_work import Work, needed_kernels, phyq_work, phyre_work, precompile, preload
from phase_times import phase_table
from published import ROOT, Published
from table import Results

from tumble import engine
from tumble.engine.host.phase_settings import PhaseSettings, phased_on

MUST = {
    ("B", 10488): ("250,000", "400,000"),
    ("2B", 2622): ("90,000", "200,000"),
    ("2B", 10488): ("120,000", "200,000"),
}
SIZES = (("B", 2622), ("B", 10488), ("2B", 2622), ("2B", 10488))
SETTINGS = (
    PhaseSettings(),
    PhaseSettings(interleaved=True),
    PhaseSettings(lanes=65536),
    PhaseSettings(lanes=262144),
    PhaseSettings(lanes=524288),
    PhaseSettings(classes=1),
    PhaseSettings(classes=5),
    PhaseSettings(group=512),
    PhaseSettings(group=32768),
    PhaseSettings(group=32768, interleaved=True),
    PhaseSettings(island_threads=1),
    PhaseSettings(island_threads=4),
    PhaseSettings(graph_steps=4),
    PhaseSettings(graph_steps=64),
    PhaseSettings(block=256),
    PhaseSettings(registers=80),
)


class Bench:
    """What the parts measure with: a device and the size of the work."""

    def __init__(self, device: str, small: bool) -> None:
        self.device, self.small = device, small
        self.kind = "cpu" if wp.get_device(device).is_cpu else "cuda"
        self.data = cache(Published)

    def phyre(self, tier: str, per_task: int) -> Work:
        return phyre_work(self.data(), tier, max(1, per_task // 500) if self.small else per_task)

    @contextmanager
    def way(self, phased: bool, settings: PhaseSettings | None = None) -> Iterator[None]:
        """Rolls out in phases, or fused."""
        with phased_on(*([self.kind] if phased else []), settings=settings):
            yield


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
    for tier, per_task in (("B", 60), ("2B", 40)):
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
        work = bench.phyre(tier, 5244)
        settings = PhaseSettings(lanes=32 if bench.small else 131072)
        with bench.way(True, settings):
            phase_table(work, bench.device, settings, tier, 40 if bench.small else 320, results)


def rates(bench: Bench, results: Results) -> None:
    """Rollouts and shots per second, fused and in phases, best of several calls after one to warm up."""
    for tier, per_task in SIZES:
        work = bench.phyre(tier, per_task)
        must, goal = MUST.get((tier, per_task), ("", ""))
        found: dict[tuple[bool, bool], engine.Rollouts] = {}
        rate: dict[tuple[bool, bool], float] = {}
        for is_phased in (True, False):
            with bench.way(is_phased):
                for share in (True, False):
                    work.roll_out(bench.device, share_past=share)
                    again = partial(work.roll_out, bench.device, share_past=share)
                    runs = [timed(again) for _ in range(2 if is_phased else 1)]
                    found[is_phased, share] = runs[0][1]
                    rate[is_phased, share] = len(work) / min(seconds for seconds, _ in runs)
        for is_phased, label in ((True, "in phases"), (False, "fused")):
            shared, plain = rate[is_phased, True], rate[is_phased, False]
            note = f"sharing the past {shared:,.0f}, without {plain:,.0f}"
            figure = f"rollouts/s, {tier}, {len(work)} worlds, {label}"
            wanted = (must, goal) if is_phased else ("", "")
            results.add(figure, f"{max(shared, plain):,.0f}", *wanted, note)
        equal = all(same(found[True, True], other) for other in found.values())
        results.add(f"the same verdicts and steps, {tier}, {len(work)} worlds, all four ways", yes(equal), "yes", "yes")
    phyq_rates(bench, results)
    for label in ("in phases", "fused"):
        seconds = first_call(bench.device, "" if label == "in phases" else "no device")
        results.add(f"first call, compilation included, {label}", f"{seconds:.1f} s", "12 s", "8 s", bench.device)


def phyq_rates(bench: Bench, results: Results) -> None:
    templates = 3 if bench.small else 75
    for is_phased, turns, label in ((True, 4, "in phases"), (True, 20, "in phases"), (False, 4, "fused")):
        angles = np.arange(-90.0, 90.0, 30.0 if bench.small else 1.0 / turns)
        with bench.way(is_phased):
            work = phyq_work(bench.device, templates)
            work.shoot(angles[::4])
            seconds, episodes = timed(partial(work.shoot, angles))
        count = len(episodes.steps)
        figure = f"Phy-Q shots/s until rest, {count} shots, {label}"
        results.add(figure, f"{count / seconds:,.0f}", "40,000", "60,000", f"{seconds:.2f} s")


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


def settings(bench: Bench, results: Results) -> None:
    """Rates under other settings, of B with and without shared past and of Phy-Q."""
    base = PhaseSettings()
    work = bench.phyre("B", 10488)
    angles = np.arange(-90.0, 90.0, 60.0 if bench.small else 0.5)
    for chosen in SETTINGS[:3] if bench.small else SETTINGS:
        changed = {k: v for k, v in vars(chosen).items() if v != getattr(base, k)}
        name = ", ".join(f"{key} {value}" for key, value in changed.items()) or "defaults"
        if bench.small:
            chosen = replace(chosen, lanes=64)
        try:
            with bench.way(True, chosen):
                work.roll_out(bench.device, share_past=False)
                plain = timed(partial(work.roll_out, bench.device, share_past=False))[0]
                shared = timed(partial(work.roll_out, bench.device))[0]
                shots = phyq_work(bench.device, 3 if bench.small else 75)
                shots.shoot(angles[::30])
                shooting, episodes = timed(partial(shots.shoot, angles))
            note = f"sharing the past {len(work) / shared:,.0f}; Phy-Q {len(episodes.steps) / shooting:,.0f} shots/s"
            results.add(f"B, {len(work)} worlds, {name}", f"{len(work) / plain:,.0f}", "", "", note)
        except Exception as error:  # the other settings still count
            traceback.print_exc()
            results.add(f"B, {name}", "failed", "", "", str(error).splitlines()[0][:200])


PARTS = {"bits": bits, "phases": phases, "rates": rates, "settings": settings}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda or cpu")
    parser.add_argument("--out", type=Path, default=table.RESULTS, help="the folder for CSV files")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--small", action="store_true", help="little work: tries the program out, on a CPU for example")
    parser.add_argument("--precompile", type=int, metavar="ARCH", help="only compile, for GPUs such as 90 (H200)")
    arguments = parser.parse_args()
    variants = SETTINGS if "settings" in arguments.parts else ()
    fused = bool({"bits", "rates"} & set(arguments.parts))
    if arguments.precompile:
        precompile(needed_kernels(Published(), variants, fused), arguments.precompile)
        return
    table.RESULTS = arguments.out
    arguments.out.mkdir(parents=True, exist_ok=True)
    bench = Bench(arguments.device, arguments.small)
    device = wp.get_device(arguments.device)
    name = "" if device.is_cpu else device.name
    start = time.perf_counter()
    if not device.is_cpu:
        try:
            preload(needed_kernels(bench.data(), variants, fused), arguments.device)
        except Exception:  # the parts compile what they need
            traceback.print_exc()
        print(f"compiled everything in {time.perf_counter() - start:.1f} s", flush=True)
    for part in arguments.parts:
        results = Results(f"Engine in phases: {part}, {engine.physics_id()}", name)
        began = time.perf_counter()
        try:
            PARTS[part](bench, results)
        except Exception:  # one part must not lose the others
            traceback.print_exc()
            results.add(f"part {part}", "failed", "", "", traceback.format_exc().splitlines()[-1][:200])
        results.finish(f"engine-phases-{part}")
        print(f"part {part}: {time.perf_counter() - began:.1f} s of {time.perf_counter() - start:.1f}", flush=True)


if __name__ == "__main__":
    main()
