"""DQN, DQN-O and the explorers on all folds of PHYRE, with networks trained by the recommended settings.

    python benchmarks/agents/phyre_folds.py --out DIR --store SWEEPS --minutes 9 [--settings ball_cross_template]
        [--folds 0] [--agents dqn explorer] [--split validation] [--set updates=20000 --name long] [--parallel 10]
    python benchmarks/agents/phyre_folds.py --tables        makes the tables from brief logs
    python benchmarks/agents/phyre_folds.py --freeze NAME [--settings …] [--agents …] [--set …] [--because TEXT]
    python benchmarks/agents/phyre_folds.py --merge FOLDER  adds the brief logs of another folder
    python benchmarks/agents/phyre_folds.py --export        writes DQN's results into the package

It stops after the given minutes; a call resumes what an earlier call in the same DIR left unfinished. Finished runs
are skipped, also those whose brief logs are in --results. A job is a fold of a setting: a network is trained, and the
agents, which share it, are evaluated in turn. With --separately each agent is evaluated by a job of its own as soon as
the network is trained, while other networks train: --parallel-agents of them at a time. SWEEPS holds a sweep store for
each tier, in folders B and 2B; --pool a training pool for each, instead of the package's. Settings (--set) other than
the recommended ones need a --name; the name `paper` is DQN as published.

Test folds are run with frozen settings only: --freeze adds them to benchmarks/frozen/phyre.json, with their score on
validation tasks or what else chose them, and the file is committed. A copy without git needs --frozen-commit HASH. Each
result says how often its agent was run on the same test fold before.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import fold_tables
import frozen_settings
import torch
from fold_driver import known_runs, plan, run_jobs, separated
from fold_job import AgentRun, Job, settings_for
from table import RESULTS, arguments

from tumble.cli.options import OptionError, single_settings
from tumble.errors import TumbleError
from tumble.phyre import agents
from tumble.phyre.agents.recipes import NETWORK_AGENTS, as_published, recommended
from tumble.phyre.catalogue.tasks_by_id import FOLDS, SETTINGS
from tumble.phyre.evaluation import brief_log
from tumble.phyre.evaluation.brief_log import export_shipped

BRIEF = RESULTS / "phyre-folds"
RECIPE, PAPER = "recipe", "paper"
"""The variants with the recommended settings, and with DQN's published ones."""


def recipe_runs(setting: str, names: Sequence[str], variant: str, changed: dict[str, Any]) -> list[AgentRun]:
    """Agents with the recommended settings of a setting, or DQN with the paper's, except for those that are changed."""
    for name in changed:
        if not any(name in agents.settings_of(agents.class_of(agent)) for agent in names):
            raise OptionError(f"no setting {name!r} of {', '.join(names)}")
    runs = []
    for name in names:
        recipe = as_published(setting) if variant == PAPER else recommended(setting, name)
        settings = settings_for(name, {**recipe, **changed})
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in settings.items()}  # as JSON
        runs.append(AgentRun(name, variant, plain))
    return runs


def freeze(given: Any, changed: dict[str, Any]) -> None:
    """Adds the settings of agents to the frozen ones."""
    names = given.agents or NETWORK_AGENTS
    runs = [(one, run) for one in given.settings for run in recipe_runs(one, names, given.freeze, changed)]
    for entry in frozen_settings.freeze(given.freeze, runs, known_runs([BRIEF]), given.because):
        print(f"{entry.name}, {entry.agent}, {entry.setting}: {entry.digest}; {entry.validation or entry.because}")
    print(f"commit {frozen_settings.FILE} before a test fold is run")


def evaluate(given: Any, changed: dict[str, Any]) -> int:
    """Runs the jobs; returns how many failed."""
    if changed and given.name == RECIPE:
        raise OptionError("--set makes a variant; give it a --name")
    names = given.agents or (("dqn",) if given.name == PAPER else NETWORK_AGENTS)
    known, out, jobs = known_runs([BRIEF, given.results]), given.out.resolve(), list[Job]()
    for setting in given.settings:
        tier = SETTINGS[setting].tier
        store = str(given.store.resolve() / tier) if given.store else None
        pool = str(given.pool.resolve() / f"{tier}.npz") if given.pool else ""
        for fold in given.folds:
            place = (str(out), store, pool, given.device)
            common = Job(setting, fold, given.split, given.limit, (), *place, frozen=given.frozen_commit)
            jobs += plan(common, recipe_runs(setting, names, given.name, changed), known)
    first, second = separated(jobs) if given.separately else (jobs, [])
    print(f"{len(first)} and {len(second)} jobs to do; {os.cpu_count()} cores", flush=True)
    return run_jobs(first, out, given.results, given.minutes, given.parallel, second, given.parallel_agents)


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    given = arguments(
        __doc__,
        out=Path,
        results=BRIEF,
        store=Path,
        pool=Path,
        minutes=0.0,
        settings=tuple(SETTINGS),
        limit=int,
        folds=tuple(range(FOLDS)),
        split="test",
        agents=(),
        set=(),
        name=RECIPE,
        parallel=1,
        device=device,
        separately=False,
        parallel_agents=1,
        frozen_commit="",
        tables=False,
        merge=(),
        export=False,
        freeze="",
        because="",
    )
    changed = single_settings(list(given.set))
    for folder in map(Path, given.merge):
        brief_log.merge(given.results, brief_log.read_folder(folder), brief_log.read_earlier(folder))
    if given.freeze:
        freeze(given, changed)
    if given.tables:
        fold_tables.make(given.results)
    if given.export:
        export_shipped(brief_log.read_folder(given.results), RECIPE)
    if given.out:
        sys.exit(1 if evaluate(given, changed) else 0)


if __name__ == "__main__":
    try:
        main()
    except TumbleError as error:
        sys.exit(f"error: {error}")
