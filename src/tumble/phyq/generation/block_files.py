"""Pilots and blocks of tasks as files, made in parallel, from which generation resumes after a kill at any moment.

    FOLDER/3.1/blocks/pilot.json     the template's tolerance and the solutions of the pilot levels
    FOLDER/3.1/blocks/000100.json    tasks 100 to 119: accepted draws, solutions, and why draws were rejected

A file that was made by another version of the template or of the physics is made again.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble.bounded import json_value, read_bytes
from tumble.errors import TumbleError
from tumble.jobs.executors import cores, make
from tumble.jobs.job import Job, ProgressCallback, total_progress
from tumble.phyq.generation.angle_sweeps import Shots
from tumble.phyq.generation.blocks import BlockResult, make_block, make_pilot, pilot_of
from tumble.phyq.generation.fixed_angles import BLOCK, most_wins
from tumble.phyq.generation.search import Search
from tumble.phyq.generation.solutions import Solution, from_line, to_line
from tumble.phyq.simulation.simulator import physics_id
from tumble.phyq.tasks.files.own_json import to_json
from tumble.phyq.tasks.template import Template
from tumble.progress import Advance
from tumble.scene.files import whole_file

FORMAT = 4
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
    return [(start, BLOCK) for start in range(first // BLOCK * BLOCK, first + count, BLOCK)]


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
    _run(pilots, device, workers, executor)
    calls: list[Call] = []
    for design, ranges in blocks:
        for part in ranges:
            if read_block(folder, design, part) is None:
                calls.append((f"tasks of {design.id} from {part[0]}", make_block_file, (folder, design, part)))
            else:
                advance(part[1])
    _run(calls, device, workers, executor, advance)
    made = {}
    for design, ranges in blocks:
        results = [read_block(folder, design, part) for part in ranges]
        made[design.id] = [result for result in results if result is not None]
    return made


def _run(
    calls: Sequence[Call],
    device: str,
    workers: int | None,
    executor: str,
    advance: Advance = lambda _: None,
) -> None:
    """Runs jobs; the first error ends the others."""
    is_alone = executor == "local" and min(workers or cores(), len(calls)) <= 1
    jobs = [Job(name, function, (*own, device, 0 if is_alone else 1)) for name, function, own in calls]
    outcomes = make(executor, workers).run(jobs, total_progress(advance))
    for outcome in outcomes:
        if outcome.error:
            raise MakeError(f"{outcome.job.name}: {outcome.error}\n{outcome.trace}".strip())


def make_pilot_file(folder: Path, design: Template, device: str, threads: int, progress: ProgressCallback) -> None:
    """Makes and writes the pilot of a template."""
    pilot = make_pilot(design, device, threads)
    solved = {design.task_id(number): Solution(shots, pilot.tolerance) for number, shots in pilot.pilots.items()}
    lines = [to_line(task_id, solution) for task_id, solution in solved.items()]
    record = {"key": _key(design), "tolerance": pilot.tolerance, "solutions": lines, "played": pilot.played}
    _write(_pilot_path(folder, design), record)


def make_block_file(
    folder: Path, design: Template, part: BlockRange, device: str, threads: int, progress: ProgressCallback
) -> None:
    """Makes and writes a block of tasks; needs the pilot's file."""
    stored = read_pilot(folder, design)
    if stored is None:
        raise MakeError(f"{_pilot_path(folder, design)}: the pilot is missing")
    search = Search(design, stored.tolerance, device, threads)
    result = make_block(pilot_of(search, stored.solutions), *part)
    lines = [to_line(task_id, solution) for task_id, solution in result.solutions.items()]
    record = {"key": {**_key(design), "tasks": part[1]}, **asdict(result), "solutions": lines}
    _write(_block_path(folder, design, part), record)
    progress(part[1], part[1])


def read_pilot(folder: Path, design: Template) -> StoredPilot | None:
    """The stored pilot of a template, if it is there and still valid."""
    record = _read(_pilot_path(folder, design), _key(design))
    if record is None:
        return None
    solved = map(from_line, record["solutions"])
    by_number = {int(task_id.rpartition(":")[2]): found.shots for task_id, found in solved}
    return StoredPilot(record["tolerance"], by_number, record["played"])


def read_block(folder: Path, design: Template, part: BlockRange) -> BlockResult | None:
    """A stored block of a template, if it is there and still valid."""
    record = _read(_block_path(folder, design, part), {**_key(design), "tasks": part[1]})
    if record is None:
        return None
    return BlockResult(**{**record, "solutions": dict(map(from_line, record["solutions"]))})


def _pilot_path(folder: Path, design: Template) -> Path:
    return folder / design.id / "blocks" / "pilot.json"


def _block_path(folder: Path, design: Template, part: BlockRange) -> Path:
    return folder / design.id / "blocks" / f"{part[0]:06d}.json"


def _key(design: Template) -> dict[str, Any]:
    """What a stored result depends on."""
    direct = bool(design.direct_shots_may_win), design.direct_shots_must_win
    asked = direct, design.rule, most_wins(design)
    text = repr((to_json(design.base), design.variation, design.in_reach, design.out_of_reach, asked))
    return {"format": FORMAT, "physics": physics_id(), "template": sha256(text.encode()).hexdigest()}


def _read(path: Path, key: Mapping[str, Any]) -> dict[str, Any] | None:
    """The record of a file without its key; None if there is none, or with another key."""
    if not path.exists():
        return None
    try:
        record: dict[str, Any] = json_value(read_bytes(path))
        is_current = record.pop("key") == key
    except (ValueError, KeyError, AttributeError):
        raise MakeError(f"{path}: this is no file of made tasks; delete it to make it again") from None
    return record if is_current else None


def _write(path: Path, record: Mapping[str, Any]) -> None:
    with whole_file(path) as partial:
        partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
