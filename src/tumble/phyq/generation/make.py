"""Makes any number of checked tasks: levels that pass all checks of the benchmark's own tasks, each with a solution.

>>> made = make_tasks("1.4", count=2, workers=1)
>>> [one.task.template for one in made], made[0].task.checked
(['1.4', '1.4'], True)

The id of a made task has the number of its draw, as in 1.4:100.0, so that `phyq.task` gives its level on any machine
without a file. The same call gives the same tasks everywhere, on a CPU or a GPU, with any number of workers.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tumble.checks import several, whole_number
from tumble.engine import check_device
from tumble.phyq.generation.block_files import MakeError, block_ranges, make_blocks
from tumble.phyq.generation.blocks import BlockResult
from tumble.phyq.generation.fixed_angles import BLOCK
from tumble.phyq.generation.solutions import Solution, write
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE, made_id, task
from tumble.phyq.tasks.files import own_json
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.templates import template
from tumble.progress import Advance

LEVEL_FILE = re.compile(r"\d+\.\d+-\d+\.\d+\.json")
"""The name of a level file; those that an earlier call has left are removed."""
POOR_BLOCKS = 5
"""A template is given up if none of its last blocks, at most this many, has a task."""


@dataclass(frozen=True)
class MadeTask:
    """A checked task and a solution of it."""

    task: Task
    solution: Solution


def make_tasks(
    templates: str | Sequence[str],
    count: int,
    first: int = TASKS_PER_TEMPLATE,
    folder: str | Path | None = None,
    device: str = "cpu",
    workers: int | None = None,
    executor: str = "local",
    advance: Advance = lambda _: None,
) -> list[MadeTask]:
    """Makes `count` checked tasks of each template, with numbers from `first` on.

    Numbers without an acceptable draw are left out. With a `folder`, levels (3.1/levels/3.1-104.2.json) and solutions
    (3.1/solutions.txt) are written into it, and an interrupted call resumes there when it is repeated.
    """
    whole_number("count", count, at_least=1, error=MakeError)
    whole_number("first", first, at_least=0, error=MakeError)
    check_device(device)
    names = [templates] if isinstance(templates, str) else several("templates", templates, '["3.1"]', MakeError)
    designs = [template(name) for name in dict.fromkeys(names)]
    if folder is not None:
        return _make(designs, count, first, Path(folder), device, workers, executor, advance)
    with TemporaryDirectory() as temporary:
        return _make(designs, count, first, Path(temporary), device, workers, executor, advance)


def _make(
    designs: Sequence[Template],
    count: int,
    first: int,
    folder: Path,
    device: str,
    workers: int | None,
    executor: str,
    advance: Advance,
) -> list[MadeTask]:
    wanted = {design.id: count for design in designs}
    while True:
        ranges = {design.id: block_ranges(first, wanted[design.id]) for design in designs}
        parts = [(design, ranges[design.id]) for design in designs]
        blocks = make_blocks(parts, folder, device, workers, executor, advance)
        advance = _nothing  # what is made in further rounds replaces tasks that are counted already
        found = {design.id: _tasks(design, blocks[design.id], first)[:count] for design in designs}
        short = {key: count - len(own) for key, own in found.items() if len(own) < count}
        if not short:
            break
        for key, missing in short.items():
            last = ranges[key][-1][0] + BLOCK - 1
            recent = blocks[key][-POOR_BLOCKS:]
            if not any(block.accepted for block in recent):
                begin = last + 1 - BLOCK * len(recent)
                raise MakeError(f"template {key}: no draw for tasks {begin} to {last} passes the checks")
            wanted[key] = last + 1 - first + missing
    for key, own in found.items():
        _write_tasks(folder / key, own)
    return [one for own in found.values() for one in own]


def _nothing(_: int) -> None:
    pass


def _tasks(design: Template, blocks: Sequence[BlockResult], first: int) -> list[MadeTask]:
    """The tasks of blocks from a number on."""
    made = []
    for block in blocks:
        for task_id, draw in block.accepted.items():
            number = int(task_id.rpartition(":")[2])
            if number >= first:
                made.append(MadeTask(task(made_id(design, number, draw)), block.solutions[task_id]))
    return made


def _write_tasks(folder: Path, made: Sequence[MadeTask]) -> None:
    """Writes the levels and the solutions of a template's tasks."""
    levels = folder / "levels"
    levels.mkdir(exist_ok=True)
    files = {f"{one.task.id.replace(':', '-')}.json": one.task.level for one in made}
    for path in levels.glob("*.json"):
        if path.name not in files and LEVEL_FILE.fullmatch(path.name):
            path.unlink()
    for name, level in files.items():
        own_json.save(level, levels / name)
    write(folder, {one.task.id: one.solution for one in made})
