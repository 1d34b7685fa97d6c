"""Playing levels: many episodes, each a level and a sequence of shots, in one call of the engine.

    episodes = simulate.play(levels, [[Shot(42.0)], [Shot(30.0), Shot(55.0, delay=1.5)]], device="cuda")
    episodes.won, episodes.pigs_left

Every episode is played from the loading of its level on; those of one level share its settled past, which changes no
bit. To go on after some shots, play the longer sequence: it begins with the same bits.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np

from tumble import engine
from tumble.engine.host.worlds import unchanged
from tumble.phyq.simulation.episodes import Episodes, episodes_of, events_of
from tumble.phyq.simulation.game import layout
from tumble.phyq.simulation.game.turns import LONGEST_SETTLING, REST_CAP, start_level, step_game
from tumble.phyq.simulation.settling import Settling, settled_level, settling_of
from tumble.phyq.simulation.shots import Shot, ShotError, ShotTable, table, tap_steps
from tumble.phyq.simulation.world import shared_floats, world_of
from tumble.phyq.tasks.constants import STEP
from tumble.phyq.tasks.level import Level

PHYSICS_VERSION = 1
"""Raised whenever any episode changes by any bit."""
VELOCITY_ITERATIONS = 100
POSITION_ITERATIONS = 100
"""As many as the original has; most steps need few."""
WANTS = ("trajectory", "events", "states")
LONGEST_SHOT = layout.steps_of(20.0) + REST_CAP + 2 * layout.VERDICT_STEPS
"""Steps after which every shot is over: the bird's life, then the time for all to come to rest."""

Progress = Callable[[int], None]


def physics_id() -> str:
    """The id of the physics and of the game's rules, which every result carries."""
    return f"{engine.physics_id()}/phyq-{PHYSICS_VERSION}"


class Simulator:
    """Plays some levels; what an episode gives never depends on what ran before or beside it.

    `device` is "cpu" or "cuda", `threads` the number of CPU threads (0: all cores); neither changes a result.
    """

    def __init__(self, levels: Sequence[Level], device: str = "cpu", threads: int = 0) -> None:
        self.worlds = tuple(world_of(level) for level in levels)
        self._scenes = tuple(world.scene for world in self.worlds)
        self._options = engine.Options(
            dt=STEP,
            velocity_iterations=VELOCITY_ITERATIONS,
            position_iterations=POSITION_ITERATIONS,
            only_bullets=True,
            device=device,
            threads=threads,
        )
        self._bodies = max((len(world.members) for world in self.worlds), default=0)
        self._birds = max((len(world.level.birds) for world in self.worlds), default=0)
        self._tables()
        self._settled: engine.States | None = None

    def _tables(self) -> None:
        ints: list[int] = []
        floats = shared_floats()
        offsets = []
        for world in self.worlds:
            offsets.append((len(ints), len(floats)))
            ints += world.table_ints()
            floats += world.table_floats()
        self._offsets = np.array(offsets, np.int32).reshape(-1, 2)
        self._ints, self._floats = np.array(ints, np.int32), np.array(floats, np.float32)

    def _rule(self, level_of: np.ndarray, shots: ShotTable, ready_from: int, watched: int) -> engine.Rule:
        width = shots.pulls.shape[1]
        ints = np.zeros((len(level_of), layout.SHOT_INTS + width * layout.INTS_PER_SHOT), np.int32)
        ints[:, layout.INT_TABLE : layout.FLOAT_TABLE + 1] = self._offsets[level_of]
        ints[:, layout.SHOT_COUNT] = shots.counts
        ints[:, layout.READY_FROM] = ready_from
        ints[:, layout.WATCHED_SHOT] = watched
        ints[:, layout.SHOT_INTS + layout.WAIT :: layout.INTS_PER_SHOT] = shots.waits
        ints[:, layout.SHOT_INTS + layout.TAP :: layout.INTS_PER_SHOT] = shots.taps
        return engine.Rule(
            step_game,
            begin=start_level,
            ints=ints,
            floats=shots.pulls.reshape(len(level_of), width * layout.FLOATS_PER_SHOT),
            output_ints=layout.output_count(self._bodies, self._birds),
            uses_impulses=True,
            resumable=True,
            table_ints=self._ints,
            table_floats=self._floats,
        )

    def _worlds(self, level_of: np.ndarray) -> engine.Worlds:
        return engine.Worlds(self._scenes, level_of.astype(np.int32), unchanged(len(level_of)))

    def _rest(self, ready_from: int) -> engine.Rollouts:
        """All levels without a shot, until they are ready."""
        every = np.arange(len(self.worlds))
        options = replace(self._options, max_steps=max(ready_from, LONGEST_SETTLING) + 1)
        rule = self._rule(every, table([[]] * len(every)), ready_from, 0)
        return engine.rollout(self._worlds(every), rule, options, keep_states=True)

    def _settled_states(self) -> engine.States:
        if self._settled is None:
            self._settled = self._rest(layout.IMMORTAL_STEPS).states
            assert self._settled is not None
        return self._settled

    def settle(self, seconds: float = 10.0) -> Settling:
        """Leaves the levels alone and tells what moved."""
        states = self._rest(max(layout.IMMORTAL_STEPS, layout.steps_of(seconds))).states
        assert states is not None
        return settling_of(self.worlds, states)

    def settled_levels(self) -> list[Level]:
        """The levels with their pieces where these come to rest, as the original's levels were saved."""
        poses = self._settled_states().poses
        return [settled_level(world, own) for world, own in zip(self.worlds, poses, strict=True)]

    def play(
        self,
        level_of: Sequence[int] | np.ndarray,
        shots: Sequence[Sequence[Shot]] | ShotTable,
        want: Collection[str] = (),
        stride: int = 5,
        progress: Progress | None = None,
    ) -> Episodes:
        """Plays sequences of shots, each on the level beside it.

        Of `want`, "trajectory" keeps poses every `stride` steps, "events" all that happened, "states" how everything
        is at the end.
        """
        of = np.asarray(level_of, int)
        given = shots if isinstance(shots, ShotTable) else table(shots)
        self._check(of, given, want)
        given = self._with_taps(of, given)
        options = replace(
            self._options,
            max_steps=_most_steps(given),
            stride=stride if "trajectory" in want else 0,
            events="events" in want,
        )
        return self._played(of, given, options, "states" in want, progress)

    def _check(self, of: np.ndarray, shots: ShotTable, want: Collection[str]) -> None:
        unknown = set(want) - set(WANTS)
        if unknown:
            raise ValueError(f"no {sorted(unknown)[0]!r} to want; there are {', '.join(WANTS)}")
        if len(of) != len(shots):
            raise ShotError(f"{len(shots)} sequences of shots do not pair with {len(of)} levels")
        if len(of) and not 0 <= of.min() <= of.max() < len(self.worlds):
            raise ShotError(f"level_of must name one of {len(self.worlds)} levels")
        birds = np.array([len(world.level.birds) for world in self.worlds], int)[of]
        too_many = np.flatnonzero(shots.counts > birds)
        if len(too_many):
            k = too_many[0]
            raise ShotError(f"episode {k}: {shots.counts[k]} shots, but the level has {birds[k]} birds")

    def _with_taps(self, of: np.ndarray, shots: ShotTable) -> ShotTable:
        """The table with taps at a share of the flight turned into steps, by flying each shot without its tap."""
        taps = np.array(shots.taps)
        options = replace(self._options, max_steps=_most_steps(shots))
        for k in range(shots.pulls.shape[1]):
            rows = np.flatnonzero(~np.isnan(shots.shares[:, k]) & (shots.counts > k))
            if len(rows):
                flown = self._played(
                    of[rows], replace(shots, taps=taps).take(rows).first(k + 1), options, watched=k + 1
                )
                flights = flown.landed[:, k] - flown.released[:, k]
                taps[rows, k] = np.where(flights > 0, tap_steps(shots.shares[rows, k], flights), 0)
        return replace(shots, taps=taps)

    def _played(
        self,
        of: np.ndarray,
        shots: ShotTable,
        options: engine.Options,
        keep_states: bool = False,
        progress: Progress | None = None,
        watched: int = 0,
    ) -> Episodes:
        start = self._settled_states()
        rollouts = engine.rollout(
            self._worlds(of),
            self._rule(of, shots, layout.IMMORTAL_STEPS, watched),
            options,
            progress,
            start=start,
            start_of=of,
            keep_states=keep_states,
        )
        episodes = episodes_of(self.worlds, of, rollouts, shots.pulls.shape[1])
        episodes = replace(episodes, start=start.steps[of])
        if options.events:
            episodes = replace(episodes, events=events_of(episodes, rollouts.events))
        return episodes


def _most_steps(shots: ShotTable) -> int:
    """Steps after which every episode is over."""
    waits = np.maximum(shots.waits, 0).sum(axis=1)
    return int(waits.max(initial=0) + max(1, shots.pulls.shape[1]) * LONGEST_SHOT)


def play(
    levels: Level | Sequence[Level],
    shots: Sequence[Sequence[Shot]] | ShotTable,
    device: str = "cpu",
    threads: int = 0,
    want: Collection[str] = (),
    stride: int = 5,
    progress: Progress | None = None,
) -> Episodes:
    """Plays sequences of shots: all on one level, or each on the level beside it (see `Simulator.play`)."""
    each = [levels] * len(shots) if isinstance(levels, Level) else list(levels)
    number: dict[Level, int] = {}
    of = [number.setdefault(level, len(number)) for level in each]
    return Simulator(list(number), device, threads).play(of, shots, want, stride, progress)


def settle(levels: Sequence[Level], seconds: float = 10.0, device: str = "cpu", threads: int = 0) -> Settling:
    """Whether levels are at rest before the first shot (see `Simulator.settle`)."""
    return Simulator(levels, device, threads).settle(seconds)
