"""What must hold for a level before it becomes a task: it is at rest, and shots that ignore its rule don't win it."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from tumble.phyq.generation.solutions import rounded
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.trajectory import releases_to

SECONDS_AT_REST = 10.0
DIRECT_SCENARIOS = (1, 2)
"""In these a shot straight at the pig is the rule itself."""
NON_GREEDY = 11
MOVES, WON_DIRECTLY, NOT_WON_DIRECTLY = "not at rest", "won by direct shots", "not won by direct shots"
UNSOLVED = "no sturdy solution found"
REASONS = (MOVES, WON_DIRECTLY, NOT_WON_DIRECTLY, UNSOLVED)
"""Why a draw is turned down, in the order in which it is looked at."""


def faults(design: Template, simulator: Simulator) -> list[str | None]:
    """What is wrong with each of a template's levels before anything is searched for."""
    at_rest = simulator.settle(SECONDS_AT_REST).at_rest
    by_directness = np.full(len(at_rest), None, object)
    if design.direct_shots_must_win:
        by_directness[~won_by_repeating(simulator)] = NOT_WON_DIRECTLY
    elif design.scenario not in DIRECT_SCENARIOS and not design.direct_shots_may_win:
        by_directness[won_directly(simulator, design.scenario)] = WON_DIRECTLY
    return [fault if rests else MOVES for rests, fault in zip(at_rest, by_directness.tolist(), strict=True)]


def direct_shots(level: Level) -> list[Shot]:
    """The low and the high shot of full stretch at the middle of each pig, without taps."""
    return [rounded(Shot(release.angle)) for pig in level.pigs for release in releases_to((pig.x, pig.y))]


def won_directly(simulator: Simulator, scenario: int) -> np.ndarray:
    """bool [level]: whether some sequence of direct shots wins.

    In scenario 11 killing all pigs directly is the rule, but in the right order: there only sequences count that begin
    greedily, with a direct shot that kills as many pigs as any.
    """
    levels = [world.level for world in simulator.worlds]
    first = {k: direct_shots(level) for k, level in enumerate(levels)}
    if scenario == NON_GREEDY:
        first = _greediest(simulator, first)
    of, sequences = [], []
    for k, level in enumerate(levels):
        following = direct_shots(level)
        for shots in product(first[k], *[following] * (len(level.birds) - 1)):
            of.append(k)
            sequences.append(shots)
    won = np.zeros(len(levels), bool)
    if of:
        np.logical_or.at(won, np.array(of), simulator.play(of, sequences).won)
    return won


def won_by_repeating(simulator: Simulator) -> np.ndarray:
    """bool [level]: whether the low or the high direct shot wins when every bird repeats it."""
    levels = [world.level for world in simulator.worlds]
    pairs = [(k, (shot,) * len(level.birds)) for k, level in enumerate(levels) for shot in direct_shots(level)]
    won = np.zeros(len(levels), bool)
    of = np.array([k for k, _ in pairs], int)
    np.logical_or.at(won, of, simulator.play(of, [shots for _, shots in pairs]).won)
    return won


def _greediest(simulator: Simulator, shots: dict[int, list[Shot]]) -> dict[int, list[Shot]]:
    """Those of each level's shots that kill most pigs."""
    pairs: Sequence[tuple[int, Shot]] = [(k, shot) for k, own in shots.items() for shot in own]
    if not pairs:
        return shots
    kills = simulator.play([k for k, _ in pairs], [(shot,) for _, shot in pairs]).kills[:, 0]
    most = {k: max((n for (own, _), n in zip(pairs, kills, strict=True) if own == k), default=0) for k in shots}
    return {
        k: [shot for (own, shot), n in zip(pairs, kills, strict=True) if own == k and n == most[k] > 0] for k in shots
    }
