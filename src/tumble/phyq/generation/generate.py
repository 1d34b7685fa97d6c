"""Generates the benchmark's tasks and stores the accepted draws and their solutions.

The result of each template is written to a file in a folder when the template is finished; generation resumes from
these files. At the end `accepted_draws.txt` and `solutions.txt` are written, which the package ships.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from tumble import progress
from tumble.phyq.generation import solutions
from tumble.phyq.generation.blocks import make_block, make_pilot
from tumble.phyq.generation.checks import REASONS
from tumble.phyq.generation.fixed_angles import BLOCK, most_wins
from tumble.phyq.generation.solutions import Solution, from_line, to_line
from tumble.phyq.simulation.simulator import physics_id
from tumble.phyq.tasks import accepted_draws
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE
from tumble.phyq.tasks.files.own_json import to_json
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.templates import template, templates
from tumble.scene.files import whole_file

FORMAT = 3
"""The version of the result files; files of other versions are generated again."""


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
    threads: int = 0,
    folder: Path = Path("phyq-tasks"),
    data_folder: Path | None = None,
) -> list[TemplateResult]:
    """Generates the tasks of some templates, or of all; results that are already in `folder` are kept.

    The two files are written into `data_folder`, by default that of the package; tasks of other templates in them stay
    as they are.
    """
    designs = [template(template_id) for template_id in template_ids or templates()]
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    with progress.bar("templates", len(designs)) as advance:
        for design in designs:
            path = folder / f"{design.id}.json"
            result = _read(path, design, tasks)
            if result is None:
                result = generate_template(design, tasks, device, threads)
                _write(path, design, tasks, result)
            results.append(result)
            advance(1)
    write_files(results, data_folder or Path(str(resources.files("tumble.phyq"))) / "data")
    return results


def generate_template(design: Template, tasks: int, device: str = "cpu", threads: int = 0) -> TemplateResult:
    """Generates the tasks of one template, block by block; tasks without an acceptable draw are left out."""
    pilot = make_pilot(design, device, threads)
    result = TemplateResult(design.id, pilot.tolerance, played=pilot.played)
    with progress.bar(f"tasks of {design.id}", tasks) as advance:
        for first in range(0, tasks, BLOCK):
            count = min(BLOCK, tasks - first)
            block = make_block(pilot, first, count)
            result.accepted |= block.accepted
            result.solutions |= block.solutions
            result.drawn += block.drawn
            result.played += block.played
            for reason, rejected in block.rejected.items():
                result.rejected[reason] += rejected
            advance(count)
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


def _key(design: Template, tasks: int) -> dict[str, Any]:
    """What a stored result depends on."""
    direct = bool(design.direct_shots_may_win), design.direct_shots_must_win
    asked = direct, design.rule, most_wins(design)
    text = repr((to_json(design.base), design.variation, design.in_reach, design.out_of_reach, asked))
    digest = sha256(text.encode()).hexdigest()
    return {"format": FORMAT, "physics": physics_id(), "template": digest, "tasks": tasks}


def _read(path: Path, design: Template, tasks: int) -> TemplateResult | None:
    """The stored result of a template, if there is one that is still valid."""
    if not path.exists():
        return None
    record = json.loads(path.read_text(encoding="utf-8"))
    if record.pop("key") != _key(design, tasks):
        return None
    return TemplateResult(**{**record, "solutions": dict(map(from_line, record["solutions"]))})


def _write(path: Path, design: Template, tasks: int, result: TemplateResult) -> None:
    lines = [to_line(task_id, solution) for task_id, solution in result.solutions.items()]
    record = {"key": _key(design, tasks), **asdict(result), "solutions": lines}
    with whole_file(path) as partial:
        partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
