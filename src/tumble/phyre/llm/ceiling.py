"""The ceiling of a grid of actions: which tasks it can solve at all, by a sweep of all its actions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from tumble.engine import physics_id
from tumble.phyre.catalogue.tasks_by_id import task as task_by_id
from tumble.phyre.catalogue.tasks_by_id import task_ids, template_of
from tumble.phyre.llm.answer import Grid
from tumble.phyre.simulation.actions import within_scene
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.progress import Advance
from tumble.scene.files import whole_file

FILE = "grid_ceilings.txt"
"""In the package's data: the physics, then a line for each tier and grid, with 1, 0 or - (not known) for each task."""
UNKNOWN = "-"
FIRST_ROUND = 128
"""Actions that all tasks are tried with first; each further round has four times as many, for tasks still unsolved."""
SEED = 0
"""Of the order in which actions are tried, which changes the time that a sweep takes, and nothing else."""


@dataclass(frozen=True)
class Ceiling:
    """Which tasks a grid can solve."""

    grid: Grid
    solvable: Mapping[str, bool]
    """By task id."""

    @property
    def share(self) -> float:
        """The share of the tasks that can be solved, 0 to 1."""
        return float(np.mean(list(self.solvable.values())))

    @property
    def by_template(self) -> dict[str, float]:
        """The share of each template's tasks."""
        groups: dict[str, list[bool]] = {}
        for task_id, one in self.solvable.items():
            groups.setdefault(template_of(task_id), []).append(one)
        return {template: float(np.mean(group)) for template, group in sorted(groups.items())}

    @property
    def text(self) -> str:
        """The ceiling in words, to be shown beside a score."""
        return f"a {self.grid.name} grid can solve {100.0 * self.share:.1f} % of these {len(self.solvable):,} tasks"


def ceiling(grid: Grid, ids: Sequence[str], device: str = "cpu", progress: Advance | None = None) -> Ceiling:
    """Tries all actions of a grid on tasks of one tier; `progress` is called with each number of tasks finished."""
    simulator = Simulator([task_by_id(task_id) for task_id in ids], device=device)
    actions = grid.actions(simulator.tier)
    actions = actions[within_scene(actions)]
    actions = np.random.default_rng(SEED).permutation(actions)
    solvable = dict.fromkeys(ids, False)
    advance = progress or (lambda _: None)
    open_ids, begin, count = list(ids), 0, FIRST_ROUND
    while open_ids and begin < len(actions):
        statuses = simulator.sweep(actions[begin : begin + count], open_ids, progress=lambda _: None)
        solved = (statuses == SOLVED).any(axis=1)
        solvable.update({task_id: True for task_id, one in zip(open_ids, solved, strict=True) if one})
        open_ids = [task_id for task_id, one in zip(open_ids, solved, strict=True) if not one]
        advance(int(solved.sum()))
        begin, count = begin + count, 4 * count
    advance(len(open_ids))
    return Ceiling(grid, solvable)


def known_ceiling(grid: Grid, ids: Iterable[str]) -> Ceiling | None:
    """The stored ceiling of published tasks; None if it is not stored for all of them."""
    chosen = list(ids)
    for tier_tasks in _stored().get(grid.name, []):
        if chosen and all(task_id in tier_tasks for task_id in chosen):
            return Ceiling(grid, {task_id: tier_tasks[task_id] for task_id in chosen})
    return None


def stored_text(ceilings: Iterable[tuple[str, Ceiling]]) -> str:
    """The contents of the file, from tiers and ceilings of published tasks, or of some of them."""
    rows = [physics_id()]
    for tier, one in ceilings:
        marks = ("01"[one.solvable[task_id]] if task_id in one.solvable else UNKNOWN for task_id in task_ids(tier))
        rows.append(f"{tier} {one.grid.name} {''.join(marks)}")
    return "\n".join(rows) + "\n"


def write_stored(path: Path, ceilings: Iterable[tuple[str, Ceiling]]) -> None:
    """Writes the file."""
    with whole_file(path) as partial:
        partial.write_text(stored_text(ceilings), encoding="ascii")


@cache
def _stored() -> dict[str, list[dict[str, bool]]]:
    """By the name of a grid: for each tier that is stored, which tasks it can solve."""
    file = resources.files("tumble.phyre").joinpath("data", FILE)
    if not file.is_file():
        return {}
    return read_stored(file.read_text(encoding="ascii"))


def read_stored(text: str) -> dict[str, list[dict[str, bool]]]:
    """The ceilings of the file's contents; none if they are of other physics."""
    physics, *lines = text.splitlines()
    found: dict[str, list[dict[str, bool]]] = {}
    if physics != physics_id():
        return found
    for line in lines:
        tier, name, marks = line.split()
        ids = zip(task_ids(tier), marks, strict=True)
        solvable = {task_id: mark == "1" for task_id, mark in ids if mark != UNKNOWN}
        found.setdefault(name, []).append(solvable)
    return found
