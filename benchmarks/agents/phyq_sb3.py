"""PPO and A2C of Stable-Baselines3 on Phy-Q: a policy for each scenario, trained and tested as in the broad setting.

    python benchmarks/agents/phyq_sb3.py [--algorithms ppo a2c] [--steps 100000] [--scenarios 1 3] [--out FOLDER]

Policies are written to FOLDER/ALGORITHM/SCENARIO.zip, and are not trained again if they are there. Each has one attempt
at every test task, as the paper's learning agents.
"""

import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from evaluated import results_of
from table import Results, arguments

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
    for path in (path for scenario in scenarios if not (path := folder / f"{scenario}.zip").exists()):
        begin = time.perf_counter()
        policy = agent.trained_policy([cached_task(task_id) for task_id in broad(int(path.stem)).train])
        shots, seconds = shots + policy.num_timesteps, seconds + time.perf_counter() - begin
        with whole_file(path) as partial, partial.open("wb") as stream:
            policy.save(stream)
    return shots / seconds if shots else float("nan")


def main() -> None:
    given = arguments(
        __doc__,
        algorithms=("ppo", "a2c"),
        observation="objects",
        steps=100_000,
        envs=256,
        scenarios=tuple(SCENARIOS),
        limit=int,
        seed=0,
        device="cpu",
        out=Path("sb3"),
    )
    results = Results(f"Stable-Baselines3 on Phy-Q, broad, {given.steps} shots of training, {physics_id()}")
    for algorithm in given.algorithms:
        shared = {"algorithm": algorithm, "observation": given.observation, "device": given.device}
        folder = given.out.resolve() / algorithm
        training = {**shared, "steps": given.steps, "envs": given.envs, "seed": given.seed}
        speed = train_all(training, given.scenarios, folder)
        note = f"{given.steps:,} shots for each scenario, {given.observation}"
        results.add(f"{algorithm}, shots/s in training", f"{speed:.0f}", note=note)
        settings = {**shared, "checkpoint": str(folder)}
        only = tuple(map(str, given.scenarios))
        spec = PhyQRunSpec("sb3", "broad", only, 1, limit=given.limit, seed=given.seed, settings=settings)
        (result,) = results_of(PHYQ, [spec], given.out / "runs", "Tasks", given.device)
        for number, rate in result.scenario_rates().items():
            beside = ", ".join(f"{name} {100.0 * published_broad(name)[number]:.1f}" for name in PUBLISHED)
            results.add(f"{algorithm}, {number} {SCENARIOS[number]}, %", f"{100.0 * rate:.1f}", note=beside)
        results.add(f"{algorithm}, mean of scenarios, %", f"{100.0 * result.mean:.1f}")
    results.finish("phyq-sb3")


if __name__ == "__main__":
    main()
