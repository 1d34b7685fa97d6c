"""The learners that the paper left out, a contextual bandit, REINFORCE and PPO: how far below DQN they are on PHYRE-B.

    python benchmarks/agents/phyre_policies.py --out DIR [--store SWEEPS] [--minutes 6] [--settings ball_cross_template]
        [--folds 0 1 2] [--agents bandit]

A call resumes what an earlier one left unfinished when an agent's minutes of training were over. SWEEPS holds a sweep
store in folder B, which spares the bandit its rollouts. The DQN beside them is that of the same fold in
benchmarks/results.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import torch
from phyre_folds import BRIEF, RECIPE
from table import Results, arguments, timed

from tumble import engine
from tumble.learning.settings import PausedError
from tumble.phyre import agents
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.result import result_of
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.shipped_sweeps import simulator_with_store


def train(spec: PhyreRunSpec, minutes: float) -> bool:
    """Trains the agent of a run into its checkpoint; whether it was finished."""
    agent, tasks = agents.make(spec.agent, **spec.settings, minutes=minutes), spec.training_tasks()
    try:
        agent.train(tasks, simulator_with_store(tasks, spec.tier, spec.store, spec.device, 0))
    except PausedError as error:
        print(error, flush=True)
        return False
    return True


def main() -> None:
    given = arguments(
        __doc__,
        out=Path("policies"),
        store=str,
        minutes=0.0,
        settings=("ball_cross_template", "ball_within_template"),
        folds=(0, 1, 2),
        agents=("bandit", "reinforce", "ppo"),
        split="test",
    )
    dqn = {
        (one.setting, one.fold): one.auccess
        for one in brief_log.read_folder(BRIEF)
        if (one.agent, one.variant, one.split, one.limit) == ("dqn", RECIPE, "test", None)
    }
    device = "cuda" if torch.cuda.is_available() else "cpu"
    results = Results(f"A contextual bandit, REINFORCE and PPO, {engine.physics_id()}", device)
    for setting in given.settings:
        for agent in given.agents:
            pairs = []
            for fold in given.folds:
                path = given.out.resolve() / "checkpoints" / f"{setting}-{fold}-{given.split}-{agent}.pt"
                place = {"settings": {"checkpoint": str(path)}, "store": f"{given.store}/B" if given.store else None}
                spec = PhyreRunSpec(agent, setting, fold, given.split, **place)
                seconds, finished = timed(lambda s=spec: train(s, given.minutes))
                if not finished:
                    continue
                result = result_of(PHYRE.run(spec, given.out / "runs"))
                pairs.append((result.auccess, dqn.get((setting, fold), np.nan)))
                note = f"trained in {seconds:.0f} s; {result.success(10):.1f} % within 10 attempts"
                figure = f"AUCCESS, {agent}, {setting}, fold {fold}"
                results.add(figure, f"{result.auccess:.1f}", note=f"{note}; DQN {pairs[-1][1]:.1f}")
            if pairs:
                own, other = np.mean(pairs, axis=0)
                note = f"{len(pairs)} folds; DQN on these {other:.1f}"
                results.add(f"AUCCESS, {agent}, {setting}, mean", f"{own:.1f}", note=note)
    results.finish("phyre-policies")


if __name__ == "__main__":
    main()
