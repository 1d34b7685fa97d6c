"""PPO and A2C of Stable-Baselines3 on Phy-Q: a policy for each scenario, trained and tested as in the broad setting.

    python benchmarks/agents/phyq_sb3.py [--algorithms ppo,a2c] [--steps 100000] [--scenarios 1,3] [--limit 5] [--out FOLDER]

Policies are written to FOLDER/ALGORITHM/SCENARIO.zip, and are not trained again if they are there. Each has one attempt
at every test task, as the paper's learning agents.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import torch
from evaluated import results_of
from table import Results

from tumble.phyq import agents
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.tasks import broad, cached_task
from tumble.phyq.catalogue.templates import SCENARIOS
from tumble.phyq.evaluation.metrics import published_broad
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.simulation.simulator import physics_id
from tumble.scene.files import whole_file

PUBLISHED = ("Random", "D-DDQN-Symbolic", "Relational-Symbolic")
"""Agents of the paper whose rates are shown beside."""


def train_all(settings: dict[str, Any], scenarios: list[int], folder: Path) -> float:
    """Trains the policies that a folder lacks; the shots per second of training, or NaN."""
    agent: Any = agents.make("sb3", **settings)
    shots, seconds = 0, 0.0
    folder.mkdir(parents=True, exist_ok=True)
    for scenario in scenarios:
        path = folder / f"{scenario}.zip"
        if path.exists():
            continue
        begin = time.perf_counter()
        policy = agent.trained_policy([cached_task(task_id) for task_id in broad(scenario).train])
        shots, seconds = shots + policy.num_timesteps, seconds + time.perf_counter() - begin
        with whole_file(path) as partial, partial.open("wb") as stream:
            policy.save(stream)
    return shots / seconds if shots else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithms", default="ppo,a2c")
    parser.add_argument("--observation", default="objects", choices=("objects", "symbolic_float"))
    parser.add_argument("--steps", type=int, default=100_000, help="shots of training for each scenario")
    parser.add_argument("--envs", type=int, default=256, help="episodes that are played together in training")
    parser.add_argument("--scenarios", default=",".join(map(str, SCENARIOS)))
    parser.add_argument("--limit", type=int, help="only the first test tasks of each template, this many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch; 0 for its default")
    parser.add_argument("--out", type=Path, help="folder for policies and run logs; by default they are not kept")
    given = parser.parse_args()
    if given.threads:
        torch.set_num_threads(given.threads)
    scenarios = [int(name) for name in given.scenarios.split(",")]
    results = Results(f"Stable-Baselines3 on Phy-Q, broad, {given.steps} shots of training, {physics_id()}")
    with tempfile.TemporaryDirectory() as temporary:
        out = given.out or Path(temporary)
        for algorithm in given.algorithms.split(","):
            shared = {"algorithm": algorithm, "observation": given.observation, "device": given.device}
            folder = out / algorithm
            settings = {**shared, "steps": given.steps, "envs": given.envs, "seed": given.seed}
            speed = train_all(settings, scenarios, folder)
            note = f"{given.steps:,} shots for each scenario, {given.observation}"
            results.add(f"{algorithm}, shots/s in training", f"{speed:.0f}", "", "", note)
            spec = PhyQRunSpec(
                "sb3",
                "broad",
                tuple(map(str, scenarios)),
                1,
                limit=given.limit,
                seed=given.seed,
                settings={**shared, "checkpoint": str(folder)},
            )
            (result,) = results_of(PHYQ, [spec], out / "runs", "Tasks", given.device)
            for number, rate in result.scenario_rates().items():
                beside = ", ".join(f"{name} {100.0 * published_broad(name)[number]:.1f}" for name in PUBLISHED)
                results.add(f"{algorithm}, {number} {SCENARIOS[number]}, %", f"{100.0 * rate:.1f}", "", "", beside)
            results.add(f"{algorithm}, mean of scenarios, %", f"{100.0 * result.mean:.1f}")
    results.finish("phyq-sb3")


if __name__ == "__main__":
    main()
