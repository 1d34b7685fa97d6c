"""DQN and its variants: trains and evaluates them fold by fold, and compares their AUCCESS with the published one.

    python benchmarks/phyre_dqn.py --out DIR --store SWEEPS --minutes 9 [--setting ball_cross_template] [--fold 0]
        [--name drawn] [--agent dqn --agent explorer] [--split validation] [--set updates=20000 --set fusion=drawn]

It can be run in pieces: a call resumes what an earlier call left unfinished when its minutes were over. SWEEPS holds
a sweep store for each tier, in folders B and 2B. For each setting and fold one network is trained, for all agents.
Several calls may run in parallel in one DIR; the last one makes a table of all finished runs.
"""

import argparse
import json
import platform
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from table import RESULTS, Results

from tumble import engine, phyre
from tumble.phyre import agents
from tumble.phyre.agents import checkpoint
from tumble.phyre.agents.dqn import Dqn, PausedError
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.evaluation.published_results import AUCCESS_BY_FOLD
from tumble.phyre.evaluation.result import PhyreResult, result_of
from tumble.phyre.evaluation.run_spec import SPLITS, PhyreRunSpec
from tumble.phyre.simulation.sweeps.cached_simulator import CachedSimulator
from tumble.phyre.simulation.sweeps.store import open_store
from tumble.phyre.tasks.catalogue import published_tasks
from tumble.phyre.tasks.splits import SETTINGS
from tumble.runs import log as run_log

AGENTS = ("dqn", "dqn-o", "explorer", "explorer-o")
MUST = {
    "ball_within_template": {"dqn": "75"},
    "ball_cross_template": {"dqn": "40", "dqn-o": "62"},
    "two_balls_within_template": {"dqn": "62"},
    "two_balls_cross_template": {"dqn": "34", "dqn-o": "46"},
}
"""Required AUCCESS on the test tasks of fold 0."""
GOAL = {
    "ball_within_template": "86",
    "ball_cross_template": "60",
    "two_balls_within_template": "75",
    "two_balls_cross_template": "55",
}
"""Target AUCCESS of our best agent there."""
RANKED_TASKS = 20
THREADS = 4
"""CPU threads for the physics of one call, since others may run in parallel."""


class TimeOverError(Exception):
    """The minutes are over."""


class Clock:
    """The time that is left."""

    def __init__(self, minutes: float) -> None:
        self.end = time.monotonic() + 60.0 * minutes if minutes else float("inf")

    @property
    def minutes(self) -> float:
        """Minutes left; 0 for no limit."""
        if self.end == float("inf"):
            return 0.0
        self.check()
        return (self.end - time.monotonic()) / 60.0

    def check(self) -> None:
        if time.monotonic() >= self.end:
            raise TimeOverError


def train_network(spec: PhyreRunSpec, clock: Clock) -> None:
    """Trains the DQN of a run and measures how fast it ranks; a TimeOverError if the time is over before."""
    agent = agents.make("dqn", **settings_for("dqn", spec.settings), minutes=clock.minutes)
    assert isinstance(agent, Dqn)
    tasks, tested = spec.training_tasks(), spec.tasks_to_attempt()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    simulator = phyre.Simulator(tasks, spec.tier, device)
    if spec.store:
        published = published_tasks(spec.tier).values()
        store = open_store(spec.store)
        simulator = CachedSimulator(published, spec.tier, store, device).restricted_to(tasks)
    try:
        agent.train(tasks, simulator)
    except PausedError as error:
        print(error)
        raise TimeOverError from None
    took = []
    for task in tested[: RANKED_TASKS + 1]:
        start = time.perf_counter()
        agent.propose(task, ())
        took.append(1e3 * (time.perf_counter() - start))
    speed = {"median_ms": float(np.median(took[1:])), "ranked": agent.ranked, "device": agent.torch_device.type}
    Path(agent.checkpoint).with_suffix(".ranking.json").write_text(json.dumps(speed), encoding="utf-8")


def settings_for(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that an agent takes."""
    known = agents.settings_of(agents.class_of(name))
    return {key: value for key, value in settings.items() if key in known}


def work(arguments: argparse.Namespace) -> None:
    """Trains and evaluates; a TimeOverError when the time is over."""
    clock = Clock(arguments.minutes)
    for name in arguments.setting or SETTINGS:
        for fold in arguments.fold or [0]:
            path = arguments.out / "checkpoints" / f"{name}-{fold}-{arguments.split}-{arguments.name}.pt"
            settings = {**arguments.given, "checkpoint": str(path)}
            store = str(arguments.store / SETTINGS[name].tier) if arguments.store else None
            common = PhyreRunSpec(
                "dqn", name, fold, arguments.split, settings=settings, limit=arguments.limit, store=store
            )
            train_network(common, clock)
            for agent in () if arguments.train_only else arguments.agent or AGENTS:
                one = replace(common, agent=agent, settings=settings_for(agent, settings))
                start = time.monotonic()
                log = PHYRE.run(one, arguments.out / "runs", lambda _, __: clock.check(), THREADS)
                took = f"{time.monotonic() - start:.0f} s"
                print(f"{agent}, {name}, fold {fold}, {path.stem}: {result_of(log).auccess:.1f}, {took}", flush=True)


def add_training(results: Results, path: Path) -> None:
    """Rows about a network: how fast it was trained, and how fast it ranks."""
    content = checkpoint.load(path)
    settings, (updates, loss) = content["settings"], content["losses"][-1]
    pairs = settings["tasks_per_batch"] * settings["actions_per_task"]
    note = f"{updates} of {settings['updates']} updates of {pairs} pairs; loss {loss:.3f}; in parallel with others"
    results.add(f"training, {path.stem}", f"{updates / content['seconds']:.1f} updates/s", note=note)
    measured = path.with_suffix(".ranking.json")
    if measured.exists():
        speed = json.loads(measured.read_text(encoding="utf-8"))
        must = "10 ms" if speed["device"] == "cuda" else "3000 ms"
        required = must if settings["fusion"] == "last" and speed["ranked"] == 10_000 else ""
        results.add(f"ranking {speed['ranked']} actions, {path.stem}", f"{speed['median_ms']:.1f} ms", required)


def add_score(results: Results, one: PhyreResult) -> None:
    """The row of a run."""
    header, name = one.header, Path(one.header.agent_settings["checkpoint"]).stem
    official = one.spec.split == "test" and one.spec.limit is None
    published = AUCCESS_BY_FOLD[one.setting].get(one.agent) if official else None
    first = official and not one.fold
    must, goal = (MUST[one.setting].get(one.agent, ""), GOAL[one.setting]) if first else ("", "")
    note = f"{len(one.solved_at)} tasks, {header.details['ranked']} ranked; {one.success(10):.1f} % within 10 attempts"
    note += f"; published {published[one.fold]}" if published else ""
    results.add(f"AUCCESS, {one.agent}, {name}", f"{one.auccess:.1f}", must, goal, note)


def setting(text: str) -> tuple[str, Any]:
    """A setting as given on the command line."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoints, run logs and the table")
    parser.add_argument("--store", type=Path, help="folder of sweep stores, B and 2B")
    parser.add_argument("--minutes", type=float, default=0.0, help="time after which to stop; 0 for no limit")
    parser.add_argument("--setting", action="append", choices=list(SETTINGS))
    parser.add_argument("--fold", action="append", type=int)
    parser.add_argument("--agent", action="append", choices=AGENTS)
    parser.add_argument("--name", default="dqn", help="of the network, in the names of its files")
    parser.add_argument("--train-only", action="store_true", help="evaluate no agent")
    parser.add_argument("--no-table", action="store_true", help="leave the table to another call")
    parser.add_argument("--split", default="test", choices=SPLITS)
    parser.add_argument("--limit", type=int, help="number of tasks, spread over the templates")
    parser.add_argument("--set", action="append", type=setting, default=[], metavar="NAME=VALUE", dest="given")
    arguments = parser.parse_args()
    arguments.given = dict(arguments.given)
    try:
        work(arguments)
    except TimeOverError:
        print("The time is over; the same call resumes.")
    if not arguments.no_table:
        tabulate(arguments.out)


def tabulate(out: Path) -> None:
    """A table of all finished runs in a folder."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    results = Results(f"DQN and its variants, {engine.physics_id()}", device)
    for path in sorted((out / "checkpoints").glob("*.pt")):
        add_training(results, path)
    logs, _ = run_log.logs_in([out / "runs"]) if (out / "runs").is_dir() else ([], [])
    for log in logs:
        if log.finished:
            add_score(results, result_of(log))
    if results.rows:
        name = "phyre-dqn-gpu" if device else "phyre-dqn"
        results.finish(name)
        shutil.copy(RESULTS / f"{name}-{platform.machine()}.csv", out)


if __name__ == "__main__":
    main()
