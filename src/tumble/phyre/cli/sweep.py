"""`tumble phyre sweep`: many actions on many tasks, kept on disk."""

from collections.abc import Iterable
from pathlib import Path

import typer

from tumble.engine import check_device
from tumble.errors import TumbleError
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
from tumble.phyre.cli.finding import find_tasks
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.sweeps.store import SweepStore, create, open_store
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS

SHARDS_AT_ONCE = {"cpu": 1, "cuda": 100}
MOST_PROBLEMS = 10


@reports_errors
def sweep(
    path: Path, tier: str | None, tasks: str | None, actions: int, seed: int, device: str, at_once: int | None
) -> None:
    """Make a store or go on with one, and print what it holds."""
    check_device(device)
    chosen = _chosen(tasks, tier)
    store = create(path, chosen, chosen[0].tier, fixed_set(TIERS[chosen[0].tier], actions, seed))
    kind = device.partition(":")[0]
    with resume_hint(f"what has been swept is in {path}. Give the same command again to go on."):
        store.fill(Simulator(chosen, chosen[0].tier, device), at_once=at_once or SHARDS_AT_ONCE.get(kind, 1))
    _print_counts(store)


@reports_errors
def verify(path: Path) -> None:
    """Say whether all of a store is there and undamaged."""
    store = open_store(path)
    problems = store.verify()
    for problem in problems[:MOST_PROBLEMS]:
        print_error(problem)
    if problems:
        print_error(
            f"missing or damaged: {plural(len(problems), 'shard')}; sweep again, without --verify, to mend that"
        )
        raise typer.Exit(BAD_INPUT)
    print_line(f"{path} is whole: {_extent(store)}, {store.contents.physics}.")


def _chosen(text: str | None, tier: str | None) -> list[Task]:
    """The tasks that are meant, all of one tier."""
    if tier is not None and tier not in TIERS:
        raise TumbleError(f"no tier {tier!r}; there are {', '.join(TIERS)}")
    if text is None:
        with spinner("Building the tasks …"):
            return list(catalogue.tasks(tier or "B").values())
    found = list(find_tasks(text).values())
    tiers = sorted({task.tier for task in found})
    if tier is None and len(tiers) > 1:
        raise TumbleError(f"the tasks are of tiers {' and '.join(tiers)}; choose one with --tier")
    chosen = [task for task in found if tier in (None, task.tier)]
    if not chosen:
        raise TumbleError(f"none of the tasks is of tier {tier}; they are of tier {tiers[0]}")
    return chosen


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
    print_line(f"{store.path}: {_extent(store)}.")


def _cells(counts: Iterable[tuple[int, int, int]]) -> list[str]:
    rows = list(counts)
    failed, invalid, solved = (sum(column) for column in zip(*rows, strict=True))
    share = f"{100.0 * solved / (solved + failed):.3g} %" if solved + failed else "-"
    solvable = sum(row[2] > 0 for row in rows)
    return [*(f"{count:,}" for count in (len(rows), solvable, solved, failed, invalid)), share]


def _extent(store: SweepStore) -> str:
    tasks, actions = plural(len(store.task_ids), "task"), plural(len(store.actions), "action")
    return f"{tasks}, {actions} each, tier {store.contents.tier}"
