"""`tumble phyq evaluate`: agents attempt tasks."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import typer
from rich.table import Column

from tumble.output import BAD_INPUT, check_device, complain, console, counted, refusing, table
from tumble.phyq import agents
from tumble.phyq.evaluation.evaluate import resume, run
from tumble.phyq.evaluation.result import Result, result_of
from tumble.phyq.evaluation.run_spec import Experiment, from_header
from tumble.phyq.tasks.templates import SCENARIOS
from tumble.runs.choices import agent_name, combined_settings, given_values, listed, numbers
from tumble.runs.log import Log
from tumble.runs.side_by_side import Call, run_all


@refusing
def evaluate(
    agent: str,
    setting: str,
    only: str,
    runs: Path,
    limit: int | None,
    attempts: int,
    seed: str,
    given: Sequence[str],
    device: str,
    workers: int | None,
    executor: str,
) -> None:
    """Make the runs of all combinations of agents, settings, seeds and values, and print what came of each."""
    check_device(device)
    names = [agent_name(name) for name in listed(agent)]
    own = combined_settings(names, given_values(given), agents.class_of)
    chosen = [
        Experiment(name, kind, values, tuple(listed(only)) if only else (), limit, attempts, start, device)
        for name in names
        for kind, start, values in product(listed(setting), numbers(seed, "seed"), own[name])
    ]
    for experiment in chosen:
        experiment.make_agent()  # says what is wrong with it before anything runs
    hint = f"what has been done is in {runs}. Give the same command again to go on."
    results = run_all([begun(experiment, runs) for experiment in chosen], workers, executor, device, hint)
    _print_scenarios(results)
    if len(results) < len(chosen):
        complain(f"failed: {counted(len(chosen) - len(results), 'run')} of {len(chosen)}")
        raise typer.Exit(BAD_INPUT)


def begun(experiment: Experiment, folder: Path) -> Call[Result]:
    """A run of an experiment into a folder."""
    return Call(experiment.title, len(experiment.task_ids()), run, (experiment, folder), result_of)


def resumed(log: Log) -> Call[Result]:
    """A run that ended early."""
    return Call(from_header(log.header).title, int(log.header["task_count"]), resume, (log.path,), result_of)


def _print_scenarios(results: Sequence[Result]) -> None:
    """Pass rates by scenario, one column for each run."""
    if not results:
        return
    rows = table(Column("passed, %", no_wrap=True), *(f"{result.agent} {result.setting}" for result in results))
    rates = [result.scenario_rates() for result in results]
    for number, name in SCENARIOS.items():
        if any(number in own for own in rates):
            cells = (f"{100.0 * own[number]:.1f}" if number in own else "-" for own in rates)
            rows.add_row(f"{number} {name}", *cells)
    console().print(rows)
