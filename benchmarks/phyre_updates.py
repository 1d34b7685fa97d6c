"""What an update of DQN's network costs on a GPU, and whether captured updates give the same weights as eager ones.

    python benchmarks/phyre_updates.py --store SWEEPS [--parallel 4]

SWEEPS holds a sweep store in folder B. With --parallel, the last figure is measured in as many processes at once; they
share the GPU best if its multi-process service runs (nvidia-cuda-mps-control -d).
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from table import Results

from tumble.learning import captured
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.agents.network_training import PausedError
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.sweeps.shipped import simulator_with_store

VARIANTS: dict[str, dict[str, Any]] = {
    "all channels, fusion last": {},
    "all channels, fusion drawn": {"fusion": "drawn"},
    "half of the channels, fusion last": {"width": 0.5},
    "half of the channels, fusion drawn": {"width": 0.5, "fusion": "drawn"},
    "half of the channels, four members": {"width": 0.5, "members": 4},
}
COMPARED_UPDATES = 60
EAGER = 10**9


def trained(store: str, updates: int, **settings: Any) -> Dqn:
    """A DQN of fold 0 across templates after some updates; it pauses and resumes if it has a checkpoint."""
    spec = PhyreRunSpec("dqn", "ball_cross_template", 0)
    tasks = spec.training_tasks()
    simulator = simulator_with_store(tasks, spec.tier, store, "cuda")
    while True:
        agent = Dqn(updates=updates, log_every=20, **settings)
        try:
            agent.train(tasks, simulator)
        except PausedError:
            continue
        return agent


def same_weights(first: Dqn, second: Dqn) -> bool:
    own, other = first.network.state_dict(), second.network.state_dict()
    return all(torch.equal(own[name], other[name]) for name in own)


def add_comparison(results: Results, store: str, settings: dict[str, Any], name: str) -> None:
    """Whether captured updates, and resumed ones, end with the weights of eager ones."""
    replayed = trained(store, COMPARED_UPDATES, **settings)
    with tempfile.TemporaryDirectory() as folder:
        paused = trained(store, COMPARED_UPDATES, checkpoint=f"{folder}/dqn.pt", minutes=1e-9, **settings)
    after, captured.EAGER_STEPS = captured.EAGER_STEPS, EAGER
    eager = trained(store, COMPARED_UPDATES, **settings)
    captured.EAGER_STEPS = after
    for kind, agent in (("captured", replayed), ("captured, paused and resumed", paused)):
        equal = "yes" if same_weights(eager, agent) else "no"
        results.add(f"{kind}: weights of eager updates, {name}", equal, "yes", note=f"{COMPARED_UPDATES} updates")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--only-time", action="store_true", help="print one time; for the processes of --parallel")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("this program needs a CUDA device")
    store, half = str(options.store / "B"), VARIANTS["half of the channels, fusion last"]
    if options.only_time:
        print(1e3 * trained(store, options.updates, **half).seconds / options.updates)
        return
    results = Results("An update of 512 pairs", torch.cuda.get_device_name())
    trained(store, COMPARED_UPDATES)  # libraries are loaded
    for name, settings in VARIANTS.items():
        seconds = trained(store, options.updates, **settings).seconds
        results.add(f"ms an update, {name}", f"{1e3 * seconds / options.updates:.2f}", note="alone")
    for name, settings in VARIANTS.items():
        if settings:
            add_comparison(results, store, settings, name)
    command = [
        sys.executable,
        __file__,
        "--store",
        str(options.store),
        "--only-time",
        "--updates",
        str(options.updates),
    ]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(options.parallel)]
    times = [float(process.communicate()[0].split()[-1]) for process in running]
    mean = sum(times) / len(times) / len(times)
    results.add("ms an update, half of the channels, in all", f"{mean:.2f}", note=f"{len(times)} processes in parallel")
    results.finish("phyre-updates-gpu")


if __name__ == "__main__":
    main()
