"""Generates the benchmark's tasks and stores the accepted draws and their solutions.

Blocks of tasks are written to files in a folder when they are finished; generation resumes from these files. At the end
`accepted_draws.txt` and `solutions.txt` are written, which the package ships.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from tumble import progress
from tumble.phyq.generation import solutions
from tumble.phyq.generation.block_files import make_blocks, read_pilot
from tumble.phyq.generation.blocks import BlockResult
from tumble.phyq.generation.checks import REASONS
from tumble.phyq.generation.fixed_angles import BLOCK
from tumble.phyq.generation.solutions import Solution
from tumble.phyq.tasks import accepted_draws
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.templates import template, templates


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
    ranges = [(first, min(BLOCK, tasks - first)) for first in range(0, tasks, BLOCK)]
    with progress.bar("tasks", tasks * len(designs)) as advance:
        made = make_blocks([(design, ranges) for design in designs], folder, device, workers, advance=advance)
    results = [_result(folder, design, made[design.id]) for design in designs]
    write_files(results, data_folder or Path(str(resources.files("tumble.phyq"))) / "data")
    return results


def _result(folder: Path, design: Template, blocks: Sequence[BlockResult]) -> TemplateResult:
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


def write_files(results: Sequence[TemplateResult], folder: Path) -> None:
    """Writes the accepted draws and the solutions in the order of the tasks."""
    renewed = {result.template for result in results}
    draws = {key: number for key, number in accepted_draws.read(folder).items() if _template_of(key) not in renewed}
    solved = {key: solution for key, solution in solutions.read(folder).items() if _template_of(key) not in renewed}
    for result in results:
        draws |= {task_id: number for task_id, number in result.accepted.items() if number}
        solved |= result.solutions
    order = {template_id: k for k, template_id in enumerate(templates())}

    def position(task_id: str) -> tuple[int, str]:
        return order[_template_of(task_id)], task_id

    accepted_draws.write(folder, {task_id: draws[task_id] for task_id in sorted(draws, key=position)})
    solutions.write(folder, {task_id: solved[task_id] for task_id in sorted(solved, key=position)})


def summary(results: Sequence[TemplateResult]) -> Counter[str]:
    """Draws, tasks, played sequences and rejections of all templates."""
    total: Counter[str] = Counter()
    for result in results:
        total.update({"drawn": result.drawn, "tasks": len(result.solutions), "played": result.played})
        total.update(result.rejected)
    return total


def _template_of(task_id: str) -> str:
    return task_id.split(":")[0]
