"""`tumble phyre sweep`: the outcomes of many actions on many tasks, stored on disk."""

from collections.abc import Iterable
from pathlib import Path

import typer

from tumble.engine import check_device
from tumble.errors import TumbleError
from tumble.jobs.executors import make_executor
from tumble.output import (
    BAD_INPUT,
    console,
    plural,
    print_error,
    print_line,
    reports_errors,
    resume_hint,
    spinner,
    table,
)
from tumble.phyre.catalogue import tasks_by_id
from tumble.phyre.catalogue.task import TIERS, Task
from tumble.phyre.cli.task_files import find_tasks
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.shipped_sweeps import read_solved, restore_store, solved_file
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.sweep_files import SweepStore, create_store, fill_in_parallel, open_store

SHARDS_AT_ONCE = {"cuda": 100}
"""By default, by device; on a CPU 1, or a part of a shard for each worker."""
MAX_PROBLEMS = 10


@reports_errors
def sweep(
    path: Path,
    tier: str | None,
    tasks: str | None,
    actions: int,
    seed: int,
    device: str,
    at_once: int | None,
    workers: int | None,
    executor: str,
    shipped: bool = False,
) -> None:
    """Creates or resumes a store, and prints the counts of its outcomes; `shipped` ones need not be simulated."""
    check_device(device)
    job_executor = make_executor(executor, workers)
    selected = _select_tasks(tasks, tier)
    if shipped:
        file = solved_file(selected[0].tier)
        _, known, _ = read_solved(file)
        if tasks is not None or actions != known or seed:
            raise TumbleError(f"--shipped needs all tasks of a tier, --actions {known} and seed 0")
        restore_store(file, path, device)
    store = create_store(path, selected, selected[0].tier, fixed_set(TIERS[selected[0].tier], actions, seed))
    at_once = at_once or SHARDS_AT_ONCE.get(device.partition(":")[0])
    with resume_hint(f"partial results are in {path}. Repeat the command to resume."):
        if executor == "local" and (workers or 1) == 1:
            store.fill(Simulator(selected, selected[0].tier, device), at_once=at_once or 1)
        else:
            fill_in_parallel(store, selected, job_executor, device, at_once)
    _print_counts(store)


@reports_errors
def verify(path: Path) -> None:
    """Checks that a store is complete and undamaged; exits with code 1 if not."""
    store = open_store(path)
    problems = store.verify()
    for problem in problems[:MAX_PROBLEMS]:
        print_error(problem)
    if problems:
        print_error(
            f"missing or damaged: {plural(len(problems), 'shard')}; repeat the sweep, without --verify, to repair it"
        )
        raise typer.Exit(BAD_INPUT)
    print_line(f"{path} is complete: {_describe_store(store)}, {store.contents.physics}.")


def _select_tasks(text: str | None, tier: str | None) -> list[Task]:
    """The tasks of the options --tasks and --tier, all of one tier."""
    if tier is not None and tier not in TIERS:
        raise TumbleError(f"no tier {tier!r}; there are {', '.join(TIERS)}")
    if text is None:
        with spinner("Building the tasks …"):
            return list(tasks_by_id.tasks(tier or "B").values())
    tasks = list(find_tasks(text).values())
    tiers = sorted({task.tier for task in tasks})
    if tier is None and len(tiers) > 1:
        raise TumbleError(f"the tasks are of tiers {' and '.join(tiers)}; choose one with --tier")
    selected = [task for task in tasks if tier in (None, task.tier)]
    if not selected:
        raise TumbleError(f"none of the tasks is of tier {tier}; they are of tier {tiers[0]}")
    return selected


def _print_counts(store: SweepStore) -> None:
    counts = store.counts()
    rows = table("template", "tasks", "with a solution", "solved", "not solved", "invalid", "solved of valid")
    groups: dict[str, list[int]] = {}
    for row, task_id in enumerate(store.task_ids):
        groups.setdefault(task_id.partition(":")[0], []).append(row)
    for name, members in groups.items():
        rows.add_row(name, *_cells(counts[members].tolist()))
    rows.add_section()
    rows.add_row("all", *_cells(counts.tolist()))
    console().print(rows)
    print_line(f"{store.path}: {_describe_store(store)}.")


def _cells(counts: Iterable[tuple[int, int, int]]) -> list[str]:
    rows = list(counts)
    failed, invalid, solved = (sum(column) for column in zip(*rows, strict=True))
    share = f"{100.0 * solved / (solved + failed):.3g} %" if solved + failed else "-"
    solvable = sum(row[2] > 0 for row in rows)
    return [*(f"{count:,}" for count in (len(rows), solvable, solved, failed, invalid)), share]


def _describe_store(store: SweepStore) -> str:
    tasks, actions = plural(len(store.task_ids), "task"), plural(len(store.actions), "action")
    return f"{tasks}, {actions} each, tier {store.contents.tier}"
