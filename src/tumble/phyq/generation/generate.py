"""Generates the benchmark's tasks, and makes any number of further ones that pass all of the same checks.

`generate_tasks` stores accepted draws and their solutions: blocks of tasks are written to files in a folder when they
are finished, and generation resumes from these files. At the end `accepted_draws.txt` and `solutions.txt` are
written, which the package ships.

>>> made = make_tasks("1.4", count=2, workers=1)
>>> [one.task.template for one in made], made[0].task.checked
(['1.4', '1.4'], True)

The id of a made task has the number of its draw, as in 1.4:100.0, so that `phyq.task` gives its level on any machine
without a file. The same call gives the same tasks everywhere, on a CPU or a GPU, with any number of workers.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from tumble import progress
from tumble.checks import several, whole_number
from tumble.engine import check_device
from tumble.phyq.catalogue import level_json
from tumble.phyq.catalogue.tasks import TASKS_PER_TEMPLATE, Task, made_id, task
from tumble.phyq.catalogue.template import Template, read_accepted_draws, write_accepted_draws
from tumble.phyq.catalogue.templates import template, templates
from tumble.phyq.generation import solutions
from tumble.phyq.generation.blocks import BlockResult, MakeError, block_ranges, make_blocks, read_pilot
from tumble.phyq.generation.checks import BLOCK_SIZE, REASONS
from tumble.phyq.generation.solutions import Solution, write_solutions
from tumble.progress import Advance


@dataclass
class TemplateResult:
    """The generated tasks of one template."""

    template: str
    tolerance: float = 0.0
    accepted: dict[str, int] = field(default_factory=dict)
    """The accepted draw of each task."""
    solutions: dict[str, Solution] = field(default_factory=dict)
    drawn: int = 0
    rejected: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))
    """Rejected draws by reason."""
    played: int = 0
    """Sequences of shots that were played in searches."""


def generate_tasks(
    template_ids: Sequence[str] = (),
    tasks: int = TASKS_PER_TEMPLATE,
    device: str = "cpu",
    workers: int | None = None,
    folder: Path = Path("phyq-tasks"),
    data_folder: Path | None = None,
) -> list[TemplateResult]:
    """Generates the tasks of some templates, or of all; blocks that are already in `folder` are kept.

    The two files are written into `data_folder`, by default that of the package; tasks of other templates in them stay
    as they are. Tasks without an acceptable draw are left out.
    """
    designs = [template(template_id) for template_id in template_ids or templates()]
    ranges = [(first, min(BLOCK_SIZE, tasks - first)) for first in range(0, tasks, BLOCK_SIZE)]
    with progress.bar("tasks", tasks * len(designs)) as advance:
        made = make_blocks([(design, ranges) for design in designs], folder, device, workers, advance=advance)
    results = [_template_result(folder, design, made[design.id]) for design in designs]
    write_task_files(results, data_folder or Path(str(resources.files("tumble.phyq"))) / "data")
    return results


def _template_result(folder: Path, design: Template, blocks: Sequence[BlockResult]) -> TemplateResult:
    """The result of a template from its pilot and its blocks."""
    pilot = read_pilot(folder, design)
    assert pilot is not None
    result = TemplateResult(design.id, pilot.tolerance, played=pilot.played)
    for block in blocks:
        result.accepted |= block.accepted
        result.solutions |= block.solutions
        result.drawn += block.drawn
        result.played += block.played
        for reason, count in block.rejected.items():
            result.rejected[reason] += count
    return result


def write_task_files(results: Sequence[TemplateResult], folder: Path) -> None:
    """Writes the accepted draws and the solutions in the order of the tasks."""
    renewed = {result.template for result in results}
    draws = {key: number for key, number in read_accepted_draws(folder).items() if _template_of(key) not in renewed}
    solved = {
        key: solution for key, solution in solutions.read_solutions(folder).items() if _template_of(key) not in renewed
    }
    for result in results:
        draws |= {task_id: number for task_id, number in result.accepted.items() if number}
        solved |= result.solutions
    order = {template_id: k for k, template_id in enumerate(templates())}

    def position(task_id: str) -> tuple[int, str]:
        return order[_template_of(task_id)], task_id

    write_accepted_draws(folder, {task_id: draws[task_id] for task_id in sorted(draws, key=position)})
    solutions.write_solutions(folder, {task_id: solved[task_id] for task_id in sorted(solved, key=position)})


def summary(results: Sequence[TemplateResult]) -> Counter[str]:
    """Draws, tasks, played sequences and rejections of all templates."""
    total: Counter[str] = Counter()
    for result in results:
        total.update({"drawn": result.drawn, "tasks": len(result.solutions), "played": result.played})
        total.update(result.rejected)
    return total


def _template_of(task_id: str) -> str:
    return task_id.split(":")[0]


LEVEL_FILE_NAME = re.compile(r"\d+\.\d+-\d+\.\d+\.json")
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
        return _make_tasks(designs, count, first, Path(folder), device, workers, executor, advance)
    with TemporaryDirectory() as temporary:
        return _make_tasks(designs, count, first, Path(temporary), device, workers, executor, advance)


def _make_tasks(
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
        advance = _no_progress  # what is made in further rounds replaces tasks that are counted already
        found = {design.id: _made_tasks(design, blocks[design.id], first)[:count] for design in designs}
        short = {key: count - len(own) for key, own in found.items() if len(own) < count}
        if not short:
            break
        for key, missing in short.items():
            last = ranges[key][-1][0] + BLOCK_SIZE - 1
            recent = blocks[key][-POOR_BLOCKS:]
            if not any(block.accepted for block in recent):
                begin = last + 1 - BLOCK_SIZE * len(recent)
                raise MakeError(f"template {key}: no draw for tasks {begin} to {last} passes the checks")
            wanted[key] = last + 1 - first + missing
    for key, own in found.items():
        _write_made_tasks(folder / key, own)
    return [one for own in found.values() for one in own]


def _no_progress(_: int) -> None:
    pass


def _made_tasks(design: Template, blocks: Sequence[BlockResult], first: int) -> list[MadeTask]:
    """The tasks of blocks from a number on."""
    made = []
    for block in blocks:
        for task_id, draw in block.accepted.items():
            number = int(task_id.rpartition(":")[2])
            if number >= first:
                made.append(MadeTask(task(made_id(design, number, draw)), block.solutions[task_id]))
    return made


def _write_made_tasks(folder: Path, made: Sequence[MadeTask]) -> None:
    """Writes the levels and the solutions of a template's tasks."""
    levels = folder / "levels"
    levels.mkdir(exist_ok=True)
    files = {f"{one.task.id.replace(':', '-')}.json": one.task.level for one in made}
    for path in levels.glob("*.json"):
        if path.name not in files and LEVEL_FILE_NAME.fullmatch(path.name):
            path.unlink()
    for name, level in files.items():
        level_json.save(level, levels / name)
    write_solutions(folder, {one.task.id: one.solution for one in made})
