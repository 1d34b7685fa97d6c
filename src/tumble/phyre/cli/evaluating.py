"""`tumble phyre evaluate`: agents attempt the test tasks of folds."""

import ast
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import typer

from tumble.output import BAD_INPUT, check_device, complain, console, counted, refusing, table
from tumble.phyre import agents
from tumble.phyre.cli.side_by_side import begun, run_all
from tumble.phyre.experiment import NO_STORE, Experiment
from tumble.phyre.report.groups import grouped
from tumble.phyre.report.scores import mean_and_spread
from tumble.phyre.results import Result
from tumble.phyre.splits import FOLDS, SETTINGS

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
    names = [_found(name) for name in _listed(agent)]
    settings = list(SETTINGS) if setting == ALL else _listed(setting)
    folds, seeds = _numbers(fold, "fold", FOLDS - 1), _numbers(seed, "seed")
    chosen = [
        Experiment(name, setting, number, values, seed=start, **common)  # type: ignore[arg-type]
        for name, own in _settings(names, _given(given)).items()
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


def _listed(text: str) -> list[str]:
    found = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise ValueError(f"nothing is named by {text!r}")
    return found


def _found(agent: str) -> str:
    """An agent's name; a file by its full path, so that its run can be resumed from elsewhere."""
    path, mark, kind = agent.rpartition(":")
    return f"{Path(path).resolve()}:{kind}" if mark and path.endswith(".py") else agent


def _numbers(text: str, what: str, largest: int | None = None) -> list[int]:
    """Numbers as in 0, 0,3,7 or 0-9."""
    found: list[int] = []
    for part in _listed(text):
        first, mark, last = part.partition("-")
        if not first.isdigit() or (mark and not last.isdigit()):
            raise ValueError(f"{what} must be a number, or several as in 0,3,7 or 0-9, not {text!r}")
        found += range(int(first), int(last if mark else first) + 1)
    if not found or (largest is not None and max(found) > largest):
        raise ValueError(f"no {what} {text}; there are 0 to {largest}")
    return list(dict.fromkeys(found))


def _given(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Values by the names of settings, as in ranked=1000; what is no value of Python is text."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark or not name.strip().isidentifier():
            raise ValueError(f"--set takes NAME=VALUE, as in ranked=1000, not {text!r}")
        try:
            read = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            read = value.strip()
        found.setdefault(name.strip(), []).append(read)
    return found


def _settings(names: Sequence[str], given: dict[str, list[Any]]) -> dict[str, list[dict[str, Any]]]:
    """For each agent all combinations of the given values that it takes."""
    known = {name: agents.settings_of(agents.class_of(name)) for name in names}
    for setting in given:
        if not any(setting in own for own in known.values()):
            has = "; ".join(f"{name} has {', '.join(own) or 'none'}" for name, own in known.items())
            raise ValueError(f"no setting {setting!r}: {has}")
    combined = {}
    for name in names:
        own = {setting: values for setting, values in given.items() if setting in known[name]}
        combined[name] = [dict(zip(own, values, strict=True)) for values in product(*own.values())]
    return combined
