"""The learners that the paper left out, a contextual bandit, REINFORCE and PPO: how far below DQN they are on PHYRE-B.

    python benchmarks/agents/phyre_policies.py --out DIR [--store SWEEPS] [--minutes 6] [--setting ball_cross_template]
        [--fold 0] [--agent bandit] [--set rounds=200] [--split validation]

It can be run in pieces: a call resumes what an earlier call left unfinished when its minutes were over. Several calls
may run in parallel in one DIR, each with its own agents, settings or folds; each makes a table of all finished runs.
SWEEPS holds a sweep store in folder B, which spares the bandit its rollouts. Test runs are compared with the DQN of the
same fold in benchmarks/results.
"""

import argparse
import platform
import shutil
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import torch
from phyre_folds import BRIEF, RECIPE
from table import RESULTS, Results

from tumble import engine
from tumble.cli.options import single_settings
from tumble.learning.harness import read_checkpoint
from tumble.learning.settings import PausedError
from tumble.phyre import agents
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.result import PhyreResult, result_of
from tumble.phyre.evaluation.run_spec import SPLITS, PhyreRunSpec
from tumble.phyre.models.round_learner import FORMAT, PARTS, RoundLearner
from tumble.phyre.simulation.shipped_sweeps import simulator_with_store
from tumble.runs import log as run_log

AGENTS = ("bandit", "reinforce", "ppo")
BALL_SETTINGS = ("ball_cross_template", "ball_within_template")
FOLDS = (0, 1, 2)


class TimeOverError(Exception):
    """The minutes are over."""


def work(arguments: argparse.Namespace) -> None:
    """Trains and evaluates; a TimeOverError when the time is over."""
    end = time.monotonic() + 60.0 * arguments.minutes if arguments.minutes else float("inf")

    def stop_in_time(_: int, __: int) -> None:
        minutes_until(end)

    store = str(arguments.store / "B") if arguments.store else None
    for name in arguments.setting or BALL_SETTINGS:
        for fold in arguments.fold or FOLDS:
            for agent in arguments.agent or AGENTS:
                path = arguments.out / "checkpoints" / f"{name}-{fold}-{arguments.split}-{agent}.pt"
                settings = {**arguments.given, "checkpoint": str(path)}
                spec = PhyreRunSpec(
                    agent, name, fold, arguments.split, settings=settings, limit=arguments.limit, store=store
                )
                train(spec, end, arguments.threads)
                start = time.monotonic()
                log = PHYRE.run(spec, arguments.out / "runs", stop_in_time, arguments.threads)
                took = f"{time.monotonic() - start:.0f} s"
                print(f"{agent}, {name}, fold {fold}: {result_of(log).auccess:.1f}, evaluated in {took}", flush=True)


def minutes_until(end: float) -> float:
    """Minutes left, 0 for no limit; a TimeOverError if there are none."""
    if end == float("inf"):
        return 0.0
    if time.monotonic() >= end:
        raise TimeOverError
    return (end - time.monotonic()) / 60.0


def train(spec: PhyreRunSpec, end: float, threads: int) -> None:
    """Trains the agent of a run into its checkpoint; a TimeOverError if the time is over before."""
    agent = agents.make(spec.agent, **spec.settings, minutes=minutes_until(end))
    tasks = spec.training_tasks()
    simulator = simulator_with_store(tasks, spec.tier, spec.store, spec.device, threads)
    try:
        agent.train(tasks, simulator)
    except PausedError as error:
        print(error, flush=True)
        raise TimeOverError from None
    assert isinstance(agent, RoundLearner)
    curve = ", ".join(f"{100.0 * share:.1f}" for _, share in agent.solved[:: max(1, len(agent.solved) // 10)])
    print(f"{spec.agent}, {spec.setting}, fold {spec.fold}: {agent.seconds:.0f} s; % that solve: {curve}", flush=True)


def dqn_scores() -> dict[tuple[str, int], tuple[float, int]]:
    """AUCCESS of DQN on the test tasks of a setting and a fold, and the number of actions that it ranked."""
    return {
        (one.setting, one.fold): (one.auccess, one.settings["ranked"])
        for one in brief_log.read_folder(BRIEF)
        if (one.agent, one.variant, one.split, one.limit) == ("dqn", RECIPE, "test", None)
    }


def add_training(results: Results, one: PhyreResult) -> None:
    """The row about the training of a run's agent."""
    content = read_checkpoint(one.header.agent_settings["checkpoint"], FORMAT, PARTS)
    settings, shares = content["settings"], [100.0 * share for _, share in content["solved"]]
    rollouts = content["step"] * settings["tasks_per_round"] * settings["actions_per_task"]
    note = f"{rollouts:,} actions in {content['step']} rounds; {shares[0]:.1f} % of the first solved their task, "
    note += f"{shares[-1]:.1f} % of the last; in parallel with others"
    results.add(f"training, {one.agent}, {one.setting}, fold {one.fold}", f"{content['seconds']:.0f} s", note=note)


def tabulate(out: Path) -> None:
    """A table of all finished runs in a folder."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    results = Results(f"A contextual bandit, REINFORCE and PPO, {engine.physics_id()}", device)
    logs, _ = run_log.logs_in([out / "runs"]) if (out / "runs").is_dir() else ([], [])
    known = dqn_scores()
    scores: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for one in sorted((result_of(log) for log in logs if log.finished), key=lambda one: (one.setting, one.fold)):
        official = one.spec.split == "test" and one.spec.limit is None
        add_training(results, one)
        note = f"{len(one.solved_at)} {one.spec.split} tasks; {one.success(10):.1f} % within 10 attempts"
        if official and (one.setting, one.fold) in known:
            dqn, ranked = known[one.setting, one.fold]
            scores[one.agent, one.setting].append((one.auccess, dqn))
            note += f"; DQN {dqn:.1f} ({ranked} ranked)"
        results.add(f"AUCCESS, {one.agent}, {one.setting}, fold {one.fold}", f"{one.auccess:.1f}", note=note)
    for (agent, name), pairs in sorted(scores.items()):
        own, dqn_mean = np.mean(pairs, axis=0)
        note = f"{len(pairs)} folds; DQN on these {dqn_mean:.1f}: {dqn_mean - own:.1f} points more"
        results.add(f"AUCCESS, {agent}, {name}, mean", f"{own:.1f}", note=note)
    if results.rows:
        name = "phyre-policies-gpu" if device else "phyre-policies"
        results.finish(name)
        shutil.copy(RESULTS / f"{name}-{platform.machine()}.csv", out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoints, run logs and the table")
    parser.add_argument("--store", type=Path, help="folder of sweep stores, of which B is used")
    parser.add_argument("--minutes", type=float, default=0.0, help="time after which to stop; 0 for no limit")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads of the physics; other calls may run too")
    parser.add_argument("--setting", action="append", choices=BALL_SETTINGS)
    parser.add_argument("--fold", action="append", type=int)
    parser.add_argument("--agent", action="append", choices=AGENTS)
    parser.add_argument("--split", default="test", choices=SPLITS)
    parser.add_argument("--limit", type=int, help="number of tasks to attempt, spread over the templates")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="given")
    parser.add_argument("--no-table", action="store_true", help="leave the table to another call")
    parser.add_argument("--table-only", action="store_true", help="only make the table")
    arguments = parser.parse_args()
    arguments.given = single_settings(arguments.given)
    try:
        if not arguments.table_only:
            work(arguments)
    except TimeOverError:
        print("The time is over; the same call resumes.")
    if not arguments.no_table:
        tabulate(arguments.out)


if __name__ == "__main__":
    main()
