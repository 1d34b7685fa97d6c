"""DQN and its kin: trains them fold by fold, evaluates them, and sets their AUCCESS beside the published one.

    python benchmarks/phyre_dqn.py --out DIR --store SWEEPS --minutes 9 [--setting ball_cross_template] [--fold 0]
        [--agent dqn --agent explorer] [--split validation] [--set updates=20000 --set width=0.5]

It can be run in pieces: what one call leaves unfinished when its minutes are over, the next goes on with. SWEEPS holds
a sweep store for each tier, in folders B and 2B. For each setting and fold one network is trained, for all agents.
"""

import argparse
import json
import platform
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from table import RESULTS, Results

from tumble import engine, phyre
from tumble.phyre import agents, experiment
from tumble.phyre.agents.dqn import Dqn, PausedError
from tumble.phyre.experiment import Experiment
from tumble.phyre.published_results import AUCCESS_BY_FOLD
from tumble.phyre.splits import SETTINGS
from tumble.phyre.status import SOLVED
from tumble.phyre.store import open_store
from tumble.phyre.stored import StoredSimulator
from tumble.runs.log import Log

AGENTS = ("dqn", "dqn-o", "explorer", "explorer-o")
MUST = {
    "ball_within_template": {"dqn": "75"},
    "ball_cross_template": {"dqn": "40", "dqn-o": "62"},
    "two_balls_within_template": {"dqn": "62"},
    "two_balls_cross_template": {"dqn": "34", "dqn-o": "46"},
}
"""AUCCESS asked of an agent on the test tasks of fold 0."""
GOAL = {
    "ball_within_template": "86",
    "ball_cross_template": "60",
    "two_balls_within_template": "75",
    "two_balls_cross_template": "55",
}
"""AUCCESS hoped for of our best agent there."""
RANKED_TASKS = 20


class OverError(Exception):
    """The minutes are over."""


class Clock:
    """How long there is left."""

    def __init__(self, minutes: float) -> None:
        self.end = time.monotonic() + 60.0 * minutes if minutes else float("inf")

    @property
    def minutes(self) -> float:
        """What is left; 0 for no end."""
        if self.end == float("inf"):
            return 0.0
        self.check()
        return (self.end - time.monotonic()) / 60.0

    def check(self) -> None:
        if time.monotonic() >= self.end:
            raise OverError


def learned(chosen: Experiment, clock: Clock, results: Results) -> None:
    """Trains the DQN of an experiment and measures its speed; OverError where there is no time to finish."""
    agent = agents.make("dqn", **own_settings("dqn", chosen.settings), minutes=clock.minutes)
    assert isinstance(agent, Dqn)
    tasks, tested = experiment.chosen_tasks(chosen)
    simulator = phyre.Simulator(tasks, chosen.tier)
    if chosen.store:
        known = experiment.published(chosen.tier).values()
        simulator = StoredSimulator(known, chosen.tier, open_store(chosen.store))
    try:
        agent.train(tasks, simulator)
    except PausedError as error:
        print(error)
        raise OverError from None
    updates, loss = agent.losses[-1]
    pairs = agent.tasks_per_batch * agent.actions_per_task
    note = f"{updates} updates of {pairs} pairs in {agent.seconds / 60:.1f} min; loss {loss:.3f}"
    where = f"{chosen.setting}, fold {chosen.fold}"
    results.add(f"training, {where}", f"{updates / agent.seconds:.1f} updates/s", note=note)
    took = []
    for task in tested[: RANKED_TASKS + 1]:
        start = time.perf_counter()
        agent.propose(task, ())
        took.append(1e3 * (time.perf_counter() - start))
    must = "10 ms" if agent.place.type == "cuda" else "3000 ms"
    note = f"median of {len(took) - 1} tasks; the whole network scores {agent.refined or 'all'} of them"
    results.add(f"ranking {agent.ranked} actions, {where}", f"{np.median(took[1:]):.1f} ms", must, "", note)


def own_settings(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Those of the settings that an agent has."""
    known = agents.settings_of(agents.class_of(name))
    return {key: value for key, value in settings.items() if key in known}


def auccess(log: Log) -> float:
    """In percent, of a finished log."""
    first = []
    for rows in log.tasks.values():
        solved = [row["attempt"] for row in rows if row["status"] >= SOLVED]
        first.append(solved[0] if solved else None)
    return 100.0 * phyre.auccess(first)


def work(arguments: argparse.Namespace, results: Results) -> Iterator[tuple[Experiment, Log]]:
    """Trains and evaluates, and gives what is finished, until the time is over."""
    clock = Clock(arguments.minutes)
    for name in arguments.setting or SETTINGS:
        for fold in arguments.fold or [0]:
            path = arguments.out / "checkpoints" / f"{name}-{fold}-{arguments.split}.pt"
            settings = {**arguments.given, "checkpoint": str(path)}
            store = str(arguments.store / SETTINGS[name].tier) if arguments.store else None
            common = Experiment("dqn", name, fold, settings, arguments.split, arguments.limit, store=store)
            learned(common, clock, results)
            for agent in arguments.agent or AGENTS:
                one = replace(common, agent=agent, settings=own_settings(agent, settings))
                start = time.monotonic()
                log = experiment.run(one, arguments.out / "runs", lambda _, __: clock.check())
                print(f"{agent}, {name}, fold {fold}: {time.monotonic() - start:.0f} s")
                yield one, log


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
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so long; 0 for never")
    parser.add_argument("--setting", action="append", choices=list(SETTINGS))
    parser.add_argument("--fold", action="append", type=int)
    parser.add_argument("--agent", action="append", choices=AGENTS)
    parser.add_argument("--split", default="test", choices=experiment.SPLITS)
    parser.add_argument("--limit", type=int, help="only the first so many tasks")
    parser.add_argument("--set", action="append", type=setting, default=[], metavar="NAME=VALUE", dest="given")
    arguments = parser.parse_args()
    arguments.given = dict(arguments.given)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    results = Results(f"DQN and its kin, {engine.physics_id()}", device)
    try:
        for one, log in work(arguments, results):
            official = one.split == "test"
            published = AUCCESS_BY_FOLD[one.setting].get(one.agent) if official else None
            must, goal = (
                (MUST[one.setting].get(one.agent, ""), GOAL[one.setting]) if official and not one.fold else ("", "")
            )
            note = f"{len(log.tasks)} tasks" + (f"; published {published[one.fold]}" if published else "")
            figure = f"AUCCESS, {one.agent}, {one.setting}, fold {one.fold}, {one.split}"
            results.add(figure, f"{auccess(log):.1f}", must, goal, note)
    except OverError:
        print("The time is over; the same call goes on.")
    if results.rows:
        name = "phyre-dqn-gpu" if device else "phyre-dqn"
        results.finish(name)
        shutil.copy(RESULTS / f"{name}-{platform.machine()}.csv", arguments.out)


if __name__ == "__main__":
    main()
