"""Makes level sets: levels that are at rest, that some shots win, and that one bird does not win.

A set is decided by its seed: level 3 of seed 7 is the same on every machine, whatever is made with it. In a folder
each level is a file, level-000.json, …; `set.json` has their solutions, and is what a run that was stopped resumes
from:

    {"format": 1, "seed": 7, "physics": "…", "levels": {
      "level-000": {"draw": 2, "sha256": "…", "solution": "level-000 0 33.5 41.25,1,640"}, …}}

Levels are solved bird by bird: a beam search over shots, ranked by the damage to pigs, for all levels in one batch.
It knows nothing about how much damage a hit does; it only compares what happens.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble.bounded import json_value, read_bytes
from tumble.checks import whole_number
from tumble.engine import check_device
from tumble.phyq.catalogue import level_json
from tumble.phyq.catalogue.level import Level, LevelError
from tumble.phyq.catalogue.level_files import SET_FILE
from tumble.phyq.generation.candidates import Shots, coarse_states, shots_at_pigs, single_shots
from tumble.phyq.generation.level_composer import compose_level
from tumble.phyq.generation.solutions import Solution, solution_from_line, solution_to_line
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.simulator import Simulator, physics_id
from tumble.scene import Vec
from tumble.scene.files import whole_file

BEAM_WIDTH = 4
"""Sequences of each level that are continued with the next bird."""


@dataclass(frozen=True)
class Branch:
    """Shots that did not win yet, and the pigs that are left."""

    shots: Shots
    pigs: tuple[Vec, ...]


def won_by_one_bird(simulator: Simulator) -> np.ndarray:
    """bool [levels]: whether some shot of the first bird wins."""
    levels = [world.level for world in simulator.worlds]
    own = [single_shots(level.birds[0], [(pig.x, pig.y) for pig in level.pigs]) for level in levels]
    of = np.repeat(np.arange(len(levels)), [len(shots) for shots in own])
    won = np.zeros(len(levels), bool)
    np.logical_or.at(won, of, simulator.play(of, [(shot,) for shots in own for shot in shots]).won)
    return won


def solve_levels(simulator: Simulator, numbers: Sequence[int]) -> dict[int, Shots]:
    """Sequences of shots that win the simulator's levels of these numbers, where one is found."""
    levels = [world.level for world in simulator.worlds]
    found: dict[int, Shots] = {}
    beams = {k: [Branch((), tuple((pig.x, pig.y) for pig in levels[k].pigs))] for k in numbers}
    for bird in range(max((len(level.birds) for level in levels), default=0)):
        tried = [
            (k, (*branch.shots, shot))
            for k, branches in beams.items()
            if k not in found and bird < len(levels[k].birds)
            for branch in branches
            for shot in shots_at_pigs(levels[k].birds[bird], branch.pigs)
        ]
        if not tried:
            break
        episodes = simulator.play([k for k, _ in tried], [shots for _, shots in tried], ("states",))
        for row in np.flatnonzero(episodes.won).tolist():
            found.setdefault(*tried[row])
        beams = _best_branches([shots for _, shots in tried], episodes)
    return found


def _best_branches(sequences: Sequence[Shots], episodes: Episodes) -> dict[int, list[Branch]]:
    """By level: the sequences with the most damage to pigs among those that lead to different states."""
    states, damages = coarse_states(episodes)
    poses = episodes.final_poses()
    beams: dict[int, list[Branch]] = {}
    seen: set[tuple[int, bytes]] = set()
    for row in sorted(range(len(sequences)), key=lambda row: (-round(damages[row], 6), row)):
        k = int(episodes.level_of[row])
        branches = beams.setdefault(k, [])
        if len(branches) >= BEAM_WIDTH or (k, states[row]) in seen or episodes.status[row] != "open":
            continue
        seen.add((k, states[row]))
        pigs = episodes.worlds[k].of_role("pig")
        alive = pigs[episodes.died[row, pigs] == 0]
        places = tuple((float(x), float(y)) for x, y in poses[row, alive, :2])
        branches.append(Branch(sequences[row], places))
    return beams


SET_FORMAT = 1
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
        return sha256(level_json.to_json(self.level).encode()).hexdigest()


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
        reasons, solutions = examine_levels([one.level for one in drawn], device, threads)
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


def examine_levels(levels: list[Level], device: str = "cpu", threads: int = 0) -> tuple[list[str], list[Shots]]:
    """For each level the reason to reject it, or an empty text and shots that win it."""
    simulator = Simulator(levels, device, threads)
    at_rest = simulator.settle(SECONDS_AT_REST).at_rest
    single = won_by_one_bird(simulator)
    found = solve_levels(simulator, [k for k in range(len(levels)) if at_rest[k] and not single[k]])
    reasons = [
        MOVES if not rests else ONE_BIRD if wins else "" if k in found else UNSOLVED
        for k, (rests, wins) in enumerate(zip(at_rest, single, strict=True))
    ]
    return reasons, [found.get(k, ()) for k in range(len(levels))]


def _next_candidate(seed: int, number: int, first: int, device: str, threads: int) -> Candidate:
    """The first draw from a given one on that fits, in the poses in which its pieces come to rest."""
    for draw in range(first, MOST_DRAWS):
        level = compose_level(seed, number, draw)
        if level is not None:
            return Candidate(number, draw, Simulator([level], device, threads).settled_levels()[0])
    raise LevelError(f"level {number} of seed {seed}: none of {MOST_DRAWS} draws can be used; choose another seed")


def solutions_in(folder: Path) -> dict[str, Shots]:
    """The stored solutions of a folder by the name of the level; empty without a file of them."""
    return {
        name: solution_from_line(str(one["solution"]))[1].shots for name, one in _records(folder / SET_FILE).items()
    }


def _records(path: Path, **expected: object) -> dict[str, dict[str, Any]]:
    """The records of a set's file by the name of the level; refuses a file with other values than expected."""
    if not path.exists():
        return {}
    try:
        document = json_value(read_bytes(path))
        records = dict(document["levels"])
        found = {name: document[name] for name in expected}
        for record in records.values():
            solution_from_line(str(record["solution"]))
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
    records = _records(folder / SET_FILE, format=SET_FORMAT, seed=seed, physics=physics_id())
    for number in range(count):
        name, path = level_name(number), folder / f"{level_name(number)}.json"
        if name in records and path.exists():
            level = level_json.load(path)
            one = MadeLevel(
                name, level, solution_from_line(str(records[name]["solution"]))[1].shots, records[name]["draw"]
            )
            if one.digest == records[name]["sha256"]:
                made[number] = one
    return made


def _write(folder: Path, seed: int, made: dict[int, MadeLevel], number: int) -> None:
    """Writes a level, then the file of the set, which keeps the records of further levels."""
    folder.mkdir(parents=True, exist_ok=True)
    level_json.save(made[number].level, folder / f"{level_name(number)}.json")
    kept = _records(folder / SET_FILE, format=SET_FORMAT, seed=seed, physics=physics_id())
    records = {**kept, **dict(_record(one) for one in made.values())}
    document = {"format": SET_FORMAT, "seed": seed, "physics": physics_id(), "levels": dict(sorted(records.items()))}
    with whole_file(folder / SET_FILE) as partial:
        partial.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _record(one: MadeLevel) -> tuple[str, dict[str, Any]]:
    line = solution_to_line(one.name, Solution(one.solution, 0.0))
    return one.name, {"draw": one.draw, "sha256": one.digest, "solution": line}
