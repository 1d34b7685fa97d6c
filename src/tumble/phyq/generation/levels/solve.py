"""Solves levels bird by bird: a beam search over shots, ranked by the damage to pigs, for all levels in one batch.

It knows nothing about how much damage a hit does; it only compares what happens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.phyq.generation.angle_sweeps import Shots, coarse_states
from tumble.phyq.generation.levels.candidates import candidates, single_shots
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.simulator import Simulator
from tumble.scene import Vec

BEAM = 4
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


def solve(simulator: Simulator, numbers: Sequence[int]) -> dict[int, Shots]:
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
            for shot in candidates(levels[k].birds[bird], branch.pigs)
        ]
        if not tried:
            break
        episodes = simulator.play([k for k, _ in tried], [shots for _, shots in tried], ("states",))
        for row in np.flatnonzero(episodes.won).tolist():
            found.setdefault(*tried[row])
        beams = _best([shots for _, shots in tried], episodes)
    return found


def _best(sequences: Sequence[Shots], episodes: Episodes) -> dict[int, list[Branch]]:
    """By level: the sequences with the most damage to pigs among those that lead to different states."""
    states, damages = coarse_states(episodes)
    poses = episodes.final_poses()
    beams: dict[int, list[Branch]] = {}
    seen: set[tuple[int, bytes]] = set()
    for row in sorted(range(len(sequences)), key=lambda row: (-round(damages[row], 6), row)):
        k = int(episodes.level_of[row])
        branches = beams.setdefault(k, [])
        if len(branches) >= BEAM or (k, states[row]) in seen or episodes.status[row] != "open":
            continue
        seen.add((k, states[row]))
        pigs = episodes.worlds[k].of_role("pig")
        alive = pigs[episodes.died[row, pigs] == 0]
        places = tuple((float(x), float(y)) for x, y in poses[row, alive, :2])
        branches.append(Branch(sequences[row], places))
    return beams
