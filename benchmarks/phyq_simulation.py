"""What knowing the physics is worth on Phy-Q: agent `simulation` with exact and with wrong constants, beside others.

    python benchmarks/phyq_simulation.py [--noise 0,0.1,0.2,0.4] [--limit 4] [--imagined 500] [--runs FOLDER] [--seed 0]

Five attempts at each test task of the broad setting; before each of its proposals the agent imagines up to 500 shots.
--limit takes the first tasks of each template.
"""

import argparse
import tempfile
import time
from pathlib import Path

from evaluated import results_of
from table import Results

from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation.metrics import published_broad
from tumble.phyq.evaluation.result import PhyQResult
from tumble.phyq.evaluation.run_spec import ATTEMPTS, PhyQRunSpec
from tumble.phyq.simulation.simulator import physics_id

MUST, GOAL = ">= 95", ">= 99"
"""Passes with exact physics, in per cent."""


def add_result(results: Results, result: PhyQResult, seconds: float) -> None:
    """Adds the mean, the score, and the pass rate of each scenario."""
    noise = result.spec.settings.get("noise", 0.0)
    name = "exact" if not noise else f"off by {100.0 * noise:g} %"
    must, goal = ("", "") if noise else (MUST, GOAL)
    tasks = len(result.passed)
    first = 100.0 * sum(passed[0] for passed in result.passed.values()) / tasks
    note = f"first attempts {first:.1f}; {result.levels_solved} of {tasks} tasks within {result.spec.attempts} attempts"
    results.add(f"{name}, mean of scenarios, %", f"{100.0 * result.mean:.1f}", must, goal, note)
    score = "-" if result.phy_q is None else f"{result.phy_q:.1f}"
    results.add(f"{name}, Phy-Q", score, "", "", f"{seconds / tasks:.1f} s for each task, with its attempts")
    people = published_broad("Human")
    for number, rate in result.scenario_rates().items():
        human = f"people {100.0 * people[number]:.1f}"
        results.add(f"{name}, {number} {SCENARIOS[number]}, %", f"{100.0 * rate:.1f}", "", "", human)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--noise", default="0,0.1,0.2,0.4", help="shares by which constants are wrong")
    parser.add_argument("--limit", type=int, help="only the first tasks of each template, this many")
    parser.add_argument("--imagined", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the wrong constants")
    parser.add_argument("--only", default="", help="scenarios, templates or tasks, as in 3,6.4")
    parser.add_argument("--runs", type=Path, help="folder for the run logs; by default they are not kept")
    given = parser.parse_args()
    results = Results(f"Agent simulation on Phy-Q, broad, {given.imagined} imagined shots, {physics_id()}")
    only = tuple(name for name in given.only.split(",") if name)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.runs or Path(temporary)).resolve()
        for noise in map(float, given.noise.split(",")):
            settings = {"imagined": given.imagined, "noise": noise}
            spec = PhyQRunSpec(
                "simulation", "broad", only, ATTEMPTS, limit=given.limit, seed=given.seed, settings=settings
            )
            begin = time.perf_counter()
            (result,) = results_of(PHYQ, [spec], folder, "Tasks", "cpu")
            add_result(results, result, time.perf_counter() - begin)
    results.finish("phyq-simulation")


if __name__ == "__main__":
    main()
