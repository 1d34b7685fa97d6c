"""Plays random shots on levels and keeps what happened to every object; the file of collected shots.

The file has arrays of scenes and shots, with the physics that they were played with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tumble.bounded import arrays, read_bytes
from tumble.learning.settings import TrainingError
from tumble.phyq.catalogue.level import Level
from tumble.phyq.models.ranker.scenes import Scenes, joined_scenes, scenes_of_world, widened
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import ShotTable, table_of
from tumble.phyq.simulation.simulator import Earlier, Simulator, physics_id
from tumble.scene.files import whole_file

ANGLES = (-15.0, 82.0)
"""Range of the angles."""
SHORT_SHARE, SHORTEST = 0.1, 0.5
"""Share of the shots that are not at full stretch, and the least stretch of these."""
TAPS, NO_TAP_SHARE = (0.1, 1.0), 0.1
"""Range of taps as shares of flights, and the share of shots without a tap, for birds with a power."""
NEAR = (1.5, 0.05, 0.08)
"""Standard deviations of angles, stretches and taps of shots near winning ones."""
ALIVE, KILLED_BY_BIRD, KILLED, GONE = range(4)
"""What became of an object: the last is for objects that left the world."""


LOST, WON, UNKNOWN = 0, 1, -1
VARIANT = "v"
"""After the template of a level that is a variant of a task."""


@dataclass(frozen=True)
class Plan:
    """How many shots are tried."""

    first: int = 150
    """Shots of the first bird on each level."""
    later: int = 40
    """Shots of a later bird in each scene."""
    near: int = 60
    """Shots near winning ones in each scene that has some, with the last bird."""
    branches: int = 20
    """Scenes after the first shot, and after each further one, that are continued from, on each level."""


@dataclass(frozen=True)
class Collected:
    """Shots in scenes, and what they did."""

    scenes: Scenes
    templates: np.ndarray
    """str [scenes]: the template of the level."""
    scene_of: np.ndarray
    """int32 [shots]: the scene in which a shot was made."""
    shots: np.ndarray
    """float32 [shots, (angle, stretch, tap share)], NaN for no tap."""
    won: np.ndarray
    """int8 [shots]: whether the level was won by this shot, or by some continuation that was tried; else LOST, or
    UNKNOWN where birds were left and no continuation was tried."""
    fates: np.ndarray
    """int8 [shots, objects]: what became of each object."""
    moves: np.ndarray
    """float16 [shots, objects, (x, y)]: from where an object was to where it came to rest; 0 if it did not."""

    def __len__(self) -> int:
        return len(self.scene_of)


def joined_shots(parts: Sequence[Collected]) -> Collected:
    """All shots of several parts."""
    width = max(part.fates.shape[1] for part in parts)
    starts = np.cumsum([0, *(len(part.scenes) for part in parts[:-1])])
    pad = [width - part.fates.shape[1] for part in parts]
    return Collected(
        joined_scenes([widened(part.scenes, width) for part in parts]),
        np.concatenate([part.templates for part in parts]),
        np.concatenate([part.scene_of + start for part, start in zip(parts, starts, strict=True)]).astype(np.int32),
        np.concatenate([part.shots for part in parts]),
        np.concatenate([part.won for part in parts]),
        np.concatenate([np.pad(part.fates, ((0, 0), (0, more))) for part, more in zip(parts, pad, strict=True)]),
        np.concatenate([np.pad(p.moves, ((0, 0), (0, more), (0, 0))) for p, more in zip(parts, pad, strict=True)]),
    )


def random_shots(rng: np.random.Generator, scenes: int, count: int, has_power: np.ndarray) -> np.ndarray:
    """float32 [scenes, count, (angle, stretch, tap share)]: random shots whose angles are spread evenly."""
    shape = (scenes, count)
    width = (ANGLES[1] - ANGLES[0]) / count
    angle = ANGLES[0] + width * (np.arange(count) + rng.random(shape))
    stretch = np.where(rng.random(shape) < SHORT_SHARE, rng.uniform(SHORTEST, 1.0, shape), 1.0)
    tap = np.where(rng.random(shape) < NO_TAP_SHARE, np.nan, rng.uniform(*TAPS, shape))
    return np.stack([angle, stretch, np.where(has_power[:, None], tap, np.nan)], axis=-1).astype(np.float32)


def near_shots(
    rng: np.random.Generator, shots: np.ndarray, scene_of: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Shots [n, 3] near given ones, and their scenes [n]: `count` for each scene that occurs."""
    if not len(shots):
        return np.zeros((0, 3), np.float32), np.zeros(0, int)
    order = np.argsort(scene_of, kind="stable")
    scenes, begins, counts = np.unique(scene_of[order], return_index=True, return_counts=True)
    chosen = order[begins[:, None] + (rng.random((len(scenes), count)) * counts[:, None]).astype(int)].ravel()
    spread = np.array(NEAR) * rng.standard_normal((len(chosen), 3))
    spread[:, 1] = np.where(shots[chosen, 1] < 1.0, spread[:, 1], 0.0)
    low, high = (ANGLES[0], SHORTEST, TAPS[0]), (ANGLES[1], 1.0, TAPS[1])
    return np.clip(shots[chosen] + spread, low, high).astype(np.float32), np.repeat(scenes, count)


def collect(
    levels: Sequence[Level], templates: Sequence[str], plan: Plan, seed: int, device: str = "cpu", threads: int = 0
) -> Collected:
    """Plays random shots on levels, of the given templates, with all their birds."""
    simulator = Simulator(levels, device, threads)
    rng = np.random.default_rng(seed)
    settled = simulator.play(np.arange(len(levels)), [()] * len(levels), ("states",))
    scenes = _scenes(simulator, settled, np.arange(len(levels)), 0)
    start = _Stage(scenes, np.arange(len(levels)), np.zeros((len(levels), 0, 3), np.float32), None)
    parts = _collect_stage(simulator, start, np.array(templates), plan, rng)
    return joined_shots(parts)


@dataclass(frozen=True)
class _Stage:
    """Scenes before the next bird, with the shots that led to them."""

    scenes: Scenes
    level_of: np.ndarray
    before: np.ndarray
    """float32 [scenes, shots before, 3]."""
    earlier: Earlier | None


def _collect_stage(
    simulator: Simulator, stage: _Stage, templates: np.ndarray, plan: Plan, rng: np.random.Generator
) -> list[Collected]:
    """The shots of the next bird in each scene, and then those of the birds after it."""
    shot = stage.before.shape[1]
    count = plan.later if shot else plan.first
    drawn = random_shots(rng, len(stage.scenes), count, stage.scenes.birds != 0).reshape(-1, 3)
    scene_of = np.repeat(np.arange(len(stage.scenes)), count)
    played = _play(simulator, stage, scene_of, drawn)
    later: list[Collected] = []
    rows = _branches(played.episodes, played.fates, played.moves, plan.branches, rng)
    if len(rows):
        _, states = played.episodes.states_to_continue()
        continued = Earlier(states.take(rows), np.arange(len(rows)))
        scenes = _scenes(simulator, played.episodes, rows, shot + 1)
        before = np.concatenate([stage.before[scene_of[rows]], drawn[rows, None]], axis=1)
        branch = _Stage(scenes, stage.level_of[scene_of[rows]], before, continued)
        later = _collect_stage(simulator, branch, templates, plan, rng)
        best = np.full(len(rows), LOST, np.int8)
        np.maximum.at(best, later[0].scene_of, later[0].won)
        played.won[rows] = best
    last = (played.won == WON) & (stage.scenes.birds_left[scene_of] == 1)
    near, near_of = near_shots(rng, drawn[last], scene_of[last], plan.near)
    parts = [(played, scene_of, drawn)]
    if len(near):
        parts.append((_play(simulator, stage, near_of, near), near_of, near))
    own = Collected(
        stage.scenes,
        templates[stage.level_of],
        np.concatenate([of for _, of, _ in parts]).astype(np.int32),
        np.concatenate([shots for _, _, shots in parts]),
        np.concatenate([one.won for one, _, _ in parts]),
        np.concatenate([one.fates for one, _, _ in parts]),
        np.concatenate([one.moves for one, _, _ in parts]),
    )
    return [own, *later]


@dataclass(frozen=True)
class _Played:
    """Episodes of shots, and their outcomes as in Collected."""

    episodes: Episodes
    won: np.ndarray
    fates: np.ndarray
    moves: np.ndarray


def _play(simulator: Simulator, stage: _Stage, scene_of: np.ndarray, shots: np.ndarray) -> _Played:
    """Plays shots [n, 3] in scenes [n] of a stage."""
    sequences = np.concatenate([stage.before[scene_of], shots[:, None]], axis=1)
    earlier = stage.earlier.take(scene_of) if stage.earlier else None
    episodes = simulator.play(stage.level_of[scene_of], _shot_table(sequences), ("states",), earlier=earlier)
    won = np.where(episodes.won, WON, np.where(episodes.status == "open", UNKNOWN, LOST)).astype(np.int8)
    return _Played(episodes, won, *_outcomes(stage.scenes, scene_of, episodes))


def _shot_table(sequences: np.ndarray) -> ShotTable:
    return table_of(sequences[..., 0], sequences[..., 1], tap_shares=sequences[..., 2])


def _scenes(simulator: Simulator, episodes: Episodes, rows: np.ndarray, shots: int) -> Scenes:
    """The scenes at the end of episodes, in the order of `rows`."""
    poses, lives, levels = episodes.final_poses(), episodes.final_lives(), episodes.level_of[rows]
    parts, order = [], []
    for level in np.unique(levels).tolist():
        own = np.flatnonzero(levels == level)
        parts.append(scenes_of_world(simulator.worlds[level], poses[rows[own]], lives[rows[own]], shots))
        order.append(own)
    return joined_scenes(parts).take(np.argsort(np.concatenate(order)))


def _outcomes(scenes: Scenes, scene_of: np.ndarray, episodes: Episodes) -> tuple[np.ndarray, np.ndarray]:
    """Fates int8 [shots, objects] and moves float16 [shots, objects, 2] of the objects of scenes."""
    width = scenes.kinds.shape[1]
    objects = slice(1, 1 + width)
    there = scenes.kinds[scene_of] >= 0
    levels, of = np.unique(episodes.level_of, return_inverse=True)
    first_bird = np.array([episodes.worlds[level].first_bird for level in levels.tolist()])[of]
    by_bird = episodes.killed_by[:, objects] >= first_bird[:, None]
    killed = episodes.killed_by[:, objects] >= 0
    died = there & (episodes.died[:, objects] > 0)
    fates = np.where(died, np.where(by_bird, KILLED_BY_BIRD, np.where(killed, KILLED, GONE)), ALIVE)
    moves = episodes.final_poses()[:, objects, :2] - scenes.poses[scene_of, :, :2]
    stays = there & ~died & np.isfinite(moves[..., 0])
    return fates.astype(np.int8), np.where(stays[..., None], moves, 0.0).astype(np.float16)


def _branches(
    episodes: Episodes, fates: np.ndarray, moves: np.ndarray, most: int, rng: np.random.Generator
) -> np.ndarray:
    """The rows of episodes to continue from, at most this number for each level; rather those that changed much."""
    can, _ = episodes.states_to_continue()
    changed = (fates != ALIVE).sum(axis=1) + np.minimum(np.hypot(*np.moveaxis(moves.astype(float), -1, 0)), 1.0).sum(
        axis=1
    )
    weight = np.where(can, 0.05 + np.minimum(changed, 2.0), 0.0)
    keys = np.where(weight > 0, rng.random(len(weight)) ** (1.0 / np.maximum(weight, 1e-9)), -1.0)
    order = np.lexsort((-keys, episodes.level_of))
    levels = episodes.level_of[order]
    starts = np.flatnonzero(np.r_[True, levels[1:] != levels[:-1]])
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.r_[starts, len(order)]))
    return np.sort(order[(rank < most) & (keys[order] > 0)])


SHOT_FILE_FORMAT = "tumble-phyq-shots-1"
MOST_BYTES = 1 << 33
"""Of a file."""
MOST_CONTENT, MOST_PER_BYTE = 1 << 25, 2
"""Bytes that its arrays may take, and further ones for each of its bytes; they are written without compression."""


@dataclass(frozen=True)
class ShotData:
    """Collected shots, and a digest of them."""

    collected: Collected
    digest: str


def write_shots(path: Path, collected: Collected) -> None:
    """Writes the file whole or not at all."""
    columns: dict[str, Any] = {f"scene_{f.name}": getattr(collected.scenes, f.name) for f in fields(Scenes)}
    columns |= {f.name: getattr(collected, f.name) for f in fields(Collected) if f.name != "scenes"}
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, format=np.array(SHOT_FILE_FORMAT), physics=np.array(physics_id()), **columns)


def read_shots(path: Path) -> ShotData:
    """Reads a file of shots that were played with the present physics."""
    try:
        raw = read_bytes(path, MOST_BYTES)
        stored = arrays(raw, MOST_CONTENT + MOST_PER_BYTE * len(raw))
        found, physics = str(stored.pop("format")), str(stored.pop("physics"))
        scenes = Scenes(**{f.name: stored.pop(f"scene_{f.name}") for f in fields(Scenes)})
        collected = Collected(scenes, **stored)
    except OSError as error:
        raise TrainingError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (ValueError, KeyError, TypeError):
        raise TrainingError(f"{path}: no file of collected shots, or a damaged one") from None
    if found != SHOT_FILE_FORMAT:
        raise TrainingError(f"{path}: not a file of this version: its format is not {SHOT_FILE_FORMAT}")
    if physics != physics_id():
        raise TrainingError(f"{path}: played with the physics {physics}, and this is {physics_id()}; collect again")
    digest = sha256()
    for array in (scenes.poses, collected.scene_of, collected.shots, collected.won):
        digest.update(np.ascontiguousarray(array).tobytes())
    return ShotData(collected, digest.hexdigest()[:16])
