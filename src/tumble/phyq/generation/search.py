"""Finding sturdy solutions of a template's levels: what solved others like them first, then sweeps of angles."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tumble.phyq.generation.angle_sweeps import (
    End,
    Line,
    Run,
    Shots,
    angles_towards,
    ends,
    looks_of,
    play_lines,
    winning_runs,
)
from tumble.phyq.generation.plans import Plan, aim_of, shots_at
from tumble.phyq.generation.solutions import turned
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.constants import STEP
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.template import Template
from tumble.scene import Vec

PARTIAL_STRETCHES = tuple(np.arange(0.5, 1.0, 0.05).round(2).tolist())
STRETCHES = {"1.3": PARTIAL_STRETCHES, "2.3": PARTIAL_STRETCHES}
"""Templates that need less than full stretch."""
TAP_SHARES = (0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.98)
DELAYS = tuple(np.arange(1.0, 14.0, 1.0).tolist())
"""Tried for the second shot of scenario 14."""
PLANS_TRIED = 5
PLAN_OFFSETS = (-2, -1, 0, 1, 2)
"""Around a plan's last angle, in steps of the tolerance."""
CANDIDATES = 8
"""Middles of the widest winning runs that are put to the test."""
PREFIXES = 8
"""Ways to begin that are gone on with, for each level."""
TIMED_SCENARIO, TIMED_PREFIXES = 14, 24
"""Where what counts comes while things still move, how they end up says little: more ways to begin are tried."""
SWEEP_SPACING = 0.5
COARSE_SPACING = 1.0
"""Of sweeps with more to vary than the angle of one shot."""
NARROW = ("11.1", "14.2")
"""Templates whose way in is too narrow for that."""


@dataclass
class Search:
    """Solves levels of one template, and remembers what solved them."""

    design: Template
    tolerance: float
    device: str = "cpu"
    threads: int = 0
    plans: list[tuple[Vec, Plan]] = field(default_factory=list)
    """With the shift of the level that each solved."""
    played: int = 0
    """Shots, or sequences of shots, so far."""
    searched: int = 0
    """Levels that were searched thoroughly."""

    def solve_by_plans(self, levels: Sequence[Level]) -> list[Shots | None]:
        """A sturdy solution for each level by what solved others, or None."""
        simulator = Simulator(levels, self.device, self.threads)
        found: dict[int, Shots] = {}
        self._test(simulator, self._play_runs(simulator, self._planned_lines(levels)), found)
        return [found.get(k) for k in range(len(levels))]

    def solve(self, levels: Sequence[Level]) -> list[Shots | None]:
        """A sturdy solution for each level by sweeping all shots, or None."""
        simulator = Simulator(levels, self.device, self.threads)
        found: dict[int, Shots] = {}
        self._try_runs(simulator, self._thorough_runs(simulator, list(range(len(levels)))), found)
        return [found.get(k) for k in range(len(levels))]

    def solve_within(self, levels: Sequence[Level], tolerances: Sequence[float], enough: float) -> list[Shots | None]:
        """Solves levels thoroughly with the first tolerance that lets this share of them be solved, or the last."""
        simulator = Simulator(levels, self.device, self.threads)
        runs: list[Run] = []
        found: dict[int, Shots] = {}
        for self.tolerance in tolerances:
            if not runs or not self.is_costly:
                runs = self._thorough_runs(simulator, list(range(len(levels))))
            found = {}
            self._try_runs(simulator, runs, found)
            if len(found) >= max(1.0, enough * len(levels)):
                break
        return [found.get(k) for k in range(len(levels))]

    def _thorough_runs(self, simulator: Simulator, missing: list[int]) -> list[Run]:
        self.searched += len(missing)
        if len(self.design.base.birds) == 1:
            return self._sweep(simulator, missing)
        return self._deepen(simulator, missing)

    def _try_runs(self, simulator: Simulator, runs: list[Run], found: dict[int, Shots]) -> None:
        """Tests the middles of runs, then of what finer steps over them show."""
        self._test(simulator, runs, found)
        missing = [k for k in {run.level for run in runs} if k not in found]
        self._test(simulator, self._play_runs(simulator, self._finer_lines(runs, missing)), found)

    @property
    def is_costly(self) -> bool:
        """Whether a thorough search has more to vary than the angle of one shot."""
        base = self.design.base
        return len(base.birds) > 1 or base.birds[0] != "red" or self.design.id in STRETCHES

    def learn(self, levels: Sequence[Level], solutions: Sequence[Shots]) -> None:
        """Remembers how some levels were solved."""
        episodes = Simulator(levels, self.device, self.threads).play(range(len(levels)), solutions)
        flights = (episodes.landed - episodes.released) * STEP
        for k, (level, shots) in enumerate(zip(levels, solutions, strict=True)):
            shift = self.shift_of(level)
            used = int(episodes.shots_used[k])
            self.plans.append((shift, tuple(aim_of(shots[s], float(flights[k, s]), shift) for s in range(used))))

    def shift_of(self, level: Level) -> Vec:
        """By how much a level's layout, or its pig where only that moves, is shifted."""
        pig, base = level.pigs[0], self.design.base.pigs[0]
        return round(pig.x - base.x, 5), round(pig.y - base.y, 5)

    def _planned_lines(self, levels: Sequence[Level]) -> list[Line]:
        lines = []
        for k, level in enumerate(levels):
            shift = self.shift_of(level)
            near = sorted(self.plans, key=lambda plan: (plan[0][0] - shift[0]) ** 2 + (plan[0][1] - shift[1]) ** 2)
            for _, plan in near[:PLANS_TRIED]:
                shots = shots_at(plan, shift)
                if shots:
                    lines += self._around(k, shots)
        return list(dict.fromkeys(lines))

    def _around(self, level: int, shots: Shots) -> list[Line]:
        *before, last = shots
        angles = tuple(round(last.angle + step * self.tolerance, 2) for step in PLAN_OFFSETS)
        turns = (0.0,) if not before else (-self.tolerance, 0.0, self.tolerance)
        return [
            Line(level, tuple(replace(s, angle=round(s.angle + by, 2)) for s in before), last, angles, self.tolerance)
            for by in turns
        ]

    def _play_runs(self, simulator: Simulator, lines: list[Line]) -> list[Run]:
        if not lines:
            return []
        self.played += sum(len(line.angles) for line in lines)
        return winning_runs(lines, play_lines(simulator, lines))

    def _lines(self, simulator: Simulator, level: int, before: Shots, delays: Sequence[float | None]) -> list[Line]:
        """Lines over all that the next bird can do."""
        base, own = self.design.base, simulator.worlds[level].level
        pieces = (*own.pigs, *own.blocks[: len(base.blocks)], *own.platforms[: len(base.platforms)])
        taps = (None,) if base.birds[len(before)] == "red" else TAP_SHARES
        stretches = STRETCHES.get(self.design.id, (1.0,))
        is_coarse = self.is_costly and self.design.id not in NARROW
        spacing = COARSE_SPACING if is_coarse else min(SWEEP_SPACING, 2.0 * self.tolerance)
        pieces = pieces if base.birds[0] == "red" else own.pieces
        return [
            Line(level, before, Shot(0.0, stretch, tap_share=tap, delay=delay), angles, spacing)
            for stretch in stretches
            if (angles := angles_towards(own, pieces, spacing, stretch))
            for tap in taps
            for delay in delays
        ]

    def _sweep(self, simulator: Simulator, missing: list[int]) -> list[Run]:
        return self._play_runs(simulator, [line for k in missing for line in self._lines(simulator, k, (), (None,))])

    def _deepen(self, simulator: Simulator, missing: list[int]) -> list[Run]:
        """Shot by shot: sweeps the next one, and goes on from ends that differ."""
        untouched = simulator.play(range(len(simulator.worlds)), [()] * len(simulator.worlds), ("states",))
        unplayed, _ = looks_of(untouched)
        prefixes: dict[tuple[int, Shots], bytes] = {(k, ()): unplayed[k] for k in missing}
        runs: list[Run] = []
        birds = len(self.design.base.birds)
        is_timed = self.design.scenario == TIMED_SCENARIO
        for number in range(birds):
            delays = DELAYS if is_timed and number else (None,)
            lines = [line for k, before in prefixes for line in self._lines(simulator, k, before, delays)]
            if not lines:
                break
            self.played += sum(len(line.angles) for line in lines)
            is_last = number == birds - 1
            episodes = play_lines(simulator, lines, () if is_last else ("states",))
            runs += winning_runs(lines, episodes)
            if not is_last:
                most = TIMED_PREFIXES if is_timed else PREFIXES
                prefixes = _best_ends(ends(lines, episodes, prefixes), most)
        return runs

    def _finer_lines(self, runs: list[Run], missing: list[int]) -> list[Line]:
        """Lines with finer steps over and around the widest runs."""
        lines = []
        step = self.tolerance / 2.0
        for k in missing:
            for run in sorted((run for run in runs if run.level == k), key=lambda run: -run.width)[:CANDIDATES]:
                *before, last = run.shots
                reach = run.width / 2.0 + run.spacing
                angles = (last.angle + np.arange(-reach, reach + 1e-9, step)).round(2)
                lines.append(Line(k, tuple(before), last, tuple(angles.tolist()), step))
        return lines

    def _test(self, simulator: Simulator, runs: list[Run], found: dict[int, Shots]) -> None:
        """Adds the solutions among the widest runs that still win when turned, if they can also by half as much."""
        chosen: list[tuple[int, Shots]] = []
        for k in {run.level for run in runs}:
            wide = [run for run in runs if run.level == k and run.width + 2.0 * run.spacing >= 2.0 * self.tolerance]
            wide.sort(key=lambda run: -run.width)
            chosen += [(k, shots) for shots in dict.fromkeys(run.shots for run in wide[:CANDIDATES])]
        good = self._sturdy(simulator, chosen, self.tolerance)
        for k, shots in [*self._sturdy(simulator, good, self.tolerance / 2.0), *good]:
            found.setdefault(k, shots)

    def _sturdy(
        self, simulator: Simulator, pairs: Sequence[tuple[int, Shots]], tolerance: float
    ) -> list[tuple[int, Shots]]:
        """Those shots that win the level beside them, also when turned."""
        wins = sturdy(simulator, pairs, [tolerance] * len(pairs)) if pairs else []
        return [pair for pair, good in zip(pairs, wins, strict=True) if good]


def sturdy(simulator: Simulator, pairs: Sequence[tuple[int, Shots]], tolerances: Sequence[float]) -> list[bool]:
    """Whether shots win the level beside them, also when turned by the tolerance."""
    sets = [turned(shots, tolerance) for (_, shots), tolerance in zip(pairs, tolerances, strict=True)]
    of = [k for (k, _), own in zip(pairs, sets, strict=True) for _ in own]
    won = simulator.play(of, [shots for own in sets for shots in own]).won
    ends_of_sets = np.cumsum([len(own) for own in sets])
    return [bool(part.all()) for part in np.split(won, ends_of_sets[:-1])]


def _best_ends(found: list[End], most: int) -> dict[tuple[int, Shots], bytes]:
    """Of each level the ends to go on from: half of them by the pigs' harm, half by how easily they come about."""
    chosen: dict[tuple[int, Shots], bytes] = {}
    for level in dict.fromkeys(end.run.level for end in found):
        own: dict[bytes, End] = {}
        for end in sorted((end for end in found if end.run.level == level), key=lambda end: -end.run.width):
            own.setdefault(end.looks, end)
        by_width = list(own.values())
        by_harm = sorted(by_width, key=lambda end: (-end.harm, -end.run.width))
        picked = dict.fromkeys([*by_harm[: most // 2], *by_width])
        chosen |= {(level, end.run.shots): end.looks for end in list(picked)[:most]}
    return chosen
