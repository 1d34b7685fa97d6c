"""Makes the benchmark's tasks: draws levels, checks them, solves them, and keeps what was accepted.

Each template's result is a file of its own in a folder, written when the template is finished; making goes on where it
was stopped. At the end come `accepted_tries.txt` and `solutions.txt`, which the package ships.
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
from tumble.phyq.tasks import accepted_draws as tries
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE
from tumble.phyq.tasks.files.own_json import to_json
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.templates import template, templates
from tumble.scene.files import whole_file

TOLERANCES = (0.5, 0.25, 0.1, 0.05)
"""Degrees; a template has the largest that enough of its levels meet."""
PILOTS, COSTLY_PILOTS = 14, 4
"""Levels that are searched to find a template's tolerance; fewer where that is costly."""
ENOUGH = 0.15
"""Share of them that must be solved."""
GROUP = 25
"""Tasks that are drawn and solved together."""
MOST_TRIES = 30
SETTLED_RATE = 0.5
"""Once plans solve this share of the levels, what they don't solve is drawn again where a thorough search is costly."""
THOROUGH, MOST_THOROUGH = 3, 30
"""Until then so many levels of a group, and so many in all, are searched thoroughly there."""


@dataclass
class Made:
    """What came of one template."""

    template: str
    tolerance: float = 0.0
    tries: dict[str, int] = field(default_factory=dict)
    """The accepted draw of each task."""
    solutions: dict[str, Solution] = field(default_factory=dict)
    drawn: int = 0
    rejected: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))
    """Draws by what was wrong with them."""
    played: int = 0
    """Sequences of shots that were played to find solutions."""


def make(
    template_ids: Sequence[str] = (),
    tasks: int = TASKS_PER_TEMPLATE,
    device: str = "cpu",
    threads: int = 0,
    folder: Path = Path("phyq-tasks"),
    package: Path | None = None,
) -> list[Made]:
    """Makes the tasks of some templates, or of all; what the folder holds already is not made again.

    The two files are written into `package`, the package's own folder if none is given; there, tasks of other templates
    stay as they are.
    """
    designs = [template(template_id) for template_id in template_ids or templates()]
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    with progress.bar("templates", len(designs)) as advance:
        for design in designs:
            path = folder / f"{design.id}.json"
            made = _read(path, design, tasks)
            if made is None:
                made = make_template(design, tasks, device, threads)
                _write(path, design, tasks, made)
            results.append(made)
            advance(1)
    write_files(results, package or Path(str(resources.files("tumble.phyq"))) / "data")
    return results


def make_template(design: Template, tasks: int, device: str = "cpu", threads: int = 0) -> Made:
    """Makes the tasks of one template; those for which no draw is good enough are left out."""
    made = Made(design.id)
    search = _pilot(design, device, threads)
    made.tolerance = search.tolerance
    waiting = [(number, 0) for number in range(tasks)]
    with progress.bar(f"tasks of {design.id}", tasks) as advance:
        while waiting and (search.plans or search.searched < MOST_THOROUGH):
            group, waiting = waiting[:GROUP], waiting[GROUP:]
            refused = _accept(design, group, search, made, device, threads)
            advance(len(group) - len(refused))
            waiting += [(number, again + 1) for number, again in refused if again + 1 < MOST_TRIES]
    made.played = search.played
    made.tries = dict(sorted(made.tries.items()))
    made.solutions = dict(sorted(made.solutions.items()))
    return made


def _pilot(design: Template, device: str, threads: int) -> Search:
    """A search with the largest tolerance that enough of a template's levels meet, and with their solutions known."""
    search = Search(design, TOLERANCES[0], device, threads)
    pilots = 1 if design.variation is None else COSTLY_PILOTS if search.is_costly else PILOTS
    levels = [design.draw(number) for number in range(pilots)]
    wrong = faults(design, Simulator(levels, device, threads))
    levels = [level for level, fault in zip(levels, wrong, strict=True) if fault is None] or levels
    found = search.solve_within(levels, TOLERANCES, ENOUGH)
    solved = [(level, shots) for level, shots in zip(levels, found, strict=True) if shots]
    if solved:
        search.learn([level for level, _ in solved], [shots for _, shots in solved])
    return search


def _accept(
    design: Template, group: Sequence[tuple[int, int]], search: Search, made: Made, device: str, threads: int
) -> list[tuple[int, int]]:
    """Draws and checks levels for tasks, each with the number of its try; returns those that were refused."""
    levels = [design.draw(number, again) for number, again in group]
    made.drawn += len(group)
    wrong = faults(design, Simulator(levels, device, threads))
    sound = [k for k, fault in enumerate(wrong) if fault is None]
    found = dict(zip(sound, _solved(search, [levels[k] for k in sound]), strict=True)) if sound else {}
    good = {k: shots for k, shots in found.items() if shots}
    if good:
        search.learn([levels[k] for k in good], list(good.values()))
    refused = []
    for k, (number, again) in enumerate(group):
        if k in good:
            task_id = design.task_id(number)
            made.tries[task_id] = again
            made.solutions[task_id] = Solution(good[k], search.tolerance)
        else:
            made.rejected[wrong[k] or UNSOLVED] += 1
            refused.append((number, again))
    return refused


def _solved(search: Search, levels: Sequence[Level]) -> list[Shots | None]:
    """Solutions by what is known; by a thorough search where that is cheap, or where too little is known."""
    found = search.solve_by_plans(levels)
    missing = [k for k, shots in enumerate(found) if shots is None]
    if search.is_costly:
        left = MOST_THOROUGH - search.searched if len(missing) > SETTLED_RATE * len(levels) else 0
        missing = missing[: max(0, min(THOROUGH, left))]
    if missing:
        for k, shots in zip(missing, search.solve([levels[k] for k in missing]), strict=True):
            found[k] = shots
    return found


def write_files(results: Sequence[Made], package: Path) -> None:
    """Writes the accepted tries and the solutions, in the order of the tasks."""
    renewed = {made.template for made in results}
    accepted = {task_id: number for task_id, number in tries.read(package).items() if _of(task_id) not in renewed}
    solved = {task_id: own for task_id, own in solutions.read(package).items() if _of(task_id) not in renewed}
    for made in results:
        accepted |= {task_id: number for task_id, number in made.tries.items() if number}
        solved |= made.solutions
    order = {template_id: k for k, template_id in enumerate(templates())}
    tries.write(package, {key: accepted[key] for key in sorted(accepted, key=lambda key: (order[_of(key)], key))})
    solutions.write(package, {key: solved[key] for key in sorted(solved, key=lambda key: (order[_of(key)], key))})


def summary(results: Sequence[Made]) -> Counter[str]:
    """Draws, tasks and rejections of all templates together."""
    total: Counter[str] = Counter()
    for made in results:
        total.update({"drawn": made.drawn, "tasks": len(made.solutions), "played": made.played})
        total.update(made.rejected)
    return total


def _of(task_id: str) -> str:
    return task_id.split(":")[0]


def _key(design: Template, tasks: int) -> dict[str, Any]:
    """What a stored result hangs on."""
    direct = bool(design.direct_shots_may_win), design.direct_shots_must_win
    own = repr((to_json(design.base), design.variation, design.in_reach, design.out_of_reach, direct))
    return {"physics": physics_id(), "template": sha256(own.encode()).hexdigest(), "tasks": tasks}


def _read(path: Path, design: Template, tasks: int) -> Made | None:
    if not path.exists():
        return None
    record = json.loads(path.read_text(encoding="utf-8"))
    if record.pop("key") != _key(design, tasks):
        return None
    return Made(**{**record, "solutions": dict(map(from_line, record["solutions"]))})


def _write(path: Path, design: Template, tasks: int, made: Made) -> None:
    record = {**asdict(made), "solutions": [to_line(task_id, own) for task_id, own in made.solutions.items()]}
    with whole_file(path) as partial:
        partial.write_text(json.dumps({"key": _key(design, tasks), **record}, indent=1) + "\n", encoding="utf-8")
