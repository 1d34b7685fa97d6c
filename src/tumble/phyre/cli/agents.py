"""`tumble phyre train` and `tumble phyre evaluate`: an agent's network, and agents at the test tasks of folds."""

import shlex
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tumble.cli.evaluate import evaluate_specs, exit_if_failed
from tumble.cli.options import OptionError, agents_with_settings, parse_numbers, single_settings, split_list
from tumble.engine import check_device
from tumble.learning.settings import needs_torch
from tumble.output import check_target, console, print_line, reports_errors, resume_hint, table
from tumble.phyre.agents import REGISTRY, settings_of
from tumble.phyre.agents.recipes import recommended
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue import task_files
from tumble.phyre.catalogue.task import MAX_ATTEMPTS, digest_of_tasks
from tumble.phyre.catalogue.tasks_by_id import FOLDS, SETTINGS
from tumble.phyre.cli.task_files import load_tasks
from tumble.phyre.evaluation.result import auccess_label, success_limits
from tumble.phyre.evaluation.run_spec import TASK_FILE, PhyreRunSpec
from tumble.phyre.llm.settings import MODEL_ATTEMPTS
from tumble.phyre.report.groups import group_results
from tumble.phyre.simulation.shipped_sweeps import NO_STORE, simulator_with_store
from tumble.report.document import estimate_cell
from tumble.runs.participant import LanguageModel, participant_class
from tumble.runs.spec import task_file_name

OTHER_OPTIONS = {"checkpoint": "--checkpoint", "device": "--device", "loaded": "another command: tumble phyre evaluate"}
"""Settings of agents that are not given with --set here, and what is given instead."""
TRAINING_ONLY = ("minutes",)
"""Settings that evaluation has no use for."""


@reports_errors
def train_network(
    setting: str,
    fold: int,
    agent: str,
    checkpoint: Path | None,
    store: str | None,
    split: str,
    settings: Sequence[str],
    device: str,
) -> None:
    """Trains the network, or resumes its training, and prints the command that evaluates the agent."""
    recipe, given = recommended(setting, agent), single_settings(settings)
    list(agents_with_settings(REGISTRY, agent, settings))  # refuses settings that the agent does not have
    for name in given.keys() & OTHER_OPTIONS.keys():
        raise OptionError(f"--set {name} has no use here; use {OTHER_OPTIONS[name]}")
    with needs_torch("training"):
        from tumble.learning.networks import torch_device
        from tumble.phyre.models.training import DqnSettings
    hardware = torch_device(device).type
    check_device(hardware)
    path = (checkpoint or Path(f"dqn-{setting}-{fold}.pt")).resolve()
    check_target(path, ".pt")
    used = {**recipe, **given}
    known = settings_of(REGISTRY.class_of("dqn"))
    network = {name: value for name, value in used.items() if name in known}
    sweeps = store if store in (None, NO_STORE) else str(Path(store).resolve())
    spec = PhyreRunSpec(
        "dqn", setting, fold, split, settings={**network, "checkpoint": str(path), "device": device}, store=sweeps
    )
    tasks = spec.training_tasks()
    with resume_hint("repeat the command to resume training from its last checkpoint"):
        spec.make_agent().train(tasks, simulator_with_store(tasks, spec.tier, sweeps, hardware))
    evaluated = {"checkpoint": path, "loaded": "true"}
    evaluated |= {name: used[name] for name in used if name not in (*settings_of(DqnSettings), *TRAINING_ONLY)}
    print_line(f"The trained network is in {path}. To evaluate the agent:")
    print_line(command_to_evaluate(agent, setting, fold, split, sweeps, evaluated))


def command_to_evaluate(
    agent: str, setting: str, fold: int, split: str, store: str | None, settings: dict[str, object]
) -> str:
    """The command that evaluates an agent with a trained network."""
    words = ["tumble", "phyre", "evaluate", "--agent", agent, "--setting", setting, "--fold", str(fold)]
    words += ["--split", split] if split != "test" else []
    words += ["--store", store] if store is not None else []
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    return shlex.join([*words, "--runs", "runs"])


ALL_SETTINGS = "all"


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
    names = list(SETTINGS) if setting == ALL_SETTINGS else split_list(setting)
    fold_settings = [f"{name}_balanced" if balanced and name in SETTINGS else name for name in names]
    specs = [
        PhyreRunSpec(
            name,
            fold_setting,
            number,
            attempts=attempts or _default_attempts(name),
            settings=values,
            seed=one_seed,
            **common,
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
    task_files.save(target, tasks)
    return target


def _default_attempts(agent: str) -> int:
    """The attempts at a task that an agent has by default: of a language model, every one costs."""
    return MODEL_ATTEMPTS if participant_class(agent) is LanguageModel else MAX_ATTEMPTS


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
