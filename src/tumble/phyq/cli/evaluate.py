"""`tumble phyq evaluate`: agents attempt tasks."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from rich.table import Column

from tumble.cli.evaluate import evaluate_specs, exit_if_failed
from tumble.cli.option_values import agents_with_settings, parse_numbers, split_list
from tumble.engine import check_device
from tumble.output import console, reports_errors, table
from tumble.phyq.agents import REGISTRY
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.tasks.templates import SCENARIOS
from tumble.runs.header import agent_label


@reports_errors
def evaluate(
    agent: str,
    setting: str,
    only: str,
    runs: Path,
    limit: int | None,
    attempts: int,
    seed: str,
    settings: Sequence[str],
    device: str,
    workers: int | None,
    executor: str,
    levels: Sequence[Path] = (),
    train_on: str = "",
    train_templates: str = "",
    train_tasks: str = "",
) -> None:
    """Makes the runs of all combinations of agents, settings, seeds and values, and prints their results.

    With `levels`, folders and files of them are attempted instead of tasks; runs keep their absolute paths. Of what
    agents train on, all combinations are run too; empty for what the setting says.
    """
    check_device(device)
    only_ids = tuple(split_list(only)) if only else tuple(str(place.resolve()) for place in levels)
    trainings: list[dict[str, Any]] = [
        {"train_on": on, "train_templates": templates, "train_tasks": tasks}
        for on, templates, tasks in product(
            map(str, parse_numbers(train_on, "train-on")) if train_on else [""],
            parse_numbers(train_templates, "train-templates") if train_templates else [None],
            parse_numbers(train_tasks, "train-tasks") if train_tasks else [None],
        )
    ]
    specs = [
        PhyQRunSpec(
            name, one_setting, only_ids, attempts, device, settings=values, limit=limit, seed=one_seed, **training
        )
        for name, values in agents_with_settings(REGISTRY, agent, settings)
        for one_setting, one_seed in product(["levels"] if levels else split_list(setting), parse_numbers(seed, "seed"))
        for training in trainings
    ]
    results = evaluate_specs(PHYQ, specs, runs, workers, executor, device)
    _print_scenarios(results)
    exit_if_failed(results, len(specs))


def _print_scenarios(results: Sequence[Any]) -> None:
    """Prints pass rates by scenario, one column for each run."""
    if not any(result.scenario_rates() for result in results):
        return
    rows = table(Column("passed, %", no_wrap=True), *(_column(result.spec) for result in results))
    rates = [result.scenario_rates() for result in results]
    for number, name in SCENARIOS.items():
        if any(number in of_run for of_run in rates):
            cells = (f"{100.0 * of_run[number]:.1f}" if number in of_run else "-" for of_run in rates)
            rows.add_row(f"{number} {name}", *cells)
    console().print(rows)


def _column(spec: PhyQRunSpec) -> str:
    """The heading of a run's column."""
    return " ".join([agent_label(spec.agent, spec.settings), *map(str, spec.name_parts())])
