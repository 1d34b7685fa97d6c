"""Views of levels and episodes: at the start, at the end, and in between. Users know this module as `phyq.observe`.

>>> from tumble.phyq.simulation.shots import Shot
>>> from tumble.phyq.simulation.simulator import play
>>> from tumble.phyq.catalogue.tasks import task
>>> episodes = play(task("1.4:000").level, [[Shot(20.0)]], want=("trajectory", "events", "states"))
>>> end(episodes, 0).picture().shape
(480, 640, 3)
>>> motion(episodes, 0).view(frame=10).tensor(platforms=False).shape
(120, 160, 12)
>>> events(episodes, 0)[0].kind
'release'
"""

import math
from functools import lru_cache

import numpy as np

from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.observation.objects import GameObject, moved, objects_of, poses_of
from tumble.phyq.observation.view import Event, Motion, View, start
from tumble.phyq.simulation.episodes import EpisodeError, Episodes
from tumble.phyq.simulation.game_turns import NEXT_BIRD_STEPS
from tumble.phyq.simulation.world import LevelWorld

__all__ = ["Event", "Motion", "View", "end", "events", "motion", "start"]


def end(episodes: Episodes, row: int) -> View:
    """The view at the end of an episode, which was played with want=("states",)."""
    world = episodes.worlds[episodes.level_of[row]]
    objects, bodies = _objects_and_bodies(world)
    poses = episodes.final_poses()[row][None, bodies].astype(float)
    _place_waiting_birds(poses, episodes, row, np.array([episodes.steps[row]]))
    full = np.array([world.members[body].life for body in bodies])
    left = episodes.final_lives()[row][bodies]
    shares = np.where(np.isfinite(full), np.clip(left / np.where(np.isfinite(full), full, 1.0), 0.0, 1.0), 1.0)
    return View(moved(objects, poses[0], shares), world.level.slingshot, _trail(episodes, row))


def motion(episodes: Episodes, row: int) -> Motion:
    """The motion in an episode, which was played with want=("trajectory",)."""
    if not len(episodes.frames):
        raise EpisodeError('no motion was kept: play with want=("trajectory",)')
    world = episodes.worlds[episodes.level_of[row]]
    objects, bodies = _objects_and_bodies(world)
    steps = episodes.frames + episodes.start[row]
    count = int((steps <= episodes.steps[row]).sum())
    poses = episodes.poses[row, :count][:, bodies].astype(float)
    _place_waiting_birds(poses, episodes, row, steps[:count])
    return Motion(objects, world.level.slingshot, episodes.frames[:count] * STEP, poses)


def events(episodes: Episodes, row: int) -> list[Event]:
    """The events of an episode in order, which was played with want=("events",)."""
    objects, bodies = _objects_and_bodies(episodes.worlds[episodes.level_of[row]])
    of_body = dict(zip(bodies.tolist(), objects, strict=True))
    own = episodes.events[episodes.events["episode"] == row]
    return [
        Event(
            seconds=float(event["step"] - episodes.start[row]) * STEP,
            kind=str(event["kind"]),
            object=of_body.get(int(event["body"])),
            other=of_body.get(int(event["other"])),
            speed=float(event["speed"]),
        )
        for event in own
    ]


def objects_and_bodies(world: LevelWorld) -> tuple[tuple[GameObject, ...], np.ndarray]:
    """All objects of an episode, and the body of each: those of the level, then split birds and eggs."""
    placed = objects_of(world.level)
    bodies = [world.of_role(role) for role in ("pig", "block", "tnt", "platform", "bird")]
    spawned_bodies = [k for k, member in enumerate(world.members) if member.role in ("split_bird", "egg")]
    spawned = [_spawned(world, k, len(placed) + number) for number, k in enumerate(spawned_bodies)]
    return (*placed, *spawned), np.concatenate([*bodies, np.array(spawned_bodies, int)])


_objects_and_bodies = lru_cache(maxsize=1024)(objects_and_bodies)


def _spawned(world: LevelWorld, body: int, number: int) -> GameObject:
    member = world.members[body]
    if member.role == "egg":
        return GameObject("egg", number=number)
    return GameObject("bird", world.level.birds[member.number], number=number)


def _place_waiting_birds(poses: np.ndarray, episodes: Episodes, row: int, steps: np.ndarray) -> None:
    """Sets the poses of unreleased birds, on the slingshot or beside it, in poses [steps, objects, 3]."""
    level = episodes.worlds[episodes.level_of[row]].level
    first = len(level.pieces)
    beside = poses_of(objects_of(level))[first:]
    for k in range(len(level.birds)):
        waits = np.isnan(poses[:, first + k, 0]) & (steps <= _step(episodes.released, row, k))
        on_sling_from = _step(episodes.landed, row, k - 1) + NEXT_BIRD_STEPS if k else 0
        on_sling = (*level.rest_point, 0.0)
        poses[waits, first + k] = np.where((steps[waits] >= on_sling_from)[:, None], on_sling, beside[k])


def _step(steps: np.ndarray, row: int, shot: int) -> float:
    """The step recorded for a shot in steps [episodes, shots]; infinite if there is none."""
    return float(steps[row, shot]) or math.inf if shot < steps.shape[1] else math.inf


def _trail(episodes: Episodes, row: int) -> np.ndarray | None:
    """Positions [n, 2] of the last bird from its release until it landed, if frames were kept."""
    shots = int(episodes.shots_used[row])
    if not len(episodes.frames) or not shots:
        return None
    world = episodes.worlds[episodes.level_of[row]]
    steps = episodes.frames + episodes.start[row]
    landed = _step(episodes.landed, row, shots - 1)
    flying = (steps >= episodes.released[row, shots - 1]) & (steps <= landed)
    points = episodes.poses[row, flying, world.of_role("bird")[shots - 1], :2]
    return np.asarray(points[np.isfinite(points).all(axis=-1)], float)
