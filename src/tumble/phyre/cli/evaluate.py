"""`tumble phyre evaluate`: agents attempt the test tasks of folds."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tumble.cli.evaluate import evaluate_specs, exit_if_failed
from tumble.cli.option_values import agents_with_settings, parse_numbers, split_list
from tumble.engine import check_device
from tumble.output import console, reports_errors, table
from tumble.phyre.agents import REGISTRY
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.cli.lookup import load_tasks
from tumble.phyre.evaluation.result import auccess_label, success_limits
from tumble.phyre.evaluation.run_spec import TASK_FILE, PhyreRunSpec
from tumble.phyre.llm.settings import MODEL_ATTEMPTS
from tumble.phyre.report.groups import group_results
from tumble.phyre.simulation.sweeps.shipped import NO_STORE
from tumble.phyre.tasks.digest import digest_of_tasks
from tumble.phyre.tasks.files import formats
from tumble.phyre.tasks.splits import FOLDS, SETTINGS
from tumble.phyre.tasks.task import MAX_ATTEMPTS
from tumble.report.cells import estimate_cell
from tumble.runs.folders import task_file_name
from tumble.runs.language_model import LANGUAGE_MODEL

ALL = "all"


@reports_errors
def evaluate(
    agent: str,
    setting: str,
    fold: str,
    runs: Path,
    limit: int | None,
    tasks: Path | None,
    store: str | None,
    split: str,
    attempts: int | None,
    balanced: bool,
    seed: str,
    settings: Sequence[str],
    device: str,
    workers: int | None,
    executor: str,
) -> None:
    """Makes the runs of all combinations of agents, settings, folds, seeds and values, and prints their results."""
    check_device(device)
    common: dict[str, Any] = {
        "split": split,
        "limit": limit,
        "tasks": None if tasks is None else str(_tasks_as_data(tasks, runs)),
        "store": store if store in (None, NO_STORE) else str(Path(store).resolve()),
        "device": device,
    }
    folds, seeds = parse_numbers(fold, "fold", FOLDS - 1), parse_numbers(seed, "seed")
    names = list(SETTINGS) if setting == ALL else split_list(setting)
    fold_settings = [f"{name}_balanced" if balanced and name in SETTINGS else name for name in names]
    specs = [
        PhyreRunSpec(
            name, fold_setting, number, attempts=attempts or _attempts(name), settings=values, seed=one_seed, **common
        )
        for name, values in agents_with_settings(REGISTRY, agent, settings)
        for fold_setting, number, one_seed in product(fold_settings, folds, seeds)
    ]
    results = evaluate_specs(PHYRE, specs, runs, workers, executor, device)
    if len(folds) > 1:
        _print_means(results)
    exit_if_failed(results, len(specs))


def _tasks_as_data(file: Path, runs: Path) -> Path:
    """The file of tasks; of a template, which is run here, a file with its tasks beside the logs."""
    if file.suffix != ".py":
        return file.resolve()
    tasks = load_tasks(file)
    target = runs.resolve() / task_file_name(TASK_FILE, digest_of_tasks(tasks.values()))
    runs.mkdir(parents=True, exist_ok=True)
    formats.save(target, tasks)
    return target


def _attempts(agent: str) -> int:
    """The attempts at a task that an agent has by default: of a language model, every one costs."""
    return MODEL_ATTEMPTS if agent == LANGUAGE_MODEL else MAX_ATTEMPTS


def _print_means(results: Sequence[Any]) -> None:
    """Prints means over folds."""
    for group in group_results(results):
        allowed = group.conditions.attempts
        within = (f"within {limit}, %" for limit in success_limits(allowed))
        rows = table("agent", "setting", "folds", auccess_label(allowed), *within)
        for series, setting in product(group.series, group.settings):
            estimates = (series.auccess_estimate(setting), *series.success_estimates(setting))
            if series.folds(setting):
                rows.add_row(
                    series.label, setting, str(len(series.folds(setting))), *map(str, map(estimate_cell, estimates))
                )
        console().print(rows)
