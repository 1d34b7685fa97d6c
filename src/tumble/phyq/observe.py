"""What there is to see of levels and episodes: at the start, at the end, and in between.

view = observe.start(level)  # or observe.end(episodes, row), or observe.motion(episodes, row).view(frame)
view.picture(), view.symbolic(labels=True), view.tensor(platforms=False)
observe.happened(episodes, row)  # hits, deaths, …, one after the other
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tumble.phyq.constants import STEP
from tumble.phyq.drawing import Painter
from tumble.phyq.episodes import Episodes
from tumble.phyq.game.turns import NEXT_BIRD_STEPS
from tumble.phyq.level import Level
from tumble.phyq.symbolic import symbolic_state
from tumble.phyq.tensor import state_tensor
from tumble.phyq.things import Thing, moved, poses_of, things
from tumble.phyq.world import LevelWorld
from tumble.scene import Vec


@dataclass(frozen=True)
class View:
    """What is there at one moment."""

    things: tuple[Thing, ...]
    slingshot: Vec = Level.slingshot
    trail: np.ndarray | None = None
    """Points [n, 2] that the last bird has flown through, where they are known."""

    def picture(self) -> np.ndarray:
        """uint8 [480, 640, 3]: a screenshot."""
        return np.asarray(Painter(self.things, self.slingshot).paint()[0])

    def symbolic(
        self, labels: bool = False, platforms: bool = True, noise: np.random.Generator | None = None
    ) -> list[dict[str, Any]]:
        """The state in the published JSON form (see `symbolic_state`)."""
        return symbolic_state(self.things, self.slingshot, labels, noise, platforms, self.trail)

    def tensor(self, platforms: bool = True) -> np.ndarray:
        """uint8 [120, 160, 12]: which kind of thing is where (see `state_tensor`)."""
        return state_tensor(self.things, self.slingshot, platforms)


@dataclass(frozen=True)
class Motion:
    """How everything moved: one row of poses for each frame that was kept."""

    things: tuple[Thing, ...]
    """All that there ever is, with what may come of birds at its end."""
    slingshot: Vec
    seconds: np.ndarray
    """float [frames]: since the level was ready."""
    poses: np.ndarray
    """float [frames, things, (x, y, radians)], NaN where a thing is absent."""

    def view(self, frame: int) -> View:
        """One frame; how hurt things are is not known."""
        return View(moved(self.things, self.poses[frame]), self.slingshot)

    def pictures(self, frames: slice = slice(None)) -> np.ndarray:
        """uint8 [frames, 480, 640, 3]."""
        return Painter(self.things, self.slingshot).paint(self.poses[frames])


@dataclass(frozen=True)
class Event:
    """Something that happened; the ground is no thing."""

    seconds: float
    kind: str
    """release, tap, hit, death (of a pig or block), gone (a bird or egg) or end."""
    thing: Thing | None
    other: Thing | None
    speed: float
    """Of the approach, for a hit."""


def start(level: Level) -> View:
    """A level before the first shot."""
    return View(things(level), level.slingshot)


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
