"""Searches robust solutions of a template's levels: by plans from solved levels first, then by angle sweeps.

Only wins that follow the template's rule count.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.catalogue.template import Template
from tumble.phyq.generation.candidates import (
    AngleInterval,
    AngleSweep,
    EndState,
    Shots,
    angles_towards,
    coarse_states,
    end_states,
    play_sweeps,
    winning_intervals,
)
from tumble.phyq.generation.rule_check import following, wins_that_follow
from tumble.phyq.generation.solutions import Plan, aim_of, perturbed, planned_shots, within_turn
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.scene import Vec

PARTIAL_STRETCHES = tuple(np.arange(0.5, 1.0, 0.05).round(2).tolist())
STRETCHES = {"1.3": PARTIAL_STRETCHES, "2.3": PARTIAL_STRETCHES}
"""Templates that need less than full stretch."""
TAP_SHARES = (0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.98)
DELAYS = tuple(np.arange(1.0, 14.0, 1.0).tolist())
"""Delays of the second shot in scenario 14."""
NEAREST_PLANS = 5
"""Plans that are played on each level."""
PLAN_OFFSETS = (-2, -1, 0, 1, 2)
"""Offsets from a plan's last angle, in multiples of the tolerance."""
CANDIDATES = 8
"""The widest winning intervals of each level, whose middles are verified."""
PREFIXES = 8
"""End states of each level from which the search continues with the next bird."""
TIMED_SCENARIO, TIMED_PREFIXES = 14, 24
"""In this scenario the second shot comes before the end state, which says little: more are continued from."""
SWEEP_SPACING = 0.5
COARSE_SPACING = 1.0
"""Degrees between the angles of sweeps; coarse where more than the angle of one shot varies."""
NARROW = ("11.1", "14.2")
"""Templates for which the coarse spacing is too wide."""


@dataclass
class Search:
    """Solves levels of one template, and keeps plans from the levels that were solved."""

    design: Template
    tolerance: float
    device: str = "cpu"
    threads: int = 0
    plans: list[tuple[Vec, Plan]] = field(default_factory=list)
    """Plans, each with the shift of the level that it is from."""
    pilots: dict[int, Shots] = field(default_factory=dict)
    """The solutions from which the first plans are, by the number of the task whose first draw they solve."""
    played: int = 0
    """Sequences of shots that were played in sweeps."""
    searched: int = 0
    """Levels with a full search."""

    def solve_by_plans(self, levels: Sequence[Level]) -> list[Shots | None]:
        """A robust solution for each level by plans, or None."""
        simulator = Simulator(levels, self.device, self.threads)
        found: dict[int, Shots] = {}
        self._verify(simulator, self._play(simulator, self._plan_sweeps(levels)), found)
        return [found.get(k) for k in range(len(levels))]

    def solve(self, levels: Sequence[Level]) -> list[Shots | None]:
        """A robust solution for each level by a full search, or None."""
        simulator = Simulator(levels, self.device, self.threads)
        found: dict[int, Shots] = {}
        self._verify_with_refinement(simulator, self._search_fully(simulator, list(range(len(levels)))), found)
        return [found.get(k) for k in range(len(levels))]

    def solve_within(self, levels: Sequence[Level], tolerances: Sequence[float], enough: float) -> list[Shots | None]:
        """Solves levels by a full search with the first tolerance that solves this share of them, or with the last."""
        simulator = Simulator(levels, self.device, self.threads)
        intervals: list[AngleInterval] = []
        found: dict[int, Shots] = {}
        for self.tolerance in tolerances:
            if not intervals or not self.is_costly:
                intervals = self._search_fully(simulator, list(range(len(levels))))
            found = {}
            self._verify_with_refinement(simulator, intervals, found)
            if len(found) >= max(1.0, enough * len(levels)):
                break
        return [found.get(k) for k in range(len(levels))]

    def _search_fully(self, simulator: Simulator, numbers: list[int]) -> list[AngleInterval]:
        """Winning intervals of the levels of these numbers."""
        self.searched += len(numbers)
        if len(self.design.base.birds) == 1:
            return self._search_one_shot(simulator, numbers)
        return self._search_shot_by_shot(simulator, numbers)

    def _verify_with_refinement(
        self, simulator: Simulator, intervals: list[AngleInterval], found: dict[int, Shots]
    ) -> None:
        """Verifies the middles of intervals, then those of finer sweeps over the intervals of unsolved levels."""
        self._verify(simulator, intervals, found)
        unsolved = [k for k in {interval.level for interval in intervals} if k not in found]
        self._verify(simulator, self._play(simulator, self._finer_sweeps(intervals, unsolved)), found)

    @property
    def is_costly(self) -> bool:
        """Whether a full search varies more than the angle of one shot."""
        base = self.design.base
        return len(base.birds) > 1 or base.birds[0] != "red" or self.design.id in STRETCHES

    def learn(self, levels: Sequence[Level], solutions: Sequence[Shots]) -> None:
        """Adds the solutions of levels to the plans."""
        episodes = Simulator(levels, self.device, self.threads).play(range(len(levels)), solutions)
        flights = (episodes.landed - episodes.released) * STEP
        for k, (level, shots) in enumerate(zip(levels, solutions, strict=True)):
            shift = self.shift_of(level)
            used = int(episodes.shots_used[k])
            self.plans.append((shift, tuple(aim_of(shots[s], float(flights[k, s]), shift) for s in range(used))))

    def shift_of(self, level: Level) -> Vec:
        """The shift of a level's layout, or of its pig where only that moves."""
        pig, base = level.pigs[0], self.design.base.pigs[0]
        return round(pig.x - base.x, 5), round(pig.y - base.y, 5)

    def _plan_sweeps(self, levels: Sequence[Level]) -> list[AngleSweep]:
        """Sweeps around the shots of the nearest plans."""
        sweeps = []
        for k, level in enumerate(levels):
            shift = self.shift_of(level)
            near = sorted(self.plans, key=lambda plan: (plan[0][0] - shift[0]) ** 2 + (plan[0][1] - shift[1]) ** 2)
            for _, plan in near[:NEAREST_PLANS]:
                shots = planned_shots(plan, shift)
                if shots:
                    sweeps += self._sweeps_around(k, shots)
        return list(dict.fromkeys(sweeps))

    def _sweeps_around(self, level: int, shots: Shots) -> list[AngleSweep]:
        *before, last = shots
        angles = tuple(within_turn(last.angle + step * self.tolerance) for step in PLAN_OFFSETS)
        offsets = (0.0,) if not before else (-self.tolerance, 0.0, self.tolerance)
        prefixes = [tuple(replace(shot, angle=within_turn(shot.angle + by)) for shot in before) for by in offsets]
        return [AngleSweep(level, prefix, last, angles, self.tolerance) for prefix in prefixes]

    def _play(self, simulator: Simulator, sweeps: list[AngleSweep]) -> list[AngleInterval]:
        """Plays sweeps; their winning intervals."""
        if not sweeps:
            return []
        self.played += sum(len(sweep.angles) for sweep in sweeps)
        return self._winning_intervals(simulator, sweeps, play_sweeps(simulator, sweeps))

    def _winning_intervals(
        self, simulator: Simulator, sweeps: Sequence[AngleSweep], episodes: Episodes
    ) -> list[AngleInterval]:
        """The intervals of angles that win by the rule."""
        sequences = [shots for sweep in sweeps for shots in sweep.sequences()]
        wins = wins_that_follow(self.design, simulator, episodes.level_of.tolist(), sequences, episodes.won)
        return winning_intervals(sweeps, episodes, wins)

    def _sweeps(
        self, simulator: Simulator, level: int, before: Shots, delays: Sequence[float | None]
    ) -> list[AngleSweep]:
        """Sweeps over all stretches, taps and delays of the next bird."""
        base, own = self.design.base, simulator.worlds[level].level
        pieces = (*own.pigs, *own.blocks[: len(base.blocks)], *own.platforms[: len(base.platforms)])
        taps = (None,) if base.birds[len(before)] == "red" else TAP_SHARES
        stretches = STRETCHES.get(self.design.id, (1.0,))
        is_coarse = self.is_costly and self.design.id not in NARROW
        spacing = COARSE_SPACING if is_coarse else min(SWEEP_SPACING, 2.0 * self.tolerance)
        pieces = pieces if base.birds[0] == "red" else own.pieces
        return [
            AngleSweep(level, before, Shot(0.0, stretch, tap_share=tap, delay=delay), angles, spacing)
            for stretch in stretches
            if (angles := angles_towards(own, pieces, spacing, stretch))
            for tap in taps
            for delay in delays
        ]

    def _search_one_shot(self, simulator: Simulator, numbers: list[int]) -> list[AngleInterval]:
        return self._play(simulator, [sweep for k in numbers for sweep in self._sweeps(simulator, k, (), (None,))])

    def _search_shot_by_shot(self, simulator: Simulator, numbers: list[int]) -> list[AngleInterval]:
        """Sweeps one bird after the other, each from the best end states of the birds before it."""
        starts, _ = coarse_states(
            simulator.play(range(len(simulator.worlds)), [()] * len(simulator.worlds), ("states",))
        )
        prefixes: dict[tuple[int, Shots], bytes] = {(k, ()): starts[k] for k in numbers}
        intervals: list[AngleInterval] = []
        birds = len(self.design.base.birds)
        is_timed = self.design.scenario == TIMED_SCENARIO
        for bird in range(birds):
            delays = DELAYS if is_timed and bird else (None,)
            sweeps = [sweep for k, before in prefixes for sweep in self._sweeps(simulator, k, before, delays)]
            if not sweeps:
                break
            self.played += sum(len(sweep.angles) for sweep in sweeps)
            is_last = bird == birds - 1
            episodes = play_sweeps(simulator, sweeps, () if is_last else ("states",))
            intervals += self._winning_intervals(simulator, sweeps, episodes)
            if not is_last:
                most = TIMED_PREFIXES if is_timed else PREFIXES
                prefixes = _best_prefixes(end_states(sweeps, episodes, prefixes), most)
        return intervals

    def _finer_sweeps(self, intervals: list[AngleInterval], numbers: list[int]) -> list[AngleSweep]:
        """Finer sweeps over the widest intervals of the levels of these numbers."""
        sweeps = []
        step = self.tolerance / 2.0
        for k in numbers:
            own = [interval for interval in intervals if interval.level == k]
            for interval in sorted(own, key=lambda interval: -interval.width)[:CANDIDATES]:
                *before, last = interval.shots
                reach = interval.width / 2.0 + interval.spacing
                angles = (last.angle + np.arange(-reach, reach + 1e-9, step)).round(2)
                sweeps.append(AngleSweep(k, tuple(before), last, tuple(angles.tolist()), step))
        return sweeps

    def _verify(self, simulator: Simulator, intervals: list[AngleInterval], found: dict[int, Shots]) -> None:
        """Adds robust solutions among the middles of the widest intervals, if possible robust to half as much too."""
        candidates: list[tuple[int, Shots]] = []
        for k in {interval.level for interval in intervals}:
            own = [interval for interval in intervals if interval.level == k]
            wide = [one for one in own if one.width + 2.0 * one.spacing >= 2.0 * self.tolerance]
            wide.sort(key=lambda interval: -interval.width)
            candidates += [(k, shots) for shots in dict.fromkeys(interval.shots for interval in wide[:CANDIDATES])]
        good = self._following(simulator, self._robust(simulator, candidates, self.tolerance))
        for k, shots in [*self._robust(simulator, good, self.tolerance / 2.0), *good]:
            found.setdefault(k, shots)

    def _following(self, simulator: Simulator, pairs: Sequence[tuple[int, Shots]]) -> list[tuple[int, Shots]]:
        """The pairs of a level and shots that follow the rule."""
        good = following(self.design, simulator, [k for k, _ in pairs], [shots for _, shots in pairs])
        return [pair for pair, follows in zip(pairs, good, strict=True) if follows]

    def _robust(
        self, simulator: Simulator, pairs: Sequence[tuple[int, Shots]], tolerance: float
    ) -> list[tuple[int, Shots]]:
        """The pairs of a level and shots that win it also when perturbed."""
        wins = robust(simulator, pairs, [tolerance] * len(pairs)) if pairs else []
        return [pair for pair, good in zip(pairs, wins, strict=True) if good]


def robust(simulator: Simulator, pairs: Sequence[tuple[int, Shots]], tolerances: Sequence[float]) -> list[bool]:
    """For each pair of a level and shots, whether they win it also with angles perturbed by the tolerance."""
    variants = [perturbed(shots, tolerance) for (_, shots), tolerance in zip(pairs, tolerances, strict=True)]
    of = [k for (k, _), own in zip(pairs, variants, strict=True) for _ in own]
    won = simulator.play(of, [shots for own in variants for shots in own]).won
    bounds = np.cumsum([len(own) for own in variants])
    return [bool(part.all()) for part in np.split(won, bounds[:-1])]


def _best_prefixes(ends: list[EndState], most: int) -> dict[tuple[int, Shots], bytes]:
    """For each level the shots to continue from: half by the damage to pigs, half by the width of their interval."""
    prefixes: dict[tuple[int, Shots], bytes] = {}
    for level in dict.fromkeys(end.interval.level for end in ends):
        own: dict[bytes, EndState] = {}
        for end in sorted((end for end in ends if end.interval.level == level), key=lambda end: -end.interval.width):
            own.setdefault(end.state, end)
        by_width = list(own.values())
        by_damage = sorted(by_width, key=lambda end: (-end.damage, -end.interval.width))
        best = dict.fromkeys([*by_damage[: most // 2], *by_width])
        prefixes |= {(level, end.interval.shots): end.state for end in list(best)[:most]}
    return prefixes
