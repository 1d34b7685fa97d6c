"""Generates the benchmark's tasks: draws levels, checks and solves them, and stores the accepted draws.

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
from tumble.phyq.generation.angle_sweeps import Shots
from tumble.phyq.generation.checks import REASONS, UNSOLVED, faults
from tumble.phyq.generation.search import Search
from tumble.phyq.generation.solutions import Solution, from_line, to_line
from tumble.phyq.simulation.simulator import Simulator, physics_id
from tumble.phyq.tasks import accepted_draws
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE
from tumble.phyq.tasks.files.own_json import to_json
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.templates import template, templates
from tumble.scene.files import whole_file

FORMAT = 2
"""The version of the result files; files of other versions are generated again."""
TOLERANCES = (0.5, 0.25, 0.1, 0.05)
"""Degrees; a template has the largest for which enough of its levels are solved."""
PILOTS, COSTLY_PILOTS = 14, 4
"""Levels that are searched to find a template's tolerance; fewer where a search is costly."""
ENOUGH = 0.15
"""Share of the pilot levels that must be solved."""
GROUP = 25
"""Tasks that are drawn and solved in one batch."""
MOST_DRAWS = 30
"""Draws for each task."""
SETTLED_RATE = 0.5
"""Once plans solve this share of the levels, the others are drawn again if a full search is costly."""
FULL_SEARCHES, MOST_FULL_SEARCHES = 3, 30
"""Full searches of levels until then, in each group and in total, if they are costly."""


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
    """Generates the tasks of one template; tasks without an acceptable draw are left out."""
    result = TemplateResult(design.id)
    search = _pilot(design, device, threads)
    result.tolerance = search.tolerance
    waiting = [(number, 0) for number in range(tasks)]
    with progress.bar(f"tasks of {design.id}", tasks) as advance:
        while waiting and (search.plans or search.searched < MOST_FULL_SEARCHES):
            group, waiting = waiting[:GROUP], waiting[GROUP:]
            rejected = _accept(design, group, search, result, device, threads)
            advance(len(group) - len(rejected))
            waiting += [(number, draw + 1) for number, draw in rejected if draw + 1 < MOST_DRAWS]
    result.played = search.played
    result.accepted = dict(sorted(result.accepted.items()))
    result.solutions = dict(sorted(result.solutions.items()))
    return result


def _pilot(design: Template, device: str, threads: int) -> Search:
    """A search with the template's tolerance, which has the solutions of the pilot levels as plans."""
    search = Search(design, TOLERANCES[0], device, threads)
    pilots = 1 if design.variation is None else COSTLY_PILOTS if search.is_costly else PILOTS
    levels = [design.draw(number) for number in range(pilots)]
    reasons = faults(design, Simulator(levels, device, threads))
    levels = [level for level, reason in zip(levels, reasons, strict=True) if reason is None] or levels
    found = search.solve_within(levels, TOLERANCES, ENOUGH)
    solved = [(level, shots) for level, shots in zip(levels, found, strict=True) if shots]
    if solved:
        search.learn([level for level, _ in solved], [shots for _, shots in solved])
    return search


def _accept(
    design: Template,
    group: Sequence[tuple[int, int]],
    search: Search,
    result: TemplateResult,
    device: str,
    threads: int,
) -> list[tuple[int, int]]:
    """Draws, checks and solves levels for pairs of a task's number and a draw number; returns the rejected pairs."""
    levels = [design.draw(number, draw) for number, draw in group]
    result.drawn += len(group)
    reasons = faults(design, Simulator(levels, device, threads))
    valid = [k for k, reason in enumerate(reasons) if reason is None]
    found = dict(zip(valid, _solve(search, [levels[k] for k in valid]), strict=True)) if valid else {}
    solved = {k: shots for k, shots in found.items() if shots}
    if solved:
        search.learn([levels[k] for k in solved], list(solved.values()))
    rejected = []
    for k, (number, draw) in enumerate(group):
        if k in solved:
            task_id = design.task_id(number)
            result.accepted[task_id] = draw
            result.solutions[task_id] = Solution(solved[k], search.tolerance)
        else:
            result.rejected[reasons[k] or UNSOLVED] += 1
            rejected.append((number, draw))
    return rejected


def _solve(search: Search, levels: Sequence[Level]) -> list[Shots | None]:
    """Solutions by plans; by a full search where that is cheap, or where plans solve too few."""
    found = search.solve_by_plans(levels)
    unsolved = [k for k, shots in enumerate(found) if shots is None]
    if search.is_costly:
        left = MOST_FULL_SEARCHES - search.searched if len(unsolved) > SETTLED_RATE * len(levels) else 0
        unsolved = unsolved[: max(0, min(FULL_SEARCHES, left))]
    if unsolved:
        for k, shots in zip(unsolved, search.solve([levels[k] for k in unsolved]), strict=True):
            found[k] = shots
    return found


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
    text = repr((to_json(design.base), design.variation, design.in_reach, design.out_of_reach, direct))
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
