"""What networks of PHYRE cost on a GPU: where an update's time goes; one network of B, from sampling to the weights;
one fold of 2B across templates, a network and all four agents; and all folds of B (half an hour).

    python benchmarks/phyre_updates.py [--parts whole profile] [--parallel 4]

It also tells whether captured updates give the same weights as eager ones. With --parallel, one figure is measured in
as many processes at once; they share the GPU best if its multi-process service runs (nvidia-cuda-mps-control -d).
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import torch
from table import Results

from tumble.learning import harness
from tumble.learning.settings import PausedError
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.agents.recipes import TRAINING
from tumble.phyre.catalogue.task import Task
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import BriefResult
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.generation import training_pool
from tumble.phyre.generation.training_pool import Counts
from tumble.phyre.simulation.simulator import Simulator

SETTING, TIER = "ball_cross_template", "B"
EVERY = 10
"""Of the training tasks, where only the time of updates is measured."""
VARIANTS: dict[str, dict[str, Any]] = {
    "half of the channels, fusion last": {"width": 0.5},
    "half of the channels, fusion last, two members": {"width": 0.5, "members": 2},
    "half of the channels, fusion drawn": {"width": 0.5, "fusion": "drawn"},
    "half of the channels, fusion drawn, two members": {"width": 0.5, "fusion": "drawn", "members": 2},
    "all channels, fusion last": {},
    "all channels, fusion drawn": {"fusion": "drawn"},
}
COMPARED_UPDATES = 60
PROFILED_UPDATES = 5
EAGER = 10**9
SHORT_PARTS = ("whole", "fold", "updates", "profile", "comparison", "parallel")
PARTS = (*SHORT_PARTS, "folds")
SAMPLED = Counts(drawn=8)
"""What is tried for one network that has no pool yet."""
KINDS = {
    "wgrad": "convolutions, gradient of weights",
    "dgrad": "convolutions, gradient of inputs",
    "fprop": "convolutions",
    "convolve": "convolutions",
    "batch_norm": "batch normalisation",
    "multi_tensor": "optimizer",
    "elementwise": "other elementwise operations",
}
"""Kinds of kernels by a part of their names; the first that fits counts."""


def training_tasks(every: int) -> list[Task]:
    """Every n-th training task of fold 0."""
    return list(PhyreRunSpec("dqn", SETTING, 0).training_tasks())[::every]


def trained(updates: int, every: int = EVERY, **settings: Any) -> Dqn:
    """A DQN after some updates on every n-th training task; it pauses and resumes if it has a checkpoint."""
    tasks = training_tasks(every)
    simulator = Simulator(tasks, TIER, "cuda")
    while True:
        agent = Dqn(updates=updates, log_every=20, pooled=True, **settings)
        try:
            agent.train(tasks, simulator)
        except PausedError:
            continue
        return agent


def same_weights(first: Dqn, second: Dqn) -> bool:
    own, other = first.network.state_dict(), second.network.state_dict()
    return all(torch.equal(own[name], other[name]) for name in own)


def add_comparison(results: Results, settings: dict[str, Any], name: str) -> None:
    """Whether captured updates, and resumed ones, end with the weights of eager ones."""
    replayed = trained(COMPARED_UPDATES, **settings)
    with tempfile.TemporaryDirectory() as folder:
        paused = trained(COMPARED_UPDATES, checkpoint=f"{folder}/dqn.pt", minutes=1e-9, **settings)
    after, harness.EAGER_STEPS = harness.EAGER_STEPS, EAGER
    eager = trained(COMPARED_UPDATES, **settings)
    harness.EAGER_STEPS = after
    for kind, agent in (("captured", replayed), ("captured, paused and resumed", paused)):
        equal = "yes" if same_weights(eager, agent) else "no"
        results.add(f"{kind}: weights of eager updates, {name}", equal, "yes", note=f"{COMPARED_UPDATES} updates")


def add_profile(results: Results, settings: dict[str, Any], name: str) -> None:
    """Which kinds of kernels the time of an update goes to."""
    agent = trained(COMPARED_UPDATES, **settings)
    tasks = training_tasks(EVERY)
    update = agent.repeated_update(tasks, Simulator(tasks, TIER, "cuda"))
    with harness.deterministic():
        for _ in range(PROFILED_UPDATES):
            update()
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
            for _ in range(PROFILED_UPDATES):
                update()
            torch.cuda.synchronize()
    seconds: Counter[str] = Counter()
    kernels = 0
    for event in profiler.key_averages():
        if event.self_device_time_total > 0.0:
            kind = next((kind for part, kind in KINDS.items() if part in event.key), "others")
            seconds[kind] += event.self_device_time_total * 1e-6 / PROFILED_UPDATES
            kernels += event.count
    note = f"{kernels / PROFILED_UPDATES:.0f} kernels, {1e3 * seconds.total():.2f} ms in all, one after the other"
    for kind, value in seconds.most_common():
        results.add(f"share of an update, {name}: {kind}", f"{100.0 * value / seconds.total():.0f} %", note=note)


def add_whole(results: Results) -> None:
    """The time of one network: what it is trained on is sampled, then it is trained with the recommended settings."""
    recipe = {name: value for name, value in TRAINING[SETTING].items() if name not in ("pooled", "updates")}
    updates = TRAINING[SETTING]["updates"]
    tasks = training_tasks(1)
    with tempfile.TemporaryDirectory() as folder:
        path, begin = Path(folder) / "B.npz", time.perf_counter()
        training_pool.make(tasks, Simulator(tasks, TIER, "cuda"), SAMPLED).save(path)
        sampled = time.perf_counter() - begin
        trained(updates, 1, pool=str(path), **recipe)
        whole = time.perf_counter() - begin
    note = f"{updates} updates of {recipe['members']} members, alone; "
    note += f"sampling {sampled:.0f} s: {SAMPLED.tasks} actions on tasks, {SAMPLED.mutations} on mutations"
    results.add("a network of B across, sampling included", f"{whole:.0f} s", "120 s", "60 s", note)


def add_fold(results: Results) -> None:
    """The time of fold 0 of 2B across templates: its network is trained, then all four agents run in parallel."""
    seconds, runs = _timed("--setting two_balls_cross_template --fold 0 --parallel-agents 4")
    taken = ", ".join(f"{one.agent} {one.evaluation_seconds:.0f} s (AUCCESS {one.auccess:.1f})" for one in runs)
    note = f"alone; training {runs[0].training_seconds:.0f} s, then in parallel {taken}"
    results.add("a fold of 2B across, all four agents", f"{seconds / 60.0:.1f} min", "10 min", "5 min", note)


def add_folds(results: Results) -> None:
    """The time of all folds of B, in both settings, with all four agents."""
    seconds, runs = _timed("--setting ball_cross_template ball_within_template --parallel 5 --parallel-agents 8")
    note = f"{len(runs)} runs, five networks and eight agents at a time"
    results.add("ten folds of B, both settings, all agents", f"{seconds / 60.0:.0f} min", "60 min", "30 min", note)


def _timed(options: str) -> tuple[float, list[BriefResult]]:
    """The seconds that `phyre_folds.py` takes with these options, and its runs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(Path(__file__).with_name("phyre_folds.py")), *options.split()]
        begin = time.perf_counter()
        into = f"--name timed --separately --out {folder} --results {folder}/results"
        subprocess.run([*command, *into.split()], check=True)
        return time.perf_counter() - begin, brief_log.read_folder(Path(folder) / "results")


def add_parallel(results: Results, count: int, updates: int) -> None:
    """The time of an update where processes share the GPU."""
    command = [sys.executable, __file__, "--only-time", "--updates", str(updates)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    times = [float(process.communicate()[0].split()[-1]) for process in running]
    mean = sum(times) / len(times) / len(times)
    results.add("ms an update, half of the channels, in all", f"{mean:.2f}", note=f"{len(times)} processes in parallel")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--updates", type=int, default=500)
    parser.add_argument("--only-time", action="store_true", help="print one time; for the processes of --parallel")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=SHORT_PARTS, help="what is measured")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("this program needs a CUDA device")
    half = VARIANTS["half of the channels, fusion last"]
    if options.only_time:
        print(1e3 * trained(options.updates, **half).seconds / options.updates)
        return
    results = Results("Updates of 512 pairs, and a whole network", torch.cuda.get_device_name())
    trained(COMPARED_UPDATES)  # libraries are loaded
    if "whole" in options.parts:
        add_whole(results)
    if "fold" in options.parts:
        add_fold(results)
    if "folds" in options.parts:
        add_folds(results)
    for name, settings in VARIANTS.items() if "updates" in options.parts else ():
        seconds = trained(options.updates, **settings).seconds
        results.add(f"ms an update, {name}", f"{1e3 * seconds / options.updates:.2f}", note="alone")
    if "profile" in options.parts:
        for name in ("half of the channels, fusion last", "half of the channels, fusion drawn"):
            add_profile(results, VARIANTS[name], name)
    for name, settings in VARIANTS.items() if "comparison" in options.parts else ():
        if settings:
            add_comparison(results, settings, name)
    if "parallel" in options.parts:
        add_parallel(results, options.parallel, options.updates)
    results.finish("phyre-updates-gpu")


if __name__ == "__main__":
    main()
