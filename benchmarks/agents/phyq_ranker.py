"""The shot ranker on Phy-Q's broad test tasks, with five attempts: pass rates and Phy-Q with intervals.

    python benchmarks/agents/phyq_ranker.py [--checkpoint FILE …] [--seeds 3] [--device cuda] [--limit 5]
    python benchmarks/agents/phyq_ranker.py --data shots.npz --minutes 8 --folder trained --seeds 3 --device cuda
    python benchmarks/agents/phyq_ranker.py --checkpoint FILE --held-out 3.3 6.3 …

With --data, a network is trained for each seed first. Otherwise the seeds decide which candidate shots are scored.
--held-out tests on tasks 80-99 of training templates that the network must not have been trained on (`tumble phyq
collect --without`), beside other agents: this is how settings are chosen without the test templates.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from evaluated import results_of
from table import Results

from tumble.learning.harness import torch_device
from tumble.learning.trainer import Budget
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation.metrics import phy_q
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.models.ranker.training import train_ranker
from tumble.phyq.report.groups import mean_samples, percent_interval, phy_q_samples, scenario_samples, template_samples
from tumble.phyq.simulation import simulator
from tumble.report.estimates import Interval, interval_of

AGENT = "shot-ranker"
OTHERS = ("random", "pig_shooter", "bambirds_style")
MUST, GOAL = 35, 60


def shown(value: float, interval: Interval | None) -> str:
    return f"{value:.1f}" + (f" [{interval[0]:.1f}, {interval[1]:.1f}]" if interval else "")


def add_rows(results: Results, agent: str, found: Sequence[PhyQResult]) -> None:
    """The figures of the runs of an agent."""
    templates = template_samples([result.task_rates() for result in found])
    samples = scenario_samples(templates)
    rates = {
        number: float(np.mean([result.scenario_rates()[number] for result in found]))
        for number in found[0].scenario_rates()
    }
    note = f"{len(found)} seeds" if len(found) > 1 else ""
    mean = 100.0 * float(np.mean(list(rates.values())))
    results.add(
        f"{agent}, mean of scenarios, %",
        shown(mean, percent_interval(mean_samples(list(samples.values())))),
        "",
        "",
        note,
    )
    if all(number in rates for number in range(3, 16)):
        drawn = phy_q_samples(samples)
        value = shown(phy_q(rates), None if drawn is None else interval_of(drawn))
        each = ", ".join(f"{phy_q(result.scenario_rates()):.1f}" for result in found)
        results.add(f"{agent}, Phy-Q", value, f">= {MUST}", f">= {GOAL}", each)
    for number, rate in rates.items():
        value = shown(100.0 * rate, percent_interval(samples[number]))
        results.add(f"{agent}, {number} {SCENARIOS[number]}, %", value)


def trained(data: Path, minutes: float, folder: Path, seeds: int, device: str) -> list[str]:
    """The checkpoints of trainings on the same data, one for each seed."""
    return [
        str(train_ranker(data, folder / f"{AGENT}-{seed}.pt", Budget(minutes=minutes), torch_device(device), seed))
        for seed in range(seeds)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", nargs="+", default=[], help="by default the one that comes with the package")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="train first, on this file of shots")
    parser.add_argument("--minutes", type=float, default=8.0, help="of each training")
    parser.add_argument("--folder", type=Path, default=Path("trained"), help="for checkpoints of trainings")
    parser.add_argument("--held-out", nargs="+", default=[], metavar="TEMPLATE")
    parser.add_argument("--limit", type=int, help="only the first tasks of each template, this many")
    parser.add_argument("--runs", type=Path, help="folder for the run logs; by default they are not kept")
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    checkpoints = [str(Path(one).resolve()) for one in given.checkpoint] or [""]
    seeds: Sequence[int] = range(given.seeds)
    if given.data is not None:
        checkpoints = trained(given.data, given.minutes, given.folder.resolve(), given.seeds, given.device)
        seeds = (0,)
    settings = [{"checkpoint": one, "device": given.device} if one else {"device": given.device} for one in checkpoints]
    where = {"setting": "tasks", "only": tuple(f"{key}:080-099" for key in given.held_out)} if given.held_out else {}
    common = {"limit": given.limit, "device": given.device, **where}
    specs = [PhyQRunSpec(AGENT, settings=own, seed=seed, **common) for own in settings for seed in seeds]
    others = [PhyQRunSpec(agent, **common) for agent in OTHERS] if given.held_out else []
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.runs or Path(temporary)).resolve()
        found = results_of(PHYQ, [*specs, *others], folder, "Tasks", given.device)
    results = Results(f"The shot ranker on Phy-Q, {simulator.physics_id()}", given.device)
    add_rows(results, AGENT, found[: len(specs)])
    for agent, result in zip(OTHERS, found[len(specs) :], strict=False):
        add_rows(results, agent, [result])
    name = "phyq-ranker-held-out" if given.held_out else "phyq-ranker"
    results.finish(name + ("-gpu" if given.device == "cuda" else ""))


if __name__ == "__main__":
    main()
