"""The levels that an environment's episodes are at: each is built, settled and prepared for drawing once.

Rows of levels have different lengths and are kept padded in one array.
"""

from collections.abc import Sequence

import numpy as np

from tumble.engine.host.machine import check_device, usable_cores
from tumble.phyq.catalogue.physics import BIRD_COLOURS
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.observation.batch import BatchPainter, Scenes, drawing_order
from tumble.phyq.observation.objects import objects_of, poses_of
from tumble.phyq.observation.sprites import NO_SPRITE, SpriteTable
from tumble.phyq.observation.symbolic import CHANNELS
from tumble.phyq.simulation.episode_views import objects_and_bodies
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.game_turns import NEXT_BIRD_STEPS
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.simulation.world import LevelWorld

FIRST_ROOM = 64
"""Rows that there is room for at first; the room doubles whenever it is used up."""


class PaddedRows:
    """Rows [k, …] of any lengths as an array [rows, longest, …], filled up with one value; rows can be added."""

    def __init__(self, fill: float, dtype: type, *rest: int) -> None:
        """`rest` are the sizes of the axes after the first."""
        self._fill = fill
        self._room: np.ndarray = np.full((FIRST_ROOM, 0, *rest), fill, dtype)
        self._count = 0

    @property
    def array(self) -> np.ndarray:
        """All rows, to be read only."""
        return self._room[: self._count]

    def append(self, row: np.ndarray) -> None:
        """Adds a row."""
        rows, width = self._room.shape[:2]
        if self._count == rows or len(row) > width:
            shape = (2 * rows if self._count == rows else rows, max(width, len(row)), *self._room.shape[2:])
            grown = np.full(shape, self._fill, self._room.dtype)
            grown[: self._count, :width] = self.array
            self._room = grown
        self._room[self._count, : len(row)] = row
        self._room[self._count, len(row) :] = self._fill
        self._count += 1


def with_columns(values: np.ndarray, width: int, fill: float) -> np.ndarray:
    """Values [n, k, …] with room for `width` columns or more."""
    missing = max(0, width - values.shape[1])
    return np.pad(values, ((0, 0), (0, missing), *((0, 0),) * (values.ndim - 2)), constant_values=fill)


MAX_LEVELS = 8192
"""Levels that are kept: all of the benchmark's, at about 70 kB each."""
STATIC = -1
"""In place of a dynamic body's number: the object never moves."""
_PLATFORM = CHANNELS.index("platform")


class LevelCache:
    """A simulator and a painter of levels, which are added when an episode first needs them.

    All arrays have a row for each level. Objects are in drawing order: platforms, the slingshot, pigs, blocks, TNT,
    birds, then split birds and eggs. With more than `limit` levels, all but those in use are dropped; no result depends
    on that.
    """

    def __init__(
        self, device: str = "cpu", threads: int = 0, drawing_device: str | None = None, limit: int = MAX_LEVELS
    ) -> None:
        """Levels are simulated on `device`, and drawn there too unless a `drawing_device` is given."""
        self._device, self._threads, self._limit = device, threads, limit
        self._drawing_device = drawing_device or device
        check_device(self._drawing_device)
        self._clear()

    def _clear(self) -> None:
        self._index_of: dict[str, int] = {}
        self.simulator = Simulator([], self._device, self._threads)
        self.painter = BatchPainter(SpriteTable(), self._drawing_device, self._threads or usable_cores())
        self._sprites = PaddedRows(NO_SPRITE, np.int32)
        self._starts = PaddedRows(np.nan, np.float64, 3)
        self._still = PaddedRows(np.nan, np.float64, 3)
        self._dynamic = PaddedRows(STATIC, np.int32)
        self._lives = PaddedRows(np.inf, np.float64)
        self._bird_columns = PaddedRows(-1, np.int32)
        self._bird_colours = PaddedRows(-1, np.int32)
        self._waiting = PaddedRows(np.nan, np.float64, 3)
        self._counts = PaddedRows(0, np.int64)
        self._rest = PaddedRows(0.0, np.float64)

    def __len__(self) -> int:
        return len(self._index_of)

    def indices(self, tasks: Sequence[Task]) -> np.ndarray:
        """int [tasks]: the levels' indices. These are all levels in use: indices of earlier calls may change."""
        new = {task.id: task for task in tasks if task.id not in self._index_of}
        if len(self) + len(new) > self._limit:
            self._clear()
            new = {task.id: task for task in tasks}
        if new:
            self._add(list(new.values()))
        return np.array([self._index_of[task.id] for task in tasks], int)

    def _add(self, tasks: Sequence[Task]) -> None:
        for task, index in zip(tasks, self.simulator.add(tasks).tolist(), strict=True):
            self._index_of[task.id] = index
            self._describe(self.simulator.worlds[index])

    def _describe(self, world: LevelWorld) -> None:
        """Adds a level's row to all arrays."""
        level, table = world.level, self.painter.table
        objects, bodies = objects_and_bodies(world)
        behind, front = drawing_order(objects)
        order = [*behind, len(objects), *front]  # the last of the rows below is the slingshot's
        sprites = np.array([*table.of_objects(objects), table.of_sling(level.slingshot)], np.int32)
        placed = poses_of(objects_of(level))
        starts = np.full((len(objects) + 1, 3), np.nan)
        starts[: len(placed)], starts[-1] = placed, 0.0
        scene = world.scene.bodies
        still = np.zeros((len(objects) + 1, 3))
        still[:-1] = np.array([(*scene[body].position, scene[body].angle) for body in bodies], np.float32)
        dynamic_of = np.full(len(world.members), STATIC, np.int32)
        dynamic_of[world.dynamic] = np.arange(len(world.dynamic))
        lives = np.array([*(world.members[body].life for body in bodies), np.inf])
        self._sprites.append(sprites[order])
        self._starts.append(starts[order])
        self._still.append(_seen_poses(still)[order])
        self._dynamic.append(np.array([*dynamic_of[bodies], STATIC])[order])
        self._lives.append(lives[order])
        first = len(level.pieces)
        columns = [order.index(first + k) for k in range(len(level.birds))]
        self._bird_columns.append(np.array(columns, int))
        self._bird_colours.append(np.array([BIRD_COLOURS.index(colour) for colour in level.birds]))
        self._waiting.append(placed[first:])
        self._counts.append(np.array([len(level.pigs), len(level.birds), len(order)]))
        self._rest.append(np.array(level.rest_point))

    @property
    def sprites(self) -> np.ndarray:
        """int32 [levels, objects], NO_SPRITE after the last object."""
        return self._sprites.array

    @property
    def starts(self) -> np.ndarray:
        """float [levels, objects, (x, y, radians)]: poses at the start, NaN where an object is absent."""
        return self._starts.array

    @property
    def bird_colours(self) -> np.ndarray:
        """int [levels, birds]: indices in BIRD_COLOURS; -1 after the last bird."""
        return self._bird_colours.array

    @property
    def pigs(self) -> np.ndarray:
        """int [levels]."""
        return self._counts.array[:, 0]

    @property
    def birds(self) -> np.ndarray:
        """int [levels]."""
        return self._counts.array[:, 1]

    @property
    def objects(self) -> np.ndarray:
        """int [levels]: objects, with the slingshot and what may be spawned."""
        return self._counts.array[:, 2]

    def poses(self, levels: np.ndarray, states: np.ndarray) -> np.ndarray:
        """float [n, objects, 3]: the poses of objects, for those of dynamic bodies float32 [n, bodies, 3]."""
        dynamic = self._dynamic.array[levels]
        moving = np.take_along_axis(states.astype(float), np.maximum(dynamic, 0)[..., None], axis=1)
        return np.where((dynamic >= 0)[..., None], _seen_poses(moving), self._still.array[levels])

    def end_poses(self, levels: np.ndarray, episodes: Episodes) -> np.ndarray:
        """float [n, objects, 3]: the poses of objects at the end of episodes, with states, at levels [n]."""
        assert episodes.states is not None
        poses = self.poses(levels, episodes.states.poses)
        birds = self.bird_colours.shape[1]
        released, landed = (_padded_steps(values, birds) for values in (episodes.released, episodes.landed))
        on_sling_from = np.concatenate([np.zeros((len(levels), 1)), landed[:, :-1] + NEXT_BIRD_STEPS], axis=1)
        self.place_waiting_birds(poses, levels, episodes.steps, released, on_sling_from)
        return poses

    def scenes(self, levels: np.ndarray, poses: np.ndarray, platforms: bool = True) -> Scenes:
        """What is seen of levels [n] with objects at poses [n, objects or more, 3]."""
        sprites = self.sprites[levels]
        if not platforms:
            channels = self.painter.table.channels()
            sprites = np.where(channels[np.maximum(sprites, 0)] == _PLATFORM, NO_SPRITE, sprites)
        return Scenes(sprites, poses[:, : sprites.shape[1]])

    def life_shares(self, levels: np.ndarray, states: np.ndarray) -> np.ndarray:
        """float [n, objects]: shares of lives that are left, for the lives of dynamic bodies float32 [n, bodies]."""
        dynamic, full = self._dynamic.array[levels], self._lives.array[levels]
        left = np.take_along_axis(states, np.maximum(dynamic, 0), axis=1)
        mortal = np.isfinite(full) & (dynamic >= 0)
        return np.where(mortal, np.clip(left / np.where(mortal, full, 1.0), 0.0, 1.0), 1.0)

    def place_waiting_birds(
        self, poses: np.ndarray, levels: np.ndarray, steps: np.ndarray, released: np.ndarray, on_sling_from: np.ndarray
    ) -> None:
        """Sets the poses [n, objects, 3] of birds that have not been released, at steps [n] of episodes.

        `released` [n, birds] are the steps of releases and `on_sling_from` [n, birds] those in which birds come to the
        slingshot, infinite where they don't; the others wait beside it.
        """
        columns = self._bird_columns.array[levels]
        for k in range(min(columns.shape[1], released.shape[1])):
            rows = np.flatnonzero(columns[:, k] >= 0)
            column = columns[rows, k]
            waits = np.isnan(poses[rows, column, 0]) & (steps[rows] <= released[rows, k])
            rows, column = rows[waits], column[waits]
            on_sling = (steps[rows] >= on_sling_from[rows, k])[:, None]
            rest = np.pad(self._rest.array[levels[rows]], ((0, 0), (0, 1)))
            poses[rows, column] = np.where(on_sling, rest, self._waiting.array[levels[rows], k])


def _seen_poses(poses: np.ndarray) -> np.ndarray:
    """Poses [..., 3] as objects have them, whose rotations are in degrees."""
    return np.concatenate([poses[..., :2], np.radians(np.degrees(poses[..., 2:]))], axis=-1)


def _padded_steps(values: np.ndarray, width: int) -> np.ndarray:
    """Steps [n, shots] as floats [n, width], infinite where there is none."""
    steps = np.full((len(values), width), np.inf)
    shots = min(width, values.shape[1])
    steps[:, :shots] = np.where(values[:, :shots] == 0, np.inf, values[:, :shots])
    return steps
