"""What a shot did, as plain data: the flight of its bird, the first hit, deaths, what moved, and how near it came."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.llm.scene_text import centre_offset, radius
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.view import Motion
from tumble.phyq.simulation.episode_views import motion, objects_and_bodies
from tumble.phyq.simulation.episodes import NOT_KILLED, Episodes
from tumble.scene import Vec

MOVED = 0.15
"""Units from which on a piece counts as moved."""


@dataclass(frozen=True)
class Hit:
    """The first contact of a bird, its parts or its egg."""

    seconds: float
    """After the launch."""
    point: Vec
    speed: float
    bird: GameObject
    other: GameObject | None
    """Where it was when it was hit; None for the ground."""


@dataclass(frozen=True)
class Death:
    """A pig, block or TNT that was destroyed or left the world."""

    seconds: float
    """After the launch."""
    victim: GameObject
    """Where it was before the shot."""
    cause: GameObject | None
    """What killed it; None for the ground."""
    left_world: bool = False
    explosion: bool = False


@dataclass(frozen=True)
class Moved:
    """A piece that stands elsewhere after the shot."""

    before: GameObject
    after: GameObject

    @property
    def distance(self) -> float:
        """The distance from where it was to where it is."""
        return float(np.hypot(self.after.x - self.before.x, self.after.y - self.before.y))


@dataclass(frozen=True)
class Miss:
    """How near a bird, its parts or its egg came to a pig that lives."""

    pig: GameObject
    """Where it was then."""
    distance: float
    """Between their edges; 0 where it was touched."""
    point: Vec
    seconds: float


@dataclass(frozen=True)
class ShotReport:
    """A shot; frames are those of the motion."""

    number: int
    """Of the bird, from 0."""
    colour: str
    first_frame: int
    contact_frame: int
    """Of the first hit of the bird, its parts or its egg; or of its removal."""
    last_frame: int
    tapped: float | None
    """Seconds after the launch at which the bird used its power."""
    paths: np.ndarray
    """float [parts, frames, 2]: places of the bird, its parts and its egg from the launch to the first hit; NaN where
    there is none."""
    first_hit: Hit | None
    last_place: Vec
    """Of the bird, before it was removed or at the end."""
    deaths: tuple[Death, ...]
    moved: tuple[Moved, ...]
    """The farthest first."""
    nearest: Miss | None

    @property
    def highest(self) -> Vec:
        """The highest place of the flight."""
        x, y = self.points[int(np.argmax(self.points[:, 1]))].tolist()
        return x, y

    @property
    def points(self) -> np.ndarray:
        """float [n, 2]: all places of the flight."""
        return np.asarray(self.paths[np.isfinite(self.paths[..., 0])])


def shot_reports(episodes: Episodes, row: int, first: int = 0) -> list[ShotReport]:
    """The shots of an episode from one of them on; it was played with trajectory and events, and a stride of 1."""
    seen = motion(episodes, row)
    return [_report(episodes, row, seen, number) for number in range(first, int(episodes.shots_used[row]))]


def _report(episodes: Episodes, row: int, seen: Motion, number: int) -> ShotReport:
    level = episodes.worlds[episodes.level_of[row]].level
    begin = int(episodes.start[row])
    released = episodes.released[row].tolist()
    used = int(episodes.shots_used[row])
    last = len(seen.poses) - 1
    first_frame = released[number] - begin
    last_frame = min(last, released[number + 1] - begin) if number + 1 < used else last
    bird = len(level.pieces) + number
    colour = level.birds[number]
    parts = _parts(seen.objects, bird, colour, len(level.pieces) + len(level.birds))
    hit = _first_hit(episodes, row, seen, parts, first_frame, last_frame)
    landed = int(episodes.landed[row, number])
    contact_frame = min(last_frame, landed - begin) if landed else last_frame
    if hit is not None:
        contact_frame = first_frame + round(hit.seconds / STEP)
    paths = np.stack([_path(seen, part, first_frame, last_frame) for part in parts])
    present = paths[0][np.isfinite(paths[0, :, 0])]
    tapped = int(episodes.tapped[row, number])
    return ShotReport(
        number,
        colour,
        first_frame,
        contact_frame,
        last_frame,
        (tapped - released[number]) * STEP if tapped else None,
        paths[:, : contact_frame - first_frame + 1],
        hit,
        (float(present[-1, 0]), float(present[-1, 1])),
        _deaths(episodes, row, seen, first_frame, last_frame, is_last=number + 1 == used),
        _moved(seen, first_frame, last_frame),
        _nearest(seen, parts, first_frame, last_frame),
    )


def _path(seen: Motion, part: int, first: int, last: int) -> np.ndarray:
    """Places [frames, 2] of the centre of a bird or egg."""
    one = seen.objects[part]
    offset = centre_offset(one.name) if one.kind == "bird" else (0.0, 0.0)
    return np.asarray(seen.poses[first : last + 1, part, :2] + np.array(offset))


def _parts(objects: Sequence[GameObject], bird: int, colour: str, spawned: int) -> list[int]:
    """A bird, and the split birds and eggs that can be its own: all of its colour."""
    own = [k for k in range(spawned, len(objects)) if objects[k].kind == "egg" or objects[k].name == colour]
    return [bird, *own]


def _at(seen: Motion, number: int, frame: int) -> GameObject:
    """An object in a frame; where it is absent, as it was last."""
    poses = seen.poses[: frame + 1, number]
    there = np.flatnonzero(np.isfinite(poses[:, 0]))
    x, y, turn = poses[there[-1] if len(there) else 0].tolist()
    return replace(seen.objects[number], x=x, y=y, rotation=float(np.degrees(turn)))


def _first_hit(episodes: Episodes, row: int, seen: Motion, parts: Sequence[int], first: int, last: int) -> Hit | None:
    objects, bodies = objects_and_bodies(episodes.worlds[episodes.level_of[row]])
    number_of = {int(body): number for number, body in enumerate(bodies)}
    begin = int(episodes.start[row])
    own = {int(bodies[part]) for part in parts}
    found = episodes.events[(episodes.events["episode"] == row) & (episodes.events["kind"] == "hit")]
    for event in found:
        frame = int(event["step"]) - begin
        pair = [int(event["body"]), int(event["other"])]
        if not first < frame <= last or not own & set(pair):
            continue
        bird, other = pair if pair[0] in own else reversed(pair)
        number = number_of.get(other)
        x, y = event["point"].tolist()
        return Hit(
            (frame - first) * STEP,
            (x, y),
            float(event["speed"]),
            objects[number_of[bird]],
            None if number is None else _at(seen, number, frame - 1),
        )
    return None


def _deaths(episodes: Episodes, row: int, seen: Motion, first: int, last: int, is_last: bool) -> tuple[Death, ...]:
    objects, bodies = objects_and_bodies(episodes.worlds[episodes.level_of[row]])
    number_of = {int(body): number for number, body in enumerate(bodies)}
    begin = int(episodes.start[row])
    found = []
    for number, body in enumerate(bodies.tolist()):
        step = int(episodes.died[row, body])
        frame = step - begin
        if not step or objects[number].kind not in ("pig", "block", "tnt") or frame < first:
            continue
        if frame >= last and not is_last:
            continue
        killer = int(episodes.killed_by[row, body])
        cause = number_of.get(killer)
        found.append(
            Death(
                (frame - first) * STEP,
                _at(seen, number, first),
                None if cause is None else objects[cause],
                killer == NOT_KILLED,
                bool(episodes.killed_by_explosion[row, body]),
            )
        )
    return tuple(sorted(found, key=lambda death: (death.seconds, death.victim.number)))


def _moved(seen: Motion, first: int, last: int) -> tuple[Moved, ...]:
    found = []
    for number, one in enumerate(seen.objects):
        if one.kind in ("pig", "block", "tnt") and np.isfinite(seen.poses[[first, last], number, 0]).all():
            change = Moved(_at(seen, number, first), _at(seen, number, last))
            if change.distance > MOVED:
                found.append(change)
    return tuple(sorted(found, key=lambda change: (-change.distance, change.before.number)))


def _nearest(seen: Motion, parts: Sequence[int], first: int, last: int) -> Miss | None:
    """The nearest that a part of the bird came to a pig that is alive at the end."""
    best = None
    for number, one in enumerate(seen.objects):
        if one.kind != "pig" or not np.isfinite(seen.poses[last, number, 0]):
            continue
        for part in parts:
            places = _path(seen, part, first, last)
            apart = np.hypot(*(places - seen.poses[first : last + 1, number, :2]).T)
            if not np.isfinite(apart).any():
                continue
            at = int(np.nanargmin(apart))
            gap = max(0.0, float(apart[at]) - radius(seen.objects[part]) - radius(one))
            if best is None or gap < best.distance:
                x, y = places[at].tolist()
                best = Miss(_at(seen, number, first + at), gap, (x, y), at * STEP)
    return best
