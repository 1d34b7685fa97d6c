"""`tumble phyre evaluate`: agents attempt the test tasks of folds."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import typer

from tumble.output import BAD_INPUT, check_device, complain, console, counted, refusing, table
from tumble.phyre import agents
from tumble.phyre.evaluation.evaluate import resume, run
from tumble.phyre.evaluation.result import Result, result_of
from tumble.phyre.evaluation.run_spec import NO_STORE, Experiment, from_header
from tumble.phyre.report.groups import grouped
from tumble.phyre.report.scores import mean_and_spread
from tumble.phyre.tasks.splits import FOLDS, SETTINGS
from tumble.runs.choices import agent_name, combined_settings, given_values, listed, numbers
from tumble.runs.log import Log
from tumble.runs.side_by_side import Call, run_all

ALL = "all"


@refusing
def evaluate(
    agent: str,
    setting: str,
    fold: str,
    runs: Path,
    limit: int | None,
    tasks: Path | None,
    store: str | None,
    split: str,
    attempts: int,
    seed: str,
    given: Sequence[str],
    device: str,
    workers: int | None,
    executor: str,
) -> None:
    """Make the runs of all combinations of agents, settings, folds, seeds and values, and print what came of each."""
    check_device(device)
    common = {
        "split": split,
        "limit": limit,
        "tasks": None if tasks is None else str(tasks.resolve()),
        "attempts": attempts,
        "store": store if store in (None, NO_STORE) else str(Path(store).resolve()),
        "device": device,
    }
    names = [agent_name(name) for name in listed(agent)]
    settings = list(SETTINGS) if setting == ALL else listed(setting)
    folds, seeds = numbers(fold, "fold", FOLDS - 1), numbers(seed, "seed")
    chosen = [
        Experiment(name, setting, number, values, seed=start, **common)  # type: ignore[arg-type]
        for name, own in combined_settings(names, given_values(given), agents.class_of).items()
        for setting, number, start in product(settings, folds, seeds)
        for values in own
    ]
    for experiment in {experiment.agent: experiment for experiment in chosen}.values():
        experiment.make_agent()  # says what is wrong with it before anything runs
    hint = f"what has been done is in {runs}. Give the same command again to go on."
    results = run_all([begun(experiment, runs) for experiment in chosen], workers, executor, device, hint)
    if len(folds) > 1:
        _print_means(results)
    if len(results) < len(chosen):
        complain(f"failed: {counted(len(chosen) - len(results), 'run')} of {len(chosen)}")
        raise typer.Exit(BAD_INPUT)


def _print_means(results: Sequence[Result]) -> None:
    """Means over folds."""
    rows = table("agent", "setting", "folds", "AUCCESS", "within 10, %", "within 100, %")
    for group in grouped(results):
        for one, setting in product(group.series, group.settings):
            columns = (one.auccess(setting), one.success(setting, 10), one.success(setting, 100))
            if columns[0]:
                cells = (_mean(list(column.values())) for column in columns)
                rows.add_row(one.label, setting, str(len(columns[0])), *cells)
    console().print(rows)


def _mean(values: Sequence[float]) -> str:
    mean, spread = mean_and_spread(values)
    return f"{mean:.1f}" if spread is None else f"{mean:.1f} ± {spread:.1f}"


def begun(experiment: Experiment, folder: Path) -> Call[Result]:
    """A run of an experiment into a folder."""
    return Call(experiment.title, experiment.task_count(), run, (experiment, folder), result_of)


def resumed(log: Log) -> Call[Result]:
    """A run that ended early."""
    return Call(from_header(log.header).title, int(log.header["task_count"]), resume, (log.path,), result_of)
