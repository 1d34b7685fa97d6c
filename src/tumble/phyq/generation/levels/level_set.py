"""Makes level sets: levels that are at rest, that some shots win, and that one bird does not win.

A set is decided by its seed: level 3 of seed 7 is the same on every machine, whatever is made with it. In a folder each
level is a file, level-000.json, …; `set.json` has their solutions, and is what a run that was stopped resumes from:

    {"format": 1, "seed": 7, "physics": "…", "levels": {
      "level-000": {"draw": 2, "sha256": "…", "solution": "level-000 0 33.5 41.25,1,640"}, …}}
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble.bounded import json_value, read_bytes
from tumble.checks import whole_number
from tumble.engine import check_device
from tumble.phyq.generation.angle_sweeps import Shots
from tumble.phyq.generation.levels.compose import compose
from tumble.phyq.generation.levels.solve import solve, won_by_one_bird
from tumble.phyq.generation.solutions import Solution, from_line, to_line
from tumble.phyq.simulation.simulator import Simulator, physics_id
from tumble.phyq.tasks.files import own_json
from tumble.phyq.tasks.files.level_folder import SET_FILE
from tumble.phyq.tasks.level import Level, LevelError
from tumble.scene.files import whole_file

FORMAT = 1
"""Raised whenever the same seed gives another set."""
COUNT, MOST_LEVELS = 20, 1000
SECONDS_AT_REST = 10.0
MOST_DRAWS = 400
"""Draws of each level; about half do not fit."""
BATCH = {"cpu": 1, "cuda": 64}
"""Levels that are searched together, by device; it changes no result."""

MOVES, ONE_BIRD, UNSOLVED = "not at rest", "won by one bird", "not solved"
REASONS = (MOVES, ONE_BIRD, UNSOLVED)


@dataclass(frozen=True)
class MadeLevel:
    """A level of a set."""

    name: str
    level: Level
    solution: Shots
    """Shots that win it."""
    draw: int
    """The number of the draw that was accepted."""

    @property
    def digest(self) -> str:
        """SHA-256 of the level's file."""
        return sha256(own_json.to_json(self.level).encode()).hexdigest()


@dataclass(frozen=True)
class Candidate:
    """A draw of a level, in the poses in which its pieces come to rest."""

    number: int
    draw: int
    level: Level


def make_levels(
    seed: int,
    count: int = COUNT,
    device: str = "cpu",
    folder: str | Path | None = None,
    threads: int = 0,
    progress: Callable[[int], None] = lambda _: None,
) -> list[MadeLevel]:
    """The levels of a set; with a folder, they are written there, and those that are already there are kept.

    `progress` is called with the number of levels that were finished.
    """
    whole_number("seed", seed, error=LevelError)
    whole_number("count", count, 1, MOST_LEVELS, error=LevelError)
    check_device(device)
    made = {} if folder is None else _read(Path(folder), seed, count)
    progress(len(made))
    waiting = [(number, 0) for number in range(count) if number not in made]
    size = BATCH[device.partition(":")[0]]
    while waiting:
        batch, waiting = waiting[:size], waiting[size:]
        drawn = [_next_candidate(seed, number, draw, device, threads) for number, draw in batch]
        reasons, solutions = examine([one.level for one in drawn], device, threads)
        for one, reason, shots in zip(drawn, reasons, solutions, strict=True):
            if reason:
                waiting.insert(0, (one.number, one.draw + 1))
                continue
            made[one.number] = MadeLevel(level_name(one.number), one.level, shots, one.draw)
            if folder is not None:
                _write(Path(folder), seed, made, one.number)
            progress(1)
    return [made[number] for number in range(count)]


def level_name(number: int) -> str:
    """The name of a level of a set.

    >>> level_name(7)
    'level-007'
    """
    return f"level-{number:03d}"


def examine(levels: list[Level], device: str = "cpu", threads: int = 0) -> tuple[list[str], list[Shots]]:
    """For each level the reason to reject it, or an empty text and shots that win it."""
    simulator = Simulator(levels, device, threads)
    at_rest = simulator.settle(SECONDS_AT_REST).at_rest
    single = won_by_one_bird(simulator)
    found = solve(simulator, [k for k in range(len(levels)) if at_rest[k] and not single[k]])
    reasons = [
        MOVES if not rests else ONE_BIRD if wins else "" if k in found else UNSOLVED
        for k, (rests, wins) in enumerate(zip(at_rest, single, strict=True))
    ]
    return reasons, [found.get(k, ()) for k in range(len(levels))]


def _next_candidate(seed: int, number: int, first: int, device: str, threads: int) -> Candidate:
    """The first draw from a given one on that fits, in the poses in which its pieces come to rest."""
    for draw in range(first, MOST_DRAWS):
        level = compose(seed, number, draw)
        if level is not None:
            return Candidate(number, draw, Simulator([level], device, threads).settled_levels()[0])
    raise LevelError(f"level {number} of seed {seed}: none of {MOST_DRAWS} draws can be used; choose another seed")


def solutions_in(folder: Path) -> dict[str, Shots]:
    """The stored solutions of a folder by the name of the level; empty without a file of them."""
    return {name: from_line(str(one["solution"]))[1].shots for name, one in _records(folder / SET_FILE).items()}


def _records(path: Path, **expected: object) -> dict[str, dict[str, Any]]:
    """The records of a set's file by the name of the level; refuses a file with other values than expected."""
    if not path.exists():
        return {}
    try:
        document = json_value(read_bytes(path))
        records = dict(document["levels"])
        found = {name: document[name] for name in expected}
        for record in records.values():
            from_line(str(record["solution"]))
            int(record["draw"])
    except (ValueError, KeyError, TypeError):
        raise LevelError(f"{path}: this is not the file of a level set; remove it to make the set again") from None
    for name, value in expected.items():
        if found[name] != value:
            raise LevelError(f"{path.parent} has a set of {name} {found[name]}, not {value}; choose another folder")
    return records


def _read(folder: Path, seed: int, count: int) -> dict[int, MadeLevel]:
    """The levels of a folder that are unchanged, by number."""
    made = {}
    records = _records(folder / SET_FILE, format=FORMAT, seed=seed, physics=physics_id())
    for number in range(count):
        name, path = level_name(number), folder / f"{level_name(number)}.json"
        if name in records and path.exists():
            level = own_json.load(path)
            one = MadeLevel(name, level, from_line(str(records[name]["solution"]))[1].shots, records[name]["draw"])
            if one.digest == records[name]["sha256"]:
                made[number] = one
    return made


def _write(folder: Path, seed: int, made: dict[int, MadeLevel], number: int) -> None:
    """Writes a level, then the file of the set, which keeps the records of further levels."""
    folder.mkdir(parents=True, exist_ok=True)
    own_json.save(made[number].level, folder / f"{level_name(number)}.json")
    kept = _records(folder / SET_FILE, format=FORMAT, seed=seed, physics=physics_id())
    records = {**kept, **dict(_record(one) for one in made.values())}
    document = {"format": FORMAT, "seed": seed, "physics": physics_id(), "levels": dict(sorted(records.items()))}
    with whole_file(folder / SET_FILE) as partial:
        partial.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _record(one: MadeLevel) -> tuple[str, dict[str, Any]]:
    line = to_line(one.name, Solution(one.solution, 0.0))
    return one.name, {"draw": one.draw, "sha256": one.digest, "solution": line}
