"""Plays batches of episodes, each a level and a sequence of shots, in one call of the engine.

>>> from tumble.phyq.catalogue.tasks import task
>>> episodes = play(task("1.4:000").level, [[Shot(angle)] for angle in (0.0, 10.0, 20.0)])
>>> len(episodes), episodes.won.dtype
(3, dtype('bool'))

Every episode starts when its level is loaded; episodes of one level share the simulation of its settling, which
changes no result. To continue after some shots, play the longer sequence, which begins bit for bit like the shorter;
or, with the same results, continue from the states that the shorter one ended in (`Earlier`).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble import engine
from tumble.checks import number, several, shown, whole_number
from tumble.engine.host.states import StateStore, joined_states
from tumble.engine.host.worlds import unchanged
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.catalogue.tasks import Task, cached_task
from tumble.phyq.simulation import game_layout
from tumble.phyq.simulation.episodes import (
    EpisodeError,
    Episodes,
    Settling,
    episodes_of,
    events_of,
    of_levels,
    settled_level,
    settling_of,
)
from tumble.phyq.simulation.game_turns import LONGEST_SETTLING, REST_CAP, start_level, step_game
from tumble.phyq.simulation.shots import Shot, ShotError, ShotTable, table, tap_steps
from tumble.phyq.simulation.world import LevelWorld, MaterialFactors, shared_floats, world_of
from tumble.scene import Scene

FROM_START = -1
"""The state of an episode that is played from the start."""


@dataclass(frozen=True)
class Earlier:
    """Where each episode of a batch continues: `state_of` int [episodes] are indices of states, or FROM_START."""

    states: engine.States
    state_of: np.ndarray

    def take(self, rows: np.ndarray) -> "Earlier":
        """The states of some episodes."""
        return Earlier(self.states, self.state_of[rows])

    def shots_played(self) -> np.ndarray:
        """int [episodes]: the shots that have been played."""
        if not len(self.states):
            return np.zeros(len(self.state_of), int)
        return np.where(self.state_of < 0, 0, self.states.output_ints[self.state_of, game_layout.RELEASED])

    def after(self, settled: engine.States, settled_of: np.ndarray) -> tuple[engine.States, np.ndarray]:
        """All states to start from, and that of each episode; those from the start have the settled ones."""
        if not len(self.states):
            return settled, settled_of
        return joined_states(settled, self.states), np.where(
            self.state_of < 0, settled_of, len(settled) + self.state_of
        )


PHYSICS_VERSION = 2
"""Raised whenever any episode changes by any bit."""
VELOCITY_ITERATIONS = 100
POSITION_ITERATIONS = 100
"""As in the original; most steps converge after a few."""
WANTS = ("trajectory", "events", "states")
"""What `play` can keep besides results."""
LONGEST_SHOT = game_layout.steps_of(20.0) + REST_CAP + 2 * game_layout.VERDICT_STEPS
"""The most steps of a shot: the life of the bird, then the time until everything rests."""

Progress = Callable[[int], None]
AnyLevel = Level | Task | str
"""A level, a task, or the id of a task."""


def physics_id() -> str:
    """The id of the physics and the game's rules, which is stored with every result."""
    return f"{engine.physics_id()}/phyq-{PHYSICS_VERSION}"


class Simulator:
    """Plays episodes on given levels; results never depend on other episodes.

    `levels` are levels, tasks, or ids of tasks, as in 6.4:017. `device` is "cpu" or "cuda", `threads` the number of CPU
    threads (0: all cores); neither changes a result. With `materials`, bodies have other constants than the game's.
    """

    def __init__(
        self,
        levels: Iterable[AnyLevel],
        device: str = "cpu",
        threads: int = 0,
        materials: MaterialFactors | None = None,
    ) -> None:
        self._materials = materials
        self._options = engine.Options(
            dt=STEP,
            velocity_iterations=VELOCITY_ITERATIONS,
            position_iterations=POSITION_ITERATIONS,
            only_bullets=True,
            device=device,
            threads=threads,
        )
        self.worlds: tuple[LevelWorld, ...] = ()
        self._scenes: tuple[Scene, ...] = ()
        self._tables: list[tuple[np.ndarray, np.ndarray]] = []
        self._bodies = self._birds = 0
        self._settled = StateStore()
        self.add(levels)

    def add(self, levels: Iterable[AnyLevel]) -> np.ndarray:
        """Adds levels after those that the simulator has, int [levels]: their indices; no result depends on it."""
        added = tuple(world_of(level, self._materials) for level in built_levels(levels))
        first = len(self.worlds)
        self.worlds += added
        self._scenes += tuple(world.scene for world in added)
        self._tables += [
            (np.array(world.table_ints(), np.int32), np.array(world.table_floats(), np.float32)) for world in added
        ]
        self._bodies = max((self._bodies, *(len(world.members) for world in added)))
        self._birds = max((self._birds, *(len(world.level.birds) for world in added)))
        return np.arange(first, len(self.worlds))

    def _rule_tables(self, level_of: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ints and floats of the rule's tables for these levels, and where those of each row begin [n, 2]."""
        used, row_of = np.unique(level_of, return_inverse=True)
        tables = [self._tables[level] for level in used.tolist()]
        shared = np.array(shared_floats(), np.float32)
        ints = np.concatenate([np.zeros(0, np.int32), *(ints for ints, _ in tables)])
        floats = np.concatenate([shared, *(floats for _, floats in tables)])
        lengths = np.array([(len(ints), len(floats)) for ints, floats in tables], np.int32).reshape(-1, 2)
        begins = np.cumsum(lengths, axis=0) - lengths + np.array([0, len(shared)])
        return ints, floats, begins[row_of]

    def _rule(
        self,
        level_of: np.ndarray,
        shots: ShotTable,
        ready_from: int = game_layout.IMMORTAL_STEPS,
        watched: int = 0,
        stop_after: np.ndarray | int = game_layout.WHEN_AT_REST,
    ) -> engine.Rule:
        width = shots.pulls.shape[1]
        ints = np.zeros((len(level_of), game_layout.SHOT_INTS + width * game_layout.INTS_PER_SHOT), np.int32)
        table_ints, table_floats, offsets = self._rule_tables(level_of)
        ints[:, game_layout.INT_TABLE : game_layout.FLOAT_TABLE + 1] = offsets
        ints[:, game_layout.SHOT_COUNT] = shots.counts
        ints[:, game_layout.READY_FROM] = ready_from
        ints[:, game_layout.WATCHED_SHOT] = watched
        ints[:, game_layout.STOP_AFTER] = stop_after
        ints[:, game_layout.SHOT_INTS + game_layout.WAIT :: game_layout.INTS_PER_SHOT] = shots.waits
        ints[:, game_layout.SHOT_INTS + game_layout.TAP :: game_layout.INTS_PER_SHOT] = shots.taps
        return engine.Rule(
            step_game,
            begin=start_level,
            ints=ints,
            floats=shots.pulls.reshape(len(level_of), width * game_layout.FLOATS_PER_SHOT),
            output_ints=game_layout.output_count(self._bodies, self._birds),
            uses_impulses=True,
            resumable=True,
            table_ints=table_ints,
            table_floats=table_floats,
        )

    def _worlds(self, level_of: np.ndarray) -> engine.Worlds:
        return engine.Worlds(self._scenes, level_of.astype(np.int32), unchanged(len(level_of)))

    def _roll_out_settling(self, levels: np.ndarray, ready_from: int) -> engine.States:
        """The states of levels without a shot, when they are ready."""
        options = replace(self._options, max_steps=max(ready_from, LONGEST_SETTLING) + 1)
        rule = self._rule(levels, table([[]] * len(levels)), ready_from)
        states = engine.rollout(self._worlds(levels), rule, options, keep_states=True).states
        assert states is not None
        return states

    def _settled_states(self, levels: np.ndarray) -> engine.States:
        """The states in which levels are ready; all that were not settled before are settled together."""
        if len(self._settled) < len(self.worlds):
            new = np.arange(len(self._settled), len(self.worlds))
            self._settled.append(self._roll_out_settling(new, game_layout.IMMORTAL_STEPS))
        return self._settled.take(levels, game_layout.output_count(self._bodies, self._birds))

    def settle(self, seconds: float = 10.0) -> Settling:
        """Simulates the levels without a shot and reports what moved."""
        seconds = number("seconds", seconds, at_least=0, error=EpisodeError)
        ready_from = max(game_layout.IMMORTAL_STEPS, game_layout.steps_of(seconds))
        return settling_of(self.worlds, self._roll_out_settling(np.arange(len(self.worlds)), ready_from))

    def settled_levels(self) -> list[Level]:
        """The levels with their pieces in the poses in which they come to rest."""
        poses = self._settled_states(np.arange(len(self.worlds))).poses
        return [settled_level(world, own) for world, own in zip(self.worlds, poses, strict=True)]

    def play(
        self,
        level_of: Sequence[int] | np.ndarray,
        shots: Sequence[Sequence[Shot]] | ShotTable,
        want: Collection[str] = (),
        stride: int = 5,
        progress: Progress | None = None,
        stop_after: Sequence[float] | np.ndarray | None = None,
        earlier: Earlier | None = None,
    ) -> Episodes:
        """Plays sequences of shots, each on the level whose index is at the same place in `level_of`.

        `want` is what to keep: "trajectory" (poses every `stride` steps), "events", "states" (at the end).

        An episode with birds and pigs left stops this number of seconds after the release of its last shot, or once the
        next bird is in place, instead of at rest: `stop_after` float [episodes], NaN for at rest.

        Episodes continue from `earlier` states (`Episodes.states_to_continue`), in which some of their shots have been
        played. Results, but not frames and events, are those of the whole sequence.
        """
        of = _indices(level_of)
        shot_table = shots if isinstance(shots, ShotTable) else table(shots)
        self._check(of, shot_table, want)
        whole_number("stride", stride, at_least=1, error=EpisodeError)
        shot_table = self._with_tap_steps(of, shot_table, earlier)
        options = replace(
            self._options,
            max_steps=_most_steps(shot_table),
            stride=stride if "trajectory" in want else 0,
            events="events" in want,
        )
        stop = _stop_steps(stop_after, len(of))
        return self._play(of, shot_table, options, "states" in want, progress, stop_after=stop, earlier=earlier)

    def _check(self, of: np.ndarray, shots: ShotTable, want: Collection[str]) -> None:
        unknown = ({want} if isinstance(want, str) else set(want)) - set(WANTS)
        if unknown:
            raise EpisodeError(f"an episode has no {sorted(unknown)[0]!r}; there are {', '.join(WANTS)}")
        if len(of) != len(shots):
            raise ShotError(f"{len(shots)} sequences of shots for {len(of)} levels: give one for each")
        if len(of) and not 0 <= of.min() <= of.max() < len(self.worlds):
            raise ShotError(f"level_of must be indices of levels, from 0 to {len(self.worlds) - 1}")
        birds = of_levels(self.worlds, of, lambda world: len(world.level.birds))
        too_many = np.flatnonzero(shots.counts > birds)
        if len(too_many):
            k = too_many[0]
            raise ShotError(f"episode {k}: {shots.counts[k]} shots, but the level has {birds[k]} birds")

    def _with_tap_steps(self, of: np.ndarray, shots: ShotTable, earlier: Earlier | None) -> ShotTable:
        """The table with shares of flights converted to steps, for which each shot is simulated without its tap."""
        taps = np.array(shots.taps)
        options = replace(self._options, max_steps=_most_steps(shots))
        for k in range(shots.pulls.shape[1]):
            open_taps = ~np.isnan(shots.shares[:, k]) & (shots.counts > k)
            rows = np.flatnonzero(open_taps if earlier is None else open_taps & (earlier.shots_played() <= k))
            if len(rows):
                sequences = replace(shots, taps=taps).take(rows).first(k + 1)
                before = earlier.take(rows) if earlier else None
                flown = self._play(of[rows], sequences, options, watched=k + 1, earlier=before)
                flights = flown.landed[:, k] - flown.released[:, k]
                taps[rows, k] = np.where(flights > 0, tap_steps(shots.shares[rows, k], flights), 0)
        return replace(shots, taps=taps)

    def _play(
        self,
        of: np.ndarray,
        shots: ShotTable,
        options: engine.Options,
        keep_states: bool = False,
        progress: Progress | None = None,
        watched: int = 0,
        stop_after: np.ndarray | int = game_layout.WHEN_AT_REST,
        earlier: Earlier | None = None,
    ) -> Episodes:
        used, settled_of = np.unique(of, return_inverse=True)
        settled = self._settled_states(used)
        start, start_of = earlier.after(settled, settled_of) if earlier else (settled, settled_of)
        rollouts = engine.rollout(
            self._worlds(of),
            self._rule(of, shots, watched=watched, stop_after=stop_after),
            options,
            progress,
            start=start,
            start_of=start_of,
            keep_states=keep_states,
        )
        episodes = episodes_of(self.worlds, of, rollouts, shots.pulls.shape[1], self._bodies)
        episodes = replace(episodes, start=settled.steps[settled_of])
        if options.events:
            episodes = replace(episodes, events=events_of(episodes, rollouts.events))
        return episodes


def _most_steps(shots: ShotTable) -> int:
    """The most steps of an episode."""
    waits = np.maximum(shots.waits, 0).sum(axis=1)
    return int(waits.max(initial=0) + max(1, shots.pulls.shape[1]) * LONGEST_SHOT)


def _stop_steps(seconds: Sequence[float] | np.ndarray | None, count: int) -> np.ndarray | int:
    """Steps after a release, int [episodes], for seconds; WHEN_AT_REST for NaN."""
    if seconds is None:
        return game_layout.WHEN_AT_REST
    given = np.asarray(seconds, float)
    if given.shape != (count,) or not ((given >= 0.0) | np.isnan(given)).all():
        raise EpisodeError(f"stop_after must be {count} numbers of seconds from 0 on, or NaN for at rest")
    return np.where(np.isnan(given), game_layout.WHEN_AT_REST, np.rint(np.nan_to_num(given) / STEP)).astype(np.int32)


def built_levels(levels: Iterable[AnyLevel]) -> list[Level]:
    """The levels of levels, tasks and ids of tasks."""
    if isinstance(levels, Level | Task | str):
        raise EpisodeError(f"levels must be a list, as in [level], not the single {shown(levels)}")
    return [_built_level(one) for one in several("levels", levels, "[level]", EpisodeError)]


def _built_level(level: AnyLevel) -> Level:
    task = cached_task(level) if isinstance(level, str) else level
    built = task.level if isinstance(task, Task) else task
    if not isinstance(built, Level):
        raise EpisodeError(f"a level must be a Level, a Task or the id of a task, as in 6.4:017, not {shown(built)}")
    return built


def _indices(level_of: Sequence[int] | np.ndarray) -> np.ndarray:
    """int [episodes]; refuses numbers that are not whole."""
    of = np.asarray(level_of)
    if of.size and (of.ndim != 1 or not np.issubdtype(of.dtype, np.integer)):
        raise ShotError(f"level_of must be a list of indices of levels, as in [0, 0, 1], not {shown(level_of)}")
    return of.astype(int)


def play(
    levels: AnyLevel | Sequence[AnyLevel],
    shots: Sequence[Sequence[Shot]] | ShotTable,
    device: str = "cpu",
    threads: int = 0,
    want: Collection[str] = (),
    stride: int = 5,
    progress: Progress | None = None,
) -> Episodes:
    """Plays sequences of shots: all on one level, or each on its own level (see `Simulator.play`)."""
    each = [_built_level(levels)] * len(shots) if isinstance(levels, Level | Task | str) else built_levels(levels)
    index: dict[Level, int] = {}
    of = [index.setdefault(level, len(index)) for level in each]
    return Simulator(list(index), device, threads).play(of, shots, want, stride, progress)


def settle(levels: Iterable[AnyLevel], seconds: float = 10.0, device: str = "cpu", threads: int = 0) -> Settling:
    """Whether levels are at rest before the first shot (see `Simulator.settle`)."""
    return Simulator(levels, device, threads).settle(seconds)
