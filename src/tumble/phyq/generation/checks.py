"""Checks of a level before it becomes a task: it is at rest, and shots that ignore its rule do not win it.

Such shots are direct ones, and fixed angles, which every bird repeats, whatever the level looks like. If one angle
wins most tasks of a template, they can be won without its rule. Therefore tasks are accepted in blocks, and in a
block no angle may win more than a share of the tasks, its cap.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from tumble.phyq.catalogue.level import Level, Pig, outline
from tumble.phyq.catalogue.template import Template
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES, releases_to
from tumble.phyq.generation.solutions import rounded
from tumble.phyq.simulation.shots import Shot, table_of
from tumble.phyq.simulation.simulator import Simulator
from tumble.scene import Vec

SECONDS_AT_REST = 10.0
DIRECT_SCENARIOS = (1, 2)
"""Scenarios whose rule is a shot straight at the pig."""
NON_GREEDY = 11
OUTLINE_POINTS = 12
"""Points of a pig's outline at which direct shots aim, besides its centre."""
MOVES, WON_DIRECTLY, NOT_WON_DIRECTLY = "not at rest", "won by direct shots", "not won by direct shots"
WON_BY_COMMON_ANGLE = "won by a common angle"
UNSOLVED = "no robust solution found"
REASONS = (MOVES, WON_DIRECTLY, NOT_WON_DIRECTLY, WON_BY_COMMON_ANGLE, UNSOLVED)
"""Reasons to reject a draw."""


def faults(design: Template, simulator: Simulator) -> list[str | None]:
    """For each level of the simulator the reason to reject it as a task of the template, before a search; or None."""
    at_rest = simulator.settle(SECONDS_AT_REST).at_rest
    reasons = np.full(len(at_rest), None, object)
    if design.direct_shots_must_win:
        reasons[~won_by_repeating(simulator)] = NOT_WON_DIRECTLY
    elif design.scenario not in DIRECT_SCENARIOS and not design.direct_shots_may_win:
        reasons[won_directly(simulator, design.scenario)] = WON_DIRECTLY
    return [reason if rests else MOVES for rests, reason in zip(at_rest, reasons.tolist(), strict=True)]


def direct_shots(level: Level) -> list[Shot]:
    """The low and the high shot of full stretch at the centre of each pig, without taps."""
    return [shot for pig in level.pigs for shot in _shots_at((pig.x, pig.y))]


def outline_shots(level: Level) -> list[Shot]:
    """The low and the high shots at the centre and at OUTLINE_POINTS points of the outline of each pig."""
    points = [point for pig in level.pigs for point in ((pig.x, pig.y), *_outline_points(pig))]
    return list(dict.fromkeys(shot for point in points for shot in _shots_at(point)))


def _shots_at(point: Vec) -> list[Shot]:
    return [rounded(Shot(release.angle)) for release in releases_to(point)]


def _outline_points(pig: Pig) -> list[Vec]:
    """Points on the outline of a pig, at equal distances."""
    corners = outline(pig)
    closed = np.concatenate([corners, corners[:1]])
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    at = np.linspace(0.0, lengths[-1], OUTLINE_POINTS, endpoint=False)
    x, y = (np.interp(at, lengths, closed[:, axis]).tolist() for axis in (0, 1))
    return list(zip(x, y, strict=True))


def won_directly(simulator: Simulator, scenario: int) -> np.ndarray:
    """bool [levels]: whether some sequence of direct shots wins.

    These are each shot at a pig's outline, repeated with every bird, and all combinations of shots at pigs' centres. In
    scenario 11 the rule is to kill all pigs directly, but in the right order: there only sequences count that start
    greedily, with a direct shot that kills as many pigs as any.
    """
    levels = [world.level for world in simulator.worlds]
    repeated = {k: outline_shots(level) for k, level in enumerate(levels)}
    if scenario == NON_GREEDY:
        repeated = _greedy(simulator, repeated)
    of, sequences = [], []
    for k, level in enumerate(levels):
        centres = direct_shots(level)
        greedy = set(repeated[k])
        first = [shot for shot in centres if shot in greedy] or repeated[k][: len(centres)]
        combined = product(first, *[centres] * (len(level.birds) - 1))
        own = list(dict.fromkeys([*((shot,) * len(level.birds) for shot in repeated[k]), *combined]))
        of += [k] * len(own)
        sequences += own
    won = np.zeros(len(levels), bool)
    if of:
        np.logical_or.at(won, np.array(of), simulator.play(of, sequences).won)
    return won


def won_by_repeating(simulator: Simulator) -> np.ndarray:
    """bool [levels]: whether the low or the high direct shot wins when every bird repeats it."""
    levels = [world.level for world in simulator.worlds]
    pairs = [(k, (shot,) * len(level.birds)) for k, level in enumerate(levels) for shot in direct_shots(level)]
    won = np.zeros(len(levels), bool)
    of = np.array([k for k, _ in pairs], int)
    np.logical_or.at(won, of, simulator.play(of, [shots for _, shots in pairs]).won)
    return won


def _greedy(simulator: Simulator, shots: dict[int, list[Shot]]) -> dict[int, list[Shot]]:
    """For each level those of its shots that kill the most pigs."""
    pairs: Sequence[tuple[int, Shot]] = [(k, shot) for k, own in shots.items() for shot in own]
    if not pairs:
        return shots
    kills = simulator.play([k for k, _ in pairs], [(shot,) for _, shot in pairs]).kills[:, 0]
    most = {k: max((n for (level, _), n in zip(pairs, kills, strict=True) if level == k), default=0) for k in shots}
    return {
        k: [shot for (level, shot), n in zip(pairs, kills, strict=True) if level == k and n == most[k] > 0]
        for k in shots
    }


BLOCK_SIZE = 20
"""Tasks of a block: 0 to 19, 20 to 39, …; 80 to 99 are the test tasks of the local setting."""
FIXED_ANGLE_CAP = 0.25
HIGHEST_CAP = 0.45
DRAWS_PER_WIN = 30
UNCAPPED_SCENARIOS = (1, 2, 14)
"""Scenarios whose rule is a shot straight at the pig, or the time of a shot."""


def fixed_angle_wins(simulator: Simulator, angles: Sequence[float] = DISCRETE_ANGLES) -> np.ndarray:
    """bool [levels, angles]: whether each angle wins a level if every bird repeats it, without taps."""
    birds = np.array([len(world.level.birds) for world in simulator.worlds], int)
    if not len(birds) or not len(angles):
        return np.zeros((len(birds), len(angles)), bool)
    of = np.repeat(np.arange(len(birds)), len(angles))
    repeated = np.tile(np.array(angles), len(birds))[:, None].repeat(birds.max(), axis=1)
    won = simulator.play(of, table_of(repeated, counts=birds[of])).won
    return won.reshape(len(birds), len(angles))


def most_wins(design: Template, draw: int = 0) -> int | None:
    """The most tasks of a block that an angle may win when a draw is accepted; None if the template has no cap.

    It grows by one task with every DRAWS_PER_WIN draws of a task, so that a block can be completed.
    """
    cap = design.fixed_angle_cap
    if cap is None:
        if design.scenario in UNCAPPED_SCENARIOS:
            return None
        cap = FIXED_ANGLE_CAP
    first = int(cap * BLOCK_SIZE + 1e-9)
    return max(first, min(first + draw // DRAWS_PER_WIN, int(HIGHEST_CAP * BLOCK_SIZE)))
