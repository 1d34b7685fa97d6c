"""The paper's studies of DQN: figure 4 (number of ranked actions), figure 5 (online updates) and appendix A (variants);
and what an explorer gains by learning from test tasks (`carried`).

    python benchmarks/phyre_studies.py --out DIR --store SWEEPS --minutes 9 [--study ranked] [--setting …]
        [--fold 1 2 3] [--split test] [--set updates=4000] [--parallel 10 --separately --parallel-agents 8]
    python benchmarks/phyre_studies.py --tables      makes the tables from brief logs
    python benchmarks/phyre_studies.py --merge FOLDER

It runs and resumes as benchmarks/phyre_folds.py does; with the same DIR and split, networks with the recommended
settings are shared with it. As in the paper, agents train on the smaller training set and attempt the validation tasks.
Variants that need the same network are evaluated in one job, one after the other, or with --separately in parallel.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from fold_driver import known_runs, plan
from fold_job import AgentRun, settings_for
from fold_series import Series, machines, markdown, mean_and_deviation, series_of
from phyre_folds import BRIEF as FOLDS_BRIEF
from phyre_folds import STUDIES as BRIEF
from phyre_folds import add_job_options, brief_settings, check_settings, common_job, run_planned
from table import Results

from tumble import engine
from tumble.cli.options import single_settings
from tumble.errors import TumbleError
from tumble.phyre.agents.recipes import recommended
from tumble.phyre.catalogue.tasks_by_id import SETTINGS
from tumble.phyre.evaluation import brief_log

FOLDS = (1, 2, 3)
STUDIES: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {
    "ranked": ("dqn", {f"{n:,} ranked": {"ranked": n} for n in (10, 100, 1000, 10_000, 100_000)}),
    "online": (
        "dqn-o",
        {
            **{f"{n} online updates": {"updates_online": n} for n in (0, 1, 3, 5, 10, 20, 50)},
            "5, learning rate 1e-4": {"updates_online": 5, "learning_rate_online": 1e-4},
            "5, four training tasks replayed": {"updates_online": 5, "replayed": 4},
            "5, four training tasks replayed, learning rate 1e-4": {
                "updates_online": 5,
                "learning_rate_online": 1e-4,
                "replayed": 4,
            },
        },
    ),
    "variants": (
        "dqn",
        {
            "as in the paper": {},
            "fusion first": {"fusion": "first"},
            "fusion all": {"fusion": "all"},
            "fusion global": {"fusion": "global"},
            "fusion drawn": {"fusion": "drawn"},
            "action encoder 256": {"hidden": [256]},
            "action encoder 1024": {"hidden": [1024]},
            "action encoder 1024 x 2": {"hidden": [1024, 1024]},
            "no class balance": {"balanced": False},
        },
    ),
    "carried": (
        "explorer-o",
        {
            "learns nothing": {"updates_online": 0, "remembers": False},
            "solutions of test tasks": {"updates_online": 0, "remembers": True},
            "solutions and 5 updates after each task": {"updates_online": 5, "remembers": True},
        },
    ),
}
"""By study: the agent, and the settings of each variant."""
BASES: dict[str, dict[str, Any]] = {
    "variants": {"fusion": "last", "hidden": [512], "balanced": True, "ranked": 1000, "refined": 0}
}
"""What replaces the recommended settings in a study: appendix A has the paper's network as its baseline. It ranks few
actions, since a fusion at the start runs the whole network for each."""
FIGURES = {"ranked": "Figure 4", "online": "Figure 5", "variants": "Appendix A", "carried": "Learning from test tasks"}
"""The paper shows the first three as plots without numbers and has no explorer, so tables have no published column."""


def study_runs(setting: str, studies: list[str], given: dict[str, Any]) -> list[AgentRun]:
    """The runs of studies in one fold of a setting."""
    runs = []
    for study in studies:
        agent, variants = STUDIES[study]
        for name, changed in variants.items():
            settings = {**recommended(setting, agent), **BASES.get(study, {}), **given, **changed}
            runs.append(AgentRun(agent, f"{study}: {name}", brief_settings(settings_for(agent, settings))))
    return runs


def evaluate(arguments: argparse.Namespace) -> int:
    """Runs the jobs; returns how many failed."""
    given = single_settings(arguments.given)
    check_settings(given, [agent for agent, _ in STUDIES.values()])
    known = known_runs([FOLDS_BRIEF, BRIEF, arguments.results])
    jobs = [
        job
        for setting in arguments.setting or SETTINGS
        for fold in arguments.fold or FOLDS
        for job in plan(
            common_job(arguments, setting, fold),
            study_runs(setting, arguments.study or list(STUDIES), given),
            known,
        )
    ]
    return run_planned(jobs, arguments)


def make_tables(folder: Path) -> None:
    """Writes the tables of a folder of brief logs: CSV, and Markdown with a column for each setting."""
    results = brief_log.read_folder(folder)
    every = series_of(results)
    if not every:
        raise SystemExit(f"{folder}: no complete runs with physics {engine.physics_id()}")
    machine = machines(results)
    table = Results(f"The paper's studies of DQN, {engine.physics_id()}", measured_on=machine)
    parts = []
    for study, (_, variants) in STUDIES.items():
        for split in sorted({one.split for one in every}):
            members = {
                (one.setting, one.variant.removeprefix(f"{study}: ")): one
                for one in every
                if one.split == split and one.variant.startswith(f"{study}: ")
            }
            for name in variants:
                for setting in SETTINGS:
                    if (setting, name) in members:
                        add_row(table, study, name, members[setting, name])
            if members:
                parts += [f"{FIGURES[study]}, AUCCESS on {split} tasks:", _markdown(members, variants)]
    table.finish("phyre-studies-gpu" if "NVIDIA" in machine else "phyre-studies")
    path = folder / "tables.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written to {path}")


def add_row(table: Results, study: str, name: str, series: Series) -> None:
    """The row of a variant in a setting."""
    folds = "; ".join(f"fold {fold} {run.auccess:.1f}" for fold, run in sorted(series.runs.items()))
    first = next(iter(series.runs.values()))
    note = f"{folds}; {mean_and_deviation(series.success(10))} % within 10 attempts; {first.settings}"
    figure = f"{FIGURES[study]}, {series.agent}, {name}, {series.setting}, {series.split}"
    table.add(figure, mean_and_deviation(series.auccess), note=note)


def _markdown(members: dict[tuple[str, str], Series], variants: dict[str, Any]) -> str:
    settings = [setting for setting in SETTINGS if any(key[0] == setting for key in members)]
    folds = max(len(one.folds) for one in members.values())
    rows = []
    for name in variants:
        cells = [name]
        for setting in settings:
            one = members.get((setting, name))
            count = f" (of {folds} folds: {len(one.folds)})" if one and len(one.folds) != folds else ""
            cells.append(mean_and_deviation(one.auccess) + count if one else "")
        rows.append(cells)
    return markdown(["", *settings], [cells for cells in rows if any(cells[1:])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_job_options(parser, "validation", BRIEF)
    parser.add_argument("--study", action="extend", nargs="+", choices=list(STUDIES))
    arguments = parser.parse_args()
    for folder in arguments.merge or ():
        brief_log.merge(arguments.results, brief_log.read_folder(folder), brief_log.read_earlier(folder))
    if arguments.tables:
        make_tables(arguments.results)
    if arguments.out:
        sys.exit(1 if evaluate(arguments) else 0)
    if not (arguments.merge or arguments.tables):
        parser.error("give --out DIR to evaluate, or --tables or --merge")


if __name__ == "__main__":
    try:
        main()
    except TumbleError as error:
        sys.exit(f"error: {error}")
