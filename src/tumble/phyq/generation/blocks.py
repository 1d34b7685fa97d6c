"""Generates the tasks of a template in blocks: draws levels, checks and solves them, and keeps the accepted draws.

A pilot finds the tolerance of the template's solutions and the first plans. Every block starts from it and depends on
nothing else, so blocks can be generated in any order, in parallel, and beyond the benchmark's own tasks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tumble.phyq.generation.angle_sweeps import Shots
from tumble.phyq.generation.checks import REASONS, UNSOLVED, WON_BY_COMMON_ANGLE, faults
from tumble.phyq.generation.fixed_angles import BLOCK, fixed_angle_wins, most_wins
from tumble.phyq.generation.search import Search
from tumble.phyq.generation.solutions import Solution
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.trajectory import DISCRETE_ANGLES

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


def make_block(pilot: Search, first: int, count: int = BLOCK) -> BlockResult:
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
