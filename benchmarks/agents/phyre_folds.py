"""DQN, DQN-O and the explorers on all folds of PHYRE, with networks trained by the recommended settings.

    python benchmarks/agents/phyre_folds.py --out DIR --store SWEEPS --minutes 9 [--fold 0]
        [--setting ball_cross_template] [--agent dqn --agent explorer] [--split validation] [--set updates=20000]
        [--name long] [--parallel 10]
    python benchmarks/agents/phyre_folds.py --tables        makes the tables from brief logs
    python benchmarks/agents/phyre_folds.py --freeze NAME [--setting …] [--agent …] [--set …] [--because TEXT]
    python benchmarks/agents/phyre_folds.py --merge FOLDER  adds the brief logs of another folder
    python benchmarks/agents/phyre_folds.py --export        writes DQN's results into the package

It stops after the given minutes; a call resumes what an earlier call in the same DIR left unfinished. Finished runs
are skipped, also those whose brief logs are in benchmarks/results/phyre-folds. A job is a fold of a setting: a network
is trained, and the agents, which share it, are evaluated in turn. With --separately each agent is evaluated by a job of
its own as soon as the network is trained, while other networks train: --parallel-agents of them at a time. SWEEPS holds
a sweep store for each tier, in folders B and 2B.
Settings (--set) other than the recommended ones need a --name.

Test folds are run with frozen settings only: --freeze adds them to benchmarks/frozen/phyre.json, with their score on
validation tasks or what else chose them, and the file is committed. A copy without git needs --frozen-commit HASH. Each
result says how often its agent was run on the same test fold before.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import frozen_settings
import torch
from fold_driver import known_runs, plan, run_jobs, separated
from fold_job import AgentRun, Job, settings_for
from table import RESULTS

from tumble.cli.options import OptionError, single_settings
from tumble.errors import TumbleError
from tumble.phyre import agents
from tumble.phyre.agents.recipes import NETWORK_AGENTS, as_published, recommended
from tumble.phyre.catalogue.tasks_by_id import FOLDS, SETTINGS
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import export_shipped
from tumble.phyre.evaluation.run_spec import SPLITS

BRIEF = RESULTS / "phyre-folds"
STUDIES = RESULTS / "phyre-studies"
RECIPE = "recipe"
"""The variant with the recommended settings."""
PAPER = "paper"
"""The variant of DQN with the paper's settings."""


def recipe_runs(setting: str, names: Sequence[str], variant: str, given: dict[str, Any]) -> list[AgentRun]:
    """Agents with the recommended settings of a setting, or DQN with the paper's, except for those that are given."""
    runs = []
    for name in names:
        settings = {**(as_published(setting) if variant == PAPER else recommended(setting, name)), **given}
        runs.append(AgentRun(name, variant, brief_settings(settings_for(name, settings))))
    return runs


def brief_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as they are read back from JSON."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def check_settings(given: dict[str, Any], names: Sequence[str]) -> None:
    """An error for a setting that no agent has, or that has a wrong value."""
    for name in given:
        if not any(name in agents.settings_of(agents.class_of(agent)) for agent in names):
            raise OptionError(f"no setting {name!r} of {', '.join(names)}")


def common_job(arguments: argparse.Namespace, setting: str, fold: int) -> Job:
    """The job of a fold, without agents."""
    store = str(arguments.store.resolve() / SETTINGS[setting].tier) if arguments.store else None
    split, frozen = arguments.split, arguments.frozen_commit
    out = str(arguments.out.resolve())
    pool = str(arguments.pool.resolve() / f"{SETTINGS[setting].tier}.npz") if arguments.pool else ""
    return Job(setting, fold, split, arguments.limit, (), out, store, pool, arguments.device, frozen=frozen)


def add_job_options(parser: argparse.ArgumentParser, split: str, results: Path) -> None:
    """The options that all programs with jobs have."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--out", type=Path, help="folder for checkpoints, run logs and brief logs of this machine")
    parser.add_argument("--results", type=Path, default=results, help="folder for the brief logs of finished runs")
    parser.add_argument("--store", type=Path, help="folder of sweep stores, B and 2B")
    parser.add_argument("--pool", type=Path, help="folder of training pools, B.npz and 2B.npz; default: the package's")
    parser.add_argument("--minutes", type=float, default=0.0, help="time after which to stop; 0 for no limit")
    parser.add_argument("--setting", action="extend", nargs="+", choices=list(SETTINGS))
    parser.add_argument("--fold", action="extend", nargs="+", type=int, choices=range(FOLDS), metavar="0…9")
    parser.add_argument("--split", default=split, choices=SPLITS)
    parser.add_argument("--limit", type=int, help="number of tasks, spread over the templates")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="given")
    parser.add_argument("--parallel", type=int, default=1, help="jobs at a time, which share GPU and cores")
    parser.add_argument("--device", default=device, choices=("cpu", "cuda"), help="of networks and of their training")
    parser.add_argument("--separately", action="store_true", help="agents in jobs of their own")
    parser.add_argument("--frozen-commit", default="", metavar="HASH", help="of frozen settings, where there is no git")
    parser.add_argument("--parallel-agents", type=int, default=1, help="such jobs at a time")
    parser.add_argument("--tables", action="store_true", help="make the tables from brief logs")
    parser.add_argument("--merge", type=Path, nargs="+", metavar="FOLDER", help="add the brief logs of other folders")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_job_options(parser, "test", BRIEF)
    parser.add_argument("--agent", action="extend", nargs="+", choices=NETWORK_AGENTS)
    parser.add_argument("--name", default=RECIPE, help="of the variant; paper: DQN as published")
    parser.add_argument("--export", action="store_true", help="write DQN's results on test tasks into the package")
    parser.add_argument("--freeze", metavar="NAME", help="add the settings to those with which test folds may be run")
    parser.add_argument("--because", default="", help="what chose settings that validation tasks did not choose")
    arguments = parser.parse_args()
    for folder in arguments.merge or ():
        brief_log.merge(arguments.results, brief_log.read_folder(folder), brief_log.read_earlier(folder))
    if arguments.freeze:
        freeze(arguments)
    if arguments.tables:
        import fold_tables

        fold_tables.make(arguments.results)
    if arguments.export:
        export_shipped(brief_log.read_folder(arguments.results), RECIPE)
    if arguments.out:
        sys.exit(1 if evaluate(arguments) else 0)
    if not (arguments.merge or arguments.freeze or arguments.tables or arguments.export):
        parser.error("give --out DIR to evaluate, or --tables, --freeze, --merge or --export")


def freeze(arguments: argparse.Namespace) -> None:
    """Adds the settings of agents, with those that are given, to the frozen ones."""
    given, names = single_settings(arguments.given), arguments.agent or NETWORK_AGENTS
    check_settings(given, names)
    settings = arguments.setting or SETTINGS
    runs = [(one, run) for one in settings for run in recipe_runs(one, names, arguments.freeze, given)]
    for entry in frozen_settings.freeze(arguments.freeze, runs, known_runs([BRIEF, STUDIES]), arguments.because):
        print(f"{entry.name}, {entry.agent}, {entry.setting}: {entry.digest}; {entry.validation or entry.because}")
    print(f"commit {frozen_settings.FILE} before a test fold is run")


def evaluate(arguments: argparse.Namespace) -> int:
    """Runs the jobs; returns how many failed."""
    given = single_settings(arguments.given)
    names = arguments.agent or (("dqn",) if arguments.name == PAPER else NETWORK_AGENTS)
    if given and arguments.name == RECIPE:
        raise OptionError("--set makes a variant; give it a --name")
    check_settings(given, names)
    known = known_runs([BRIEF, arguments.results])
    jobs = [
        job
        for setting in arguments.setting or SETTINGS
        for fold in arguments.fold or range(FOLDS)
        for job in plan(common_job(arguments, setting, fold), recipe_runs(setting, names, arguments.name, given), known)
    ]
    return run_planned(jobs, arguments)


def run_planned(jobs: Sequence[Job], arguments: argparse.Namespace) -> int:
    """Runs jobs as the options say; returns how many failed."""
    jobs, others = separated(jobs) if arguments.separately else (jobs, [])
    print(f"{len(jobs)} and {len(others)} jobs to do; {os.cpu_count()} cores", flush=True)
    out, parallel = arguments.out.resolve(), arguments.parallel
    return run_jobs(jobs, out, arguments.results, arguments.minutes, parallel, others, arguments.parallel_agents)


if __name__ == "__main__":
    try:
        main()
    except TumbleError as error:
        sys.exit(f"error: {error}")
