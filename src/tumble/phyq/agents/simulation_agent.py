"""Simulation: simulates shots with a model of the physics and plays the best; an upper bound, not a competitor.

The exact model is the game's own simulator. A noisy one has other friction, restitution and density: for every task
and each kind of body they are wrong by the same share, up or down at random. Flights do not depend on them.

The search imagines sweeps over all angles, then taps, further birds and pulls, then shots near the best. It knows
the rules of the game, and nothing about templates or stored solutions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tumble.phyq.agents.agent import Agent, AttemptState, Proposal, SettingError
from tumble.phyq.agents.imagination import ANGLE, SCALES, STRETCH, TAP_MS, Imagination, Position, Trials, shot_distances
from tumble.phyq.catalogue.physics import STRETCH_LIMIT
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.generation.candidates import Shots, shots_at_pigs
from tumble.phyq.generation.solutions import TAP_STEP
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.simulation.world import wrong_materials
from tumble.runs.participant import Given

FLAT, STEEP = -30.0, 85.0
COARSE_FLAT, COARSE_STEEP = -10.0, 80.0
"""The range of angles in degrees; narrower for coarse sweeps."""
SPACING, COARSE_SPACING = 1.0, 2.0
"""Degrees between the angles of sweeps; coarse where more than one angle varies."""
DUD = (45.0, 0.05, np.nan)
"""A shot that reaches nothing: what ends like it has changed nothing."""
TAP_SHARES = (0.98, 0.5, 0.8, 0.35, 0.65, 0.9)
"""Times of taps as shares of the flight until the first contact."""
STRETCHES, SHORT_SPACING = (0.8, 0.7, 0.9, 0.6), 4.0
"""Shorter pulls, and the degrees between their angles."""
PREFIXES = 5
"""Shots of a bird after which shots of the next are imagined."""
LOOKAHEAD = 2
"""Birds after the next one whose shots are imagined."""
LONG_MOTION = 4.0
"""Seconds of motion after a shot that may call for a second one before the world is at rest."""
WAIT_SHARES = (0.3, 0.55)
"""When this second shot comes, as shares of the motion."""
OFFSETS = (-0.5, 0.5, -0.25, 0.25, -0.75, 0.75)
"""Refinement around a shot, in units of `trials.SCALES`."""
REFINED_POSITIONS, REFINED_SHARE = 4, 0.5
"""Positions from which shots are refined at a time, and the share of the remaining budget that this takes."""
_STEPS = np.concatenate([offset * np.diag(SCALES) for offset in OFFSETS])
FAR_FROM_FAILED = 4.0
"""A shot must be this far from one that really failed for each unit of its margin."""
TOO_NEAR = 0.1
"""Shots at this distance from an imagined one are not imagined again."""


@dataclass(frozen=True)
class Plan:
    """Shots of an imagined episode, from the start of the level on, and how good they are."""

    shots: Shots
    wins: bool
    damage: float
    margin: float

    @property
    def value(self) -> tuple[bool, float, float]:
        """Greater is better."""
        return self.wins, 0.0 if self.wins else self.damage, self.margin


@dataclass
class Search:
    """Imagines shots from a position until a win is safe or the budget is spent."""

    imagination: Imagination
    start: Position
    birds: tuple[str, ...]
    """The colours of all birds of the level."""
    failed: Sequence[Shots] = ()
    """Episodes that were really played and lost; shots near them are not planned."""
    enough: float = 0.0
    """A win of at least this margin is safe: no further shots are imagined."""
    phase: float = 0.0
    """Shift of all sweeps in spacings, so that each attempt imagines other shots."""
    trials: dict[tuple[Shots, float | None], Trials] = field(default_factory=dict)
    """By position: all shots that were imagined from it."""

    def plan(self, suggestions: np.ndarray) -> Plan:
        """The best plan from the start; `suggestions` [n, (angle, stretch, tap)] are imagined first."""
        self._shoot([self.start], [np.array([DUD])])
        self._shoot([self.start], [suggestions])
        self._sweep([self.start], self._spacing(self.start))
        for stage in (self._tap, self._continue, self._continue_moving, self._pull_less):
            if not self._is_safe():
                stage()
        while not self._is_safe() and self.imagination.left > 0:
            self._refine()
        return self.best()

    def best(self) -> Plan:
        """The best plan so far."""
        return max((self._best_of(trials) for trials in self.trials.values()), key=lambda plan: plan.value)

    def _best_of(self, trials: Trials) -> Plan:
        row = int(self._order(trials)[-1])
        margin = float(self._margins(trials)[row])
        wins = bool(trials.won[row]) and margin > 0.0
        return Plan(trials.position.then(trials.points[row]), wins, float(trials.damage[row]), margin)

    def _order(self, trials: Trials) -> np.ndarray:
        """int [n]: rows from the worst to the best."""
        margins = self._margins(trials)
        wins = trials.won & (margins > 0.0)
        return np.lexsort((margins, np.where(wins, 0.0, np.where(margins > 0.0, trials.damage, -1.0)), wins))

    def _margins(self, trials: Trials) -> np.ndarray:
        """float [n]: margins of shots, smaller near shots that really failed."""
        margins, depth = trials.margins(), len(trials.position.shots)
        alike = [shots[depth] for shots in self.failed if len(shots) > depth and shots[:depth] == trials.position.shots]
        if not alike:
            return margins
        lost = np.array([(shot.angle, shot.stretch, np.nan if shot.tap_ms is None else shot.tap_ms) for shot in alike])
        return np.asarray(np.minimum(margins, shot_distances(trials.points, lost).min(axis=1) / FAR_FROM_FAILED))

    def _is_safe(self) -> bool:
        best = self.best()
        return best.wins and best.margin >= self.enough

    def _taps(self, position: Position) -> bool:
        """Whether the next bird has a power."""
        return self.birds[len(position.shots)] != "red"

    def _spacing(self, position: Position) -> float:
        return COARSE_SPACING if self._taps(position) else SPACING

    def _shoot(
        self, positions: Sequence[Position], candidates: Sequence[np.ndarray], wait: float = np.nan
    ) -> list[Trials]:
        """Imagines shots; those that end at rest or won are kept."""
        found = self.imagination.shoot(positions, candidates, wait)
        if np.isnan(wait):
            for new in found:
                key = new.position.shots, new.position.delay
                self.trials[key] = self.trials[key].joined(new) if key in self.trials else new
        return found

    def _sweep(self, positions: Sequence[Position], spacing: float, shift: float = 0.0) -> None:
        """Imagines all angles at full stretch, without a tap."""
        flat, steep = (FLAT, STEEP) if spacing < COARSE_SPACING else (COARSE_FLAT, COARSE_STEEP)
        angles = np.arange(flat + (self.phase + shift) % 1.0 * spacing, steep, spacing)
        middle_first = angles[np.argsort(np.abs(angles - 40.0), kind="stable")]
        self._shoot(positions, [_shot_rows(middle_first)] * len(positions))

    def _tap(self) -> None:
        """Imagines taps of the next bird, at shares of the flights that were imagined without."""
        own = self._own()
        if not self._taps(self.start):
            return
        rows = np.flatnonzero(np.isnan(own.points[:, TAP_MS]) & (own.points[:, STRETCH] == STRETCH_LIMIT))
        rows = rows[~np.isnan(own.flight[rows])]
        taps = np.outer(TAP_SHARES, 1000.0 * own.flight[rows]) / TAP_STEP
        angles = np.tile(own.points[rows, ANGLE], len(TAP_SHARES))
        self._shoot([self.start], [_shot_rows(angles, taps=np.maximum(1.0, np.rint(taps)).ravel() * TAP_STEP)])

    def _own(self) -> Trials:
        """The shots from the start."""
        return self.trials[self.start.shots, self.start.delay]

    def _continue(self) -> None:
        """Imagines further birds after the best shots of those before."""
        level = [self._own()]
        for bird in range(len(self.start.shots) + 1, min(len(self.birds), len(self.start.shots) + 1 + LOOKAHEAD)):
            positions = [after for trials in level for after in self._prefixes(trials, PREFIXES // len(level))]
            before = set(self.trials)
            self._sweep(positions, COARSE_SPACING)
            level = [trials for key, trials in self.trials.items() if key not in before and len(key[0]) == bird]
            level = sorted(level, key=lambda trials: self._best_of(trials).value)[-2:]
            if not level or self._is_safe():
                break

    def _prefixes(self, trials: Trials, most: int) -> list[Position]:
        """Positions after shots that changed something in different ways: half by damage, half by margin."""
        margins = self._margins(trials)
        idle = self._own().label[0]
        rows = np.flatnonzero(trials.can_continue & (trials.label != idle))
        by_margin = rows[np.argsort(-margins[rows], kind="stable")]
        _, first = np.unique(trials.label[by_margin], return_index=True)
        different = by_margin[np.sort(first)]
        by_damage = different[np.argsort(-trials.damage[different], kind="stable")]
        chosen = list(dict.fromkeys([*by_damage[: (most + 1) // 2].tolist(), *different.tolist()]))[:most]
        return [trials.after(row) for row in chosen]

    def _continue_moving(self) -> None:
        """Imagines a second bird while the world still moves after the first, for the shots with the longest motion."""
        own = self._own()
        if len(self.birds) - len(self.start.shots) < 2:
            return
        for row in _longest_motions(own)[:PREFIXES]:
            for share in WAIT_SHARES:
                wait = float(np.nan_to_num(own.flight[row]) + share * own.moving[row])
                stopped = self._shoot([self.start], [own.points[row : row + 1]], round(wait, 2))
                moving = [trials.after(0) for trials in stopped if trials.can_continue[0]]
                if moving and not self._is_safe():
                    self._sweep(moving, COARSE_SPACING)

    def _pull_less(self) -> None:
        """Imagines shorter pulls of the next bird."""
        angles = np.arange(SHORT_SPACING * (1.0 + self.phase), STEEP, SHORT_SPACING)
        stretches = np.repeat(STRETCHES, len(angles))
        self._shoot([self.start], [_shot_rows(np.tile(angles, len(STRETCHES)), stretches)])

    def _refine(self) -> None:
        """Imagines shots near the best ones; if none is good, or none is new, a sweep between the earlier ones."""
        spent = self.imagination.spent
        best = sorted(self.trials.values(), key=lambda trials: self._best_of(trials).value)[-REFINED_POSITIONS:]
        if self._best_of(best[-1]).value[:2] > (False, 0.0):
            each = int(np.ceil(REFINED_SHARE * self.imagination.left / len(best)))
            self._shoot([trials.position for trials in best], [self._near(trials, each) for trials in best])
        if self.imagination.spent == spent:
            self._sweep([self.start], self._spacing(self.start), shift=0.5 + self.imagination.spent % 7 / 14.0)
        if self.imagination.spent == spent:  # nothing that can be afforded
            self.imagination.spent = self.imagination.budget

    def _near(self, trials: Trials, most: int) -> np.ndarray:
        """Shots near those of a position, the best first, [n, (angle, stretch, tap)]."""
        near = trials.points[self._order(trials)[::-1]][:, None] + _STEPS
        found = near.reshape(-1, near.shape[-1])[: len(_STEPS) * most]
        found[:, TAP_MS] = np.maximum(1.0, np.rint(found[:, TAP_MS] / TAP_STEP)) * TAP_STEP
        in_range = (np.abs(found[:, ANGLE]) <= 180.0) & (found[:, STRETCH] > 0.0) & (found[:, STRETCH] <= STRETCH_LIMIT)
        found = found[in_range]
        return np.asarray(found[shot_distances(found, trials.points).min(axis=1, initial=np.inf) > TOO_NEAR][:most])


def _longest_motions(trials: Trials) -> np.ndarray:
    """int [n]: of the shots that change something in the same way the one with the longest motion, best groups first.

    Groups are better the longer the world moves, and the more shots lead to them.
    """
    rows = np.flatnonzero(trials.can_continue & (trials.label != trials.label[0]) & (trials.moving > LONG_MOTION))
    by_motion = rows[np.argsort(-trials.moving[rows], kind="stable")]
    _, first, group = np.unique(trials.label[by_motion], return_index=True, return_inverse=True)
    counts, sums = np.bincount(group), np.bincount(group, trials.moving[by_motion])
    return np.asarray(by_motion[first[np.argsort(-sums / np.sqrt(np.maximum(counts, 1)), kind="stable")]])


def _shot_rows(angles: np.ndarray, stretches: object = STRETCH_LIMIT, taps: object = np.nan) -> np.ndarray:
    """float [n, (angle, stretch, tap)]."""
    return np.stack(np.broadcast_arrays(angles, np.asarray(stretches, float), np.asarray(taps, float)), axis=-1)


SAFE_MARGIN = 1.0
"""Degrees by which a shot may be wrong, in a noisy model, before the search for a safer one ends."""
PHASE = 0.38
"""Shift of the imagined angles from one attempt to the next, in spacings."""


@dataclass
class Simulation(Agent):
    """Knows the physics, exactly or with wrong constants."""

    imagined: int = 500
    """The most shots that it imagines before each proposal."""
    noise: float = 0.0
    """By how much friction, restitution and density of its model are wrong, as a share."""
    seed: int = 0
    """Of the wrong constants, which are drawn for every task."""
    device: str = "cpu"
    """Where it imagines."""

    def __post_init__(self) -> None:
        if self.imagined < 2:
            raise SettingError(f"imagined must be a whole number from 2 on, not {self.imagined!r}")
        if not 0.0 <= self.noise < 1.0:
            raise SettingError(f"noise must be a number from 0 to below 1, not {self.noise!r}")
        self._planned: dict[str, Shots] = {}

    def given(self) -> Given:
        return Given(
            tasks=("shapes and states", "platforms and masses", "exact physics"), attempts=("status", "states")
        )

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Proposal:
        won = next((attempt.shots for attempt in past if attempt.won), ())
        if won:
            return won[state.shots :] or None
        done = state.current.shots if state.current else ()
        planned = self._planned.pop(task.id, ())
        continued = planned[len(done) :] if done and planned[: len(done)] == done else ()
        imagination = Imagination(self._simulator(task), self.imagined)
        failed = [attempt.shots for attempt in past]
        phase = PHASE * (state.attempt - 1)
        enough = SAFE_MARGIN if self.noise else 0.0
        search = Search(imagination, self._position(state), task.level.birds, failed, enough, phase)
        plan = search.plan(self._suggestions(state, continued)).shots
        first = len(done) + 1
        together = next((k for k in range(first, len(plan)) if plan[k].delay is None), len(plan))
        self._planned[task.id] = plan
        return plan[len(done) :] if self.noise == 0.0 else plan[len(done) : together]

    def _simulator(self, task: Task) -> Simulator:
        materials = wrong_materials(self.noise, f"{self.seed}/{task.id}") if self.noise else None
        return Simulator([task.level], self.device, materials=materials)

    def _position(self, state: AttemptState) -> Position:
        """The present position, with the real state of the world."""
        current = state.current
        if current is None or current.episodes is None:
            return Position()
        can_continue, states = current.episodes.states_to_continue()
        known = states.take(np.array([current.row])) if can_continue[current.row] else None
        return Position(current.shots, known)

    def _suggestions(self, state: AttemptState, continued: Shots) -> np.ndarray:
        """Shots [n, (angle, stretch, tap)]: what was planned before, and shots at pigs for birds with a power."""
        shots = list(continued[:1])
        if state.birds[0] != "red":
            shots += shots_at_pigs(state.birds[0], [(one.x, one.y) for one in state.objects if one.kind == "pig"])
        rows = [(shot.angle, shot.stretch, np.nan if shot.tap_ms is None else shot.tap_ms) for shot in shots]
        return np.array(rows, float).reshape(-1, 3)
