"""Episodes that are stepped together: all resets, all shots and all observations of a step are one call each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from tumble.envs.vector_env import EnvError
from tumble.phyq.catalogue.physics import BIRD_COLOURS
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.envs.level_cache import LevelCache, with_columns
from tumble.phyq.envs.spaces import FARTHEST, FEATURES, MAX_OBJECTS, ShotResults, decode_actions, reward_function
from tumble.phyq.observation.batch import Scenes
from tumble.phyq.observation.symbolic import CHANNELS
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot, table_of
from tumble.phyq.simulation.simulator import FROM_START, Earlier

_RED = BIRD_COLOURS.index("red")
_SHOT_NUMBERS = 4
"""Angle, stretch, share of the flight until the tap, and delay; NaN for none."""


class EpisodeBatch:
    """A number of episodes, each at a task; rows are indices of episodes."""

    def __init__(
        self, count: int, levels: LevelCache, observation: str, actions: str, platforms: bool, reward: str
    ) -> None:
        self.levels = levels
        self.tasks: list[Task | None] = [None] * count
        self.status = np.full(count, None, object)
        """str [episodes]: open, won, lost or cap."""
        self.seconds = np.zeros(count)
        self.pigs_left = np.zeros(count, int)
        self._observation, self._actions, self._platforms = observation, actions, platforms
        self._reward = reward_function(reward)
        self._level_of = np.zeros(count, int)
        self._score = np.zeros(count, int)
        self._shot_counts = np.zeros(count, int)
        self._shots = np.full((count, 0, _SHOT_NUMBERS), np.nan)
        self._delays = np.full(count, np.nan)
        self._poses = np.full((count, 0, 3), np.nan)
        self._lives = np.ones((count, 0))
        self._earlier: Earlier | None = None

    def __len__(self) -> int:
        return len(self.tasks)

    def start(self, rows: np.ndarray, tasks: Sequence[Task]) -> None:
        """Starts episodes."""
        for row, task in zip(rows.tolist(), tasks, strict=True):
            self.tasks[row] = task
        begun = np.array([row for row, task in enumerate(self.tasks) if task is not None], int)
        self._level_of[begun] = self.levels.indices([task for task in self.tasks if task is not None])
        levels = self._level_of[rows]
        self._check_objects(rows)
        starts = self.levels.starts
        self._poses = with_columns(self._poses, starts.shape[1], np.nan)
        self._lives = with_columns(self._lives, starts.shape[1], 1.0)
        self._shots = with_columns(self._shots, self.levels.bird_colours.shape[1], np.nan)
        self._poses[rows] = np.nan
        self._poses[rows, : starts.shape[1]] = starts[levels]
        self._lives[rows] = 1.0
        self._shots[rows], self._shot_counts[rows], self._delays[rows] = np.nan, 0, np.nan
        self.status[rows], self.seconds[rows], self._score[rows] = "open", 0.0, 0
        self.pigs_left[rows] = self.levels.pigs[levels]
        if self._earlier is not None:
            self._earlier.state_of[rows] = FROM_START

    def _check_objects(self, rows: np.ndarray) -> None:
        counts = self.levels.objects[self._level_of[rows]]
        if self._observation == "objects" and (counts > MAX_OBJECTS).any():
            task = self.tasks[rows[int(np.argmax(counts))]]
            name = task.id if task else ""
            raise EnvError(
                f"task {name} has {counts.max()} objects; the observation 'objects' has room for {MAX_OBJECTS}"
            )

    def task(self, row: int) -> Task:
        """The task of an episode."""
        task = self.tasks[row]
        if task is None:
            raise ResetNeeded("there is no task yet: call reset() first")
        return task

    def shots(self, row: int) -> tuple[Shot, ...]:
        """The shots of an episode."""
        played = self._shots[row, : self._shot_counts[row]]
        return tuple(
            Shot(angle, stretch, tap_share=_known(share), delay=_known(delay))
            for angle, stretch, share, delay in played.tolist()
        )

    @property
    def birds_left(self) -> np.ndarray:
        """int [episodes]."""
        return np.asarray(self.levels.birds[self._level_of] - self._shot_counts)

    def shoot(self, rows: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rewards float [n] and whether episodes ended bool [n], for actions [n] or [n, 4] in the episodes `rows`."""
        self._check_open(rows)
        levels, counts = self._level_of[rows], self._shot_counts[rows]
        decoded = decode_actions(actions, self._actions, self.levels.bird_colours[levels, counts] != _RED)
        shots = [decoded.angles, decoded.stretches, decoded.tap_shares, self._delays[rows]]
        self._shots[rows, counts] = np.stack(shots, axis=-1)
        self._shot_counts[rows] += 1
        episodes = self._play(rows, decoded.waits)
        stopped = episodes.stopped
        self._delays[rows] = np.where(stopped, decoded.waits, np.nan)
        before = self.pigs_left[rows], self._score[rows]
        self.status[rows] = episodes.status.astype(object)
        self.pigs_left[rows], self.seconds[rows] = episodes.pigs_left, episodes.seconds
        self._score[rows] = episodes.score
        self._move_objects(rows, episodes)
        results = ShotResults(
            won=episodes.won,
            pigs_killed=before[0] - self.pigs_left[rows],
            points=self._score[rows] - before[1],
            pigs=self.levels.pigs[levels],
            birds=self.levels.birds[levels],
        )
        return self._reward(results), self.status[rows] != "open"

    def _check_open(self, rows: np.ndarray) -> None:
        for row in rows.tolist():
            task = self.task(row)
            if self.status[row] != "open":
                raise ResetNeeded(f"the episode at task {task.id} is over: call reset() first")

    def _play(self, rows: np.ndarray, waits: np.ndarray) -> Episodes:
        """Plays the last shots of episodes, from the states after those before where that is possible."""
        counts = self._shot_counts[rows]
        angle, stretch, share, delay = np.moveaxis(self._shots[rows, : counts.max()], -1, 0)
        table = table_of(
            np.nan_to_num(angle),
            np.where(np.isnan(stretch), 1.0, stretch),
            tap_shares=share,
            delays=delay,
            counts=counts,
        )
        earlier = self._earlier.take(rows) if self._earlier is not None else None
        episodes = self.levels.simulator.play(
            self._level_of[rows], table, ("states",), stop_after=waits, earlier=earlier
        )
        can_continue, states = episodes.states_to_continue()
        state_of = np.full(len(self), FROM_START)
        state_of[rows[can_continue]] = np.arange(can_continue.sum())
        self._earlier = Earlier(states.take(np.flatnonzero(can_continue)), state_of)
        return episodes

    def _move_objects(self, rows: np.ndarray, episodes: Episodes) -> None:
        """Takes over poses and lives from the end of episodes."""
        assert episodes.states is not None
        levels = self._level_of[rows]
        poses = self.levels.end_poses(levels, episodes)
        self._poses[rows, : poses.shape[1]] = poses
        shares = self.levels.life_shares(levels, episodes.states.body_scratch)
        self._lives[rows, : shares.shape[1]] = np.where(episodes.stopped[:, None], 1.0, shares)

    def infos(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """What is known of episodes; arrays [n]."""
        tasks = np.full(len(rows), None, object)
        tasks[:] = [self.task(row).id for row in rows.tolist()]
        return {
            "task": tasks,
            "status": self.status[rows],
            "pigs_left": self.pigs_left[rows],
            "birds_left": self.birds_left[rows],
            "seconds": self.seconds[rows],
        }

    def observe(self, rows: np.ndarray, on_device: bool = False) -> Any:
        """Observations of episodes, [n, …]; as Warp arrays if they are to stay `on_device`."""
        if self._observation == "objects":
            return self._object_tables(rows)
        draw = {
            "symbolic": self.levels.painter.tensors,
            "symbolic_float": self.levels.painter.planes,
            "image": self.levels.painter.pictures,
            "small_image": self.levels.painter.small_pictures,
        }[self._observation]
        seen = draw(self._scenes(rows, self._platforms or "symbolic" not in self._observation))
        return seen if on_device else seen.numpy()

    def pictures(self, rows: np.ndarray) -> np.ndarray:
        """Screenshots of episodes: uint8 [n, 480, 640, 3]."""
        return np.asarray(self.levels.painter.pictures(self._scenes(rows)).numpy())

    def _scenes(self, rows: np.ndarray, platforms: bool = True) -> Scenes:
        return self.levels.scenes(self._level_of[rows], self._poses[rows], platforms)

    def _object_tables(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Tables of objects float32 [n, MAX_OBJECTS, features], masks of those that exist, and birds left by colour."""
        scenes, table = self._scenes(rows, self._platforms), self.levels.painter.table
        width = min(MAX_OBJECTS, scenes.sprites.shape[1])
        sprites, poses = scenes.sprites[:, :width], scenes.poses[:, :width]
        exists = (sprites >= 0) & np.isfinite(poses).all(axis=-1)
        kinds = table.channels()[np.maximum(sprites, 0)]
        x, y, turn = np.moveaxis(np.nan_to_num(poses) + table.centres()[np.maximum(sprites, 0)], -1, 0)
        sizes = table.sizes()[np.maximum(sprites, 0)]
        columns = [x, y, np.sin(turn), np.cos(turn), sizes[..., 0], sizes[..., 1], self._lives[rows, :width]]
        rest = np.stack(columns, axis=-1)
        known = np.concatenate([kinds[..., None] == np.arange(len(CHANNELS)), rest], axis=-1)
        objects = np.zeros((len(rows), MAX_OBJECTS, len(FEATURES)), np.float32)
        objects[:, :width] = np.where(exists[..., None], known, 0.0).clip(-FARTHEST, FARTHEST)
        mask = np.zeros((len(rows), MAX_OBJECTS), np.int8)
        mask[:, :width] = exists
        colours = self.levels.bird_colours[self._level_of[rows]]
        waiting = np.arange(colours.shape[1]) >= self._shot_counts[rows, None]
        birds = ((colours[..., None] == np.arange(len(BIRD_COLOURS))) & waiting[..., None]).sum(axis=1)
        return {"objects": objects, "mask": mask, "birds_left": birds.clip(max=FARTHEST).astype(np.float32)}


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value
