"""What there is to see of levels and episodes: at the start, at the end, and in between.

view = observe.start(level)  # or observe.end(episodes, row), or observe.motion(episodes, row).view(frame)
view.picture(), view.symbolic(labels=True), view.tensor(platforms=False)
observe.happened(episodes, row)  # hits, deaths, …, one after the other
"""

import math
from functools import lru_cache

import numpy as np

from tumble.phyq.observation.things import Thing, moved, poses_of, things
from tumble.phyq.observation.view import Event, Motion, View, start
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.game.turns import NEXT_BIRD_STEPS
from tumble.phyq.simulation.world import LevelWorld
from tumble.phyq.tasks.constants import STEP

__all__ = ["Event", "Motion", "View", "end", "happened", "motion", "start"]


def end(episodes: Episodes, row: int) -> View:
    """The end of an episode, which was played with want=("states",)."""
    world = episodes.worlds[episodes.level_of[row]]
    cast, bodies = _cast(world)
    poses = episodes.final_poses()[row][None, bodies].astype(float)
    _seat_birds(poses, episodes, row, np.array([episodes.steps[row]]))
    full = np.array([world.members[body].life for body in bodies])
    left = episodes.final_lives()[row][bodies]
    shares = np.where(np.isfinite(full), np.clip(left / np.where(np.isfinite(full), full, 1.0), 0.0, 1.0), 1.0)
    return View(moved(cast, poses[0], shares), world.level.slingshot, _trail(episodes, row))


def motion(episodes: Episodes, row: int) -> Motion:
    """The frames of an episode, which was played with want=("trajectory",)."""
    if not len(episodes.frames):
        raise ValueError('play with want=("trajectory",) to know how everything moved')
    world = episodes.worlds[episodes.level_of[row]]
    cast, bodies = _cast(world)
    steps = episodes.frames + episodes.start[row]
    count = int((steps <= episodes.steps[row]).sum())
    poses = episodes.poses[row, :count][:, bodies].astype(float)
    _seat_birds(poses, episodes, row, steps[:count])
    return Motion(cast, world.level.slingshot, episodes.frames[:count] * STEP, poses)


def happened(episodes: Episodes, row: int) -> list[Event]:
    """What happened in an episode, which was played with want=("events",), in order."""
    cast, bodies = _cast(episodes.worlds[episodes.level_of[row]])
    of_body = dict(zip(bodies.tolist(), cast, strict=True))
    own = episodes.events[episodes.events["episode"] == row]
    return [
        Event(
            seconds=float(event["step"] - episodes.start[row]) * STEP,
            kind=str(event["kind"]),
            thing=of_body.get(int(event["body"])),
            other=of_body.get(int(event["other"])),
            speed=float(event["speed"]),
        )
        for event in own
    ]


@lru_cache(maxsize=1024)
def _cast(world: LevelWorld) -> tuple[tuple[Thing, ...], np.ndarray]:
    """The things of a level and what may come of its birds, and the body of each; the ground is none."""
    seen = things(world.level)
    bodies = [world.of_role(role) for role in ("pig", "block", "tnt", "platform", "bird")]
    brood = [k for k, member in enumerate(world.members) if member.role in ("fledgling", "egg")]
    young = [_young(world, k, len(seen) + number) for number, k in enumerate(brood)]
    return (*seen, *young), np.concatenate([*bodies, np.array(brood, int)])


def _young(world: LevelWorld, body: int, number: int) -> Thing:
    member = world.members[body]
    if member.role == "egg":
        return Thing("egg", number=number)
    return Thing("bird", world.level.birds[member.number], number=number)


def _seat_birds(poses: np.ndarray, episodes: Episodes, row: int, steps: np.ndarray) -> None:
    """Puts the birds that were not yet released on the sling or beside it, into poses [steps, things, 3]."""
    level = episodes.worlds[episodes.level_of[row]].level
    first = len(level.pieces)
    beside = poses_of(things(level))[first:]
    for k in range(len(level.birds)):
        waits = np.isnan(poses[:, first + k, 0]) & (steps <= _step(episodes.released, row, k, math.inf))
        landed = _step(episodes.landed, row, k - 1, math.inf) + NEXT_BIRD_STEPS if k else 0
        on_sling = (*level.rest_point, 0.0)
        poses[waits, first + k] = np.where((steps[waits] >= landed)[:, None], on_sling, beside[k])


def _step(marks: np.ndarray, row: int, shot: int, never: float) -> float:
    """The step of a mark of a shot."""
    return float(marks[row, shot]) or never if shot < marks.shape[1] else never


def _trail(episodes: Episodes, row: int) -> np.ndarray | None:
    """Where the last bird was until it landed, if frames were kept."""
    shots = int(episodes.shots_used[row])
    if not len(episodes.frames) or not shots:
        return None
    world = episodes.worlds[episodes.level_of[row]]
    steps = episodes.frames + episodes.start[row]
    landed = _step(episodes.landed, row, shots - 1, math.inf)
    flying = (steps >= episodes.released[row, shots - 1]) & (steps <= landed)
    points = episodes.poses[row, flying, world.of_role("bird")[shots - 1], :2]
    return np.asarray(points[np.isfinite(points).all(axis=-1)], float)
