"""Generates the tasks of a template in blocks: draws levels, checks and solves them, and stores the accepted.

A pilot finds the tolerance of the template's solutions and the first plans. Every block starts from it and depends on
nothing else, so blocks can be generated in any order, in parallel, and beyond the benchmark's own tasks. Pilots and
blocks are files, from which generation resumes after a kill at any moment:

    FOLDER/3.1/blocks/pilot.json     the template's tolerance and the solutions of the pilot levels
    FOLDER/3.1/blocks/000100.json    tasks 100 to 119: accepted draws, solutions, and why draws were rejected

A file that was made by another version of the template or of the physics is made again.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble.bounded import json_value, read_bytes
from tumble.errors import TumbleError
from tumble.jobs.executors import cores, make_executor
from tumble.jobs.job import Job, ProgressCallback, total_progress
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.level_json import to_json
from tumble.phyq.catalogue.template import Template
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.generation.candidates import Shots
from tumble.phyq.generation.checks import (
    BLOCK_SIZE,
    REASONS,
    UNSOLVED,
    WON_BY_COMMON_ANGLE,
    faults,
    fixed_angle_wins,
    most_wins,
)
from tumble.phyq.generation.search import Search
from tumble.phyq.generation.solutions import Solution, solution_from_line, solution_to_line
from tumble.phyq.simulation.simulator import Simulator, physics_id
from tumble.progress import Advance
from tumble.scene.files import whole_file

TOLERANCES = (0.5, 0.25, 0.1, 0.05)
"""Degrees; a template has the largest for which enough of its levels are solved."""
PILOTS, COSTLY_PILOTS = 14, 4
"""Levels that are searched to find a template's tolerance; fewer where a search is costly."""
ENOUGH = 0.15
"""Share of the pilot levels that must be solved."""
MOST_DRAWS = 240
"""Draws for each task."""
SETTLED_RATE = 0.5
"""Once plans solve this share of the levels, the others are drawn again if a full search is costly."""
FULL_SEARCHES, MOST_FULL_SEARCHES = 3, 12
"""Full searches of levels until then, in each round and in each block, if they are costly."""


@dataclass
class BlockResult:
    """The generated tasks of one block."""

    accepted: dict[str, int] = field(default_factory=dict)
    """The accepted draw of each task."""
    solutions: dict[str, Solution] = field(default_factory=dict)
    drawn: int = 0
    rejected: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))
    """Rejected draws by reason."""
    played: int = 0
    """Sequences of shots that were played in searches."""


def make_pilot(design: Template, device: str = "cpu", threads: int = 0) -> Search:
    """A search with the template's tolerance, which has the solutions of the pilot levels as plans."""
    search = Search(design, TOLERANCES[0], device, threads)
    pilots = 1 if design.variation is None else COSTLY_PILOTS if search.is_costly else PILOTS
    levels = [design.draw(number) for number in range(pilots)]
    reasons = faults(design, Simulator(levels, device, threads))
    chosen = _without_fault(reasons) or list(range(pilots))
    found = search.solve_within([levels[number] for number in chosen], TOLERANCES, ENOUGH)
    return pilot_of(search, {number: shots for number, shots in zip(chosen, found, strict=True) if shots})


def pilot_of(search: Search, solved: Mapping[int, Shots]) -> Search:
    """A search that has the solutions of pilot levels, by their numbers, as its plans."""
    search = replace(search, pilots=dict(solved), plans=[])
    if solved:
        search.learn([search.design.draw(number) for number in solved], list(solved.values()))
    return search


def make_block(pilot: Search, first: int, count: int = BLOCK_SIZE) -> BlockResult:
    """Generates the tasks `first`, `first + 1`, … of a template; tasks without an acceptable draw are left out.

    In each round every task that has no level yet tries its next draw; those that pass all checks are accepted in the
    order of their numbers, unless an angle would win too many tasks of the block.
    """
    search = replace(pilot, plans=list(pilot.plans), searched=0, played=0)
    result = BlockResult()
    wins_by_angle = np.zeros(len(DISCRETE_ANGLES), int)
    waiting = list(range(first, first + count))
    for draw in range(MOST_DRAWS):
        if not waiting or not (search.plans or search.searched < MOST_FULL_SEARCHES):
            break
        waiting = _accept(search, waiting, draw, wins_by_angle, result)
    result.played = search.played
    result.accepted = dict(sorted(result.accepted.items()))
    result.solutions = dict(sorted(result.solutions.items()))
    return result


def _accept(
    search: Search, numbers: Sequence[int], draw: int, wins_by_angle: np.ndarray, result: BlockResult
) -> list[int]:
    """Draws, checks and solves a level for each task, and accepts what passes; returns the tasks that are left."""
    design, device, threads = search.design, search.device, search.threads
    levels = [design.draw(number, draw) for number in numbers]
    reasons = faults(design, Simulator(levels, device, threads))
    cap = most_wins(design, draw)
    valid = _without_fault(reasons)
    if cap is not None:
        used_up = np.array(DISCRETE_ANGLES)[wins_by_angle >= cap].tolist()
        lost = fixed_angle_wins(Simulator([levels[k] for k in valid], device, threads), used_up).any(axis=1)
        for k in np.array(valid, int)[lost].tolist():
            reasons[k] = WON_BY_COMMON_ANGLE
        valid = _without_fault(reasons)
    found = dict(zip(valid, _solve(search, [levels[k] for k in valid]), strict=True)) if valid else {}
    solved = {k: shots for k, shots in found.items() if shots}
    wins = {k: np.zeros(len(DISCRETE_ANGLES), bool) for k in solved}
    if solved:
        search.learn([levels[k] for k in solved], list(solved.values()))
        if cap is not None:
            all_wins = fixed_angle_wins(Simulator([levels[k] for k in solved], device, threads))
            wins = dict(zip(solved, all_wins, strict=True))
    left = []
    for k, number in enumerate(numbers):
        reason = reasons[k] or (None if k in solved else UNSOLVED)
        if reason is None and cap is not None and (wins_by_angle + wins[k]).max() > cap:
            reason = WON_BY_COMMON_ANGLE
        result.drawn += 1
        if reason is None:
            wins_by_angle += wins[k]
            task_id = design.task_id(number)
            result.accepted[task_id] = draw
            result.solutions[task_id] = Solution(solved[k], search.tolerance)
        else:
            result.rejected[reason] += 1
            left.append(number)
    return left


def _without_fault(reasons: Sequence[str | None]) -> list[int]:
    return [k for k, reason in enumerate(reasons) if reason is None]


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


BLOCK_FORMAT = 4
"""The version of the files."""

Call = tuple[str, Callable[..., None], tuple[Any, ...]]
"""A job: its name, its function, and the first arguments."""
BlockRange = tuple[int, int]
"""The number of the first task of a block, and how many it has."""


class MakeError(TumbleError):
    """Tasks that can't be made, or a file of made tasks that can't be read."""


@dataclass(frozen=True)
class StoredPilot:
    """What the file of a pilot has: the tolerance, and the solutions of the pilot levels by number."""

    tolerance: float
    solutions: dict[int, Shots]
    played: int


def block_ranges(first: int, count: int) -> list[BlockRange]:
    """The whole blocks that cover some tasks."""
    return [(start, BLOCK_SIZE) for start in range(first // BLOCK_SIZE * BLOCK_SIZE, first + count, BLOCK_SIZE)]


def make_blocks(
    blocks: Sequence[tuple[Template, Sequence[BlockRange]]],
    folder: Path,
    device: str = "cpu",
    workers: int | None = None,
    executor: str = "local",
    advance: Advance = lambda _: None,
) -> dict[str, list[BlockResult]]:
    """Makes blocks of templates, in parallel; those that are in the folder are read. By template, in the given order.

    `workers` processes run, by default one for each core, or a single one on a GPU; none of this changes a result.
    """
    if workers is None and device != "cpu":
        workers = 1
    for design, _ in blocks:
        (folder / design.id / "blocks").mkdir(parents=True, exist_ok=True)
    missing = [design for design, _ in blocks if read_pilot(folder, design) is None]
    pilots = [(f"pilot of {design.id}", make_pilot_file, (folder, design)) for design in missing]
    _run_jobs(pilots, device, workers, executor)
    calls: list[Call] = []
    for design, ranges in blocks:
        for part in ranges:
            if read_block(folder, design, part) is None:
                calls.append((f"tasks of {design.id} from {part[0]}", make_block_file, (folder, design, part)))
            else:
                advance(part[1])
    _run_jobs(calls, device, workers, executor, advance)
    made = {}
    for design, ranges in blocks:
        results = [read_block(folder, design, part) for part in ranges]
        made[design.id] = [result for result in results if result is not None]
    return made


def _run_jobs(
    calls: Sequence[Call],
    device: str,
    workers: int | None,
    executor: str,
    advance: Advance = lambda _: None,
) -> None:
    """Runs jobs; the first error ends the others."""
    is_alone = executor == "local" and min(workers or cores(), len(calls)) <= 1
    jobs = [Job(name, function, (*own, device, 0 if is_alone else 1)) for name, function, own in calls]
    outcomes = make_executor(executor, workers).run(jobs, total_progress(advance))
    for outcome in outcomes:
        if outcome.error:
            raise MakeError(f"{outcome.job.name}: {outcome.error}\n{outcome.trace}".strip())


def make_pilot_file(folder: Path, design: Template, device: str, threads: int, progress: ProgressCallback) -> None:
    """Makes and writes the pilot of a template."""
    pilot = make_pilot(design, device, threads)
    solved = {design.task_id(number): Solution(shots, pilot.tolerance) for number, shots in pilot.pilots.items()}
    lines = [solution_to_line(task_id, solution) for task_id, solution in solved.items()]
    record = {"key": _version_key(design), "tolerance": pilot.tolerance, "solutions": lines, "played": pilot.played}
    _write_record(_pilot_path(folder, design), record)


def make_block_file(
    folder: Path, design: Template, part: BlockRange, device: str, threads: int, progress: ProgressCallback
) -> None:
    """Makes and writes a block of tasks; needs the pilot's file."""
    stored = read_pilot(folder, design)
    if stored is None:
        raise MakeError(f"{_pilot_path(folder, design)}: the pilot is missing")
    search = Search(design, stored.tolerance, device, threads)
    result = make_block(pilot_of(search, stored.solutions), *part)
    lines = [solution_to_line(task_id, solution) for task_id, solution in result.solutions.items()]
    record = {"key": {**_version_key(design), "tasks": part[1]}, **asdict(result), "solutions": lines}
    _write_record(_block_path(folder, design, part), record)
    progress(part[1], part[1])


def read_pilot(folder: Path, design: Template) -> StoredPilot | None:
    """The stored pilot of a template, if it is there and still valid."""
    record = _read_record(_pilot_path(folder, design), _version_key(design))
    if record is None:
        return None
    solved = map(solution_from_line, record["solutions"])
    by_number = {int(task_id.rpartition(":")[2]): found.shots for task_id, found in solved}
    return StoredPilot(record["tolerance"], by_number, record["played"])


def read_block(folder: Path, design: Template, part: BlockRange) -> BlockResult | None:
    """A stored block of a template, if it is there and still valid."""
    record = _read_record(_block_path(folder, design, part), {**_version_key(design), "tasks": part[1]})
    if record is None:
        return None
    return BlockResult(**{**record, "solutions": dict(map(solution_from_line, record["solutions"]))})


def _pilot_path(folder: Path, design: Template) -> Path:
    return folder / design.id / "blocks" / "pilot.json"


def _block_path(folder: Path, design: Template, part: BlockRange) -> Path:
    return folder / design.id / "blocks" / f"{part[0]:06d}.json"


def _version_key(design: Template) -> dict[str, Any]:
    """What a stored result depends on."""
    direct = bool(design.direct_shots_may_win), design.direct_shots_must_win
    asked = direct, design.rule, most_wins(design)
    text = repr((to_json(design.base), design.variation, design.in_reach, design.out_of_reach, asked))
    return {"format": BLOCK_FORMAT, "physics": physics_id(), "template": sha256(text.encode()).hexdigest()}


def _read_record(path: Path, key: Mapping[str, Any]) -> dict[str, Any] | None:
    """The record of a file without its key; None if there is none, or with another key."""
    if not path.exists():
        return None
    try:
        record: dict[str, Any] = json_value(read_bytes(path))
        is_current = record.pop("key") == key
    except (ValueError, KeyError, AttributeError):
        raise MakeError(f"{path}: this is no file of made tasks; delete it to make it again") from None
    return record if is_current else None


def _write_record(path: Path, record: Mapping[str, Any]) -> None:
    with whole_file(path) as partial:
        partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
