"""Results of episodes: levels played with sequences of shots, or left alone until they rest."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tumble import engine
from tumble.engine.rollout.snapshots import HEADER_STEP
from tumble.errors import TumbleError
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.physics import STEP, UNUSED_BIRD_SCORE
from tumble.phyq.simulation import game_layout
from tumble.phyq.simulation.world import LevelWorld

STATUS = {
    game_layout.WON: "won",
    game_layout.LOST: "lost",
    game_layout.CAPPED: "cap",
    game_layout.OPEN: "open",
    game_layout.SETTLED: "open",
    game_layout.STOPPED: "open",
}
"""cap: birds and time ran out while objects still moved; open: birds are left, but no more shots were given."""

EVENT = np.dtype(
    [
        ("episode", np.int32),
        ("step", np.int32),
        ("kind", "U7"),
        ("body", np.int32),
        ("other", np.int32),
        ("point", np.float32, 2),
        ("speed", np.float32),
    ]
)
"""Kinds: release, tap, hit, death, gone, end. A hit has two bodies, a point and the approach speed; a death is that of
a pig, block or TNT, and `other` what killed it (`Episodes.killed_by`); gone is the removal of a bird or egg; an end has
no body (-1)."""

NOT_KILLED = -1
"""In `Episodes.killed_by`: alive, or gone because it left the world."""


class EpisodeError(TumbleError):
    """Data of an episode that was not kept, or that does not exist."""


@dataclass(frozen=True)
class Episodes:
    """Results of a batch of episodes, one row for each.

    Steps count from the loading of the level, 50 per second; 0 means never.
    """

    worlds: tuple[LevelWorld, ...]
    """The worlds of the levels that were played."""
    level_of: np.ndarray
    """int [episodes]: the index of the episode's level in `worlds`."""
    status: np.ndarray
    """str [episodes]: won, lost, cap or open."""
    steps: np.ndarray
    """int [episodes]: the last step."""
    pigs_left: np.ndarray
    """int [episodes]."""
    shots_used: np.ndarray
    """int [episodes]."""
    score: np.ndarray
    """int [episodes]: points of the game, which Phy-Q does not use."""
    start: np.ndarray
    """int [episodes]: the step in which the level was ready for the first bird."""
    released: np.ndarray
    """int [episodes, shots]: the step of the release."""
    tapped: np.ndarray
    """int [episodes, shots]: the step in which the bird's power was used."""
    landed: np.ndarray
    """int [episodes, shots]: the step in which the flight ended, by a contact, a removal, or a white bird's egg."""
    kills: np.ndarray
    """int [episodes, shots]: pigs that died from this release until the next."""
    died: np.ndarray
    """int [episodes, bodies]: the step in which a body died, exploded or left the world."""
    killed_by: np.ndarray
    """int [episodes, bodies]: the body whose contact or explosion ended a life; NOT_KILLED where none did."""
    killed_by_explosion: np.ndarray
    """bool [episodes, bodies]: whether it was the explosion of that body."""
    frames: np.ndarray
    """int [frames]: steps after the start at which poses were kept."""
    poses: np.ndarray
    """float32 [episodes, frames, bodies, (x, y, angle)], NaN where a body is absent and after the end."""
    events: np.ndarray
    """EVENT [n], ordered by episode and step."""
    states: engine.States | None = None
    """The state of the worlds at the end."""
    verdicts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int8))
    """int8 [episodes]: verdicts of the rule, more finely divided than `status`."""

    def __len__(self) -> int:
        return len(self.status)

    @property
    def won(self) -> np.ndarray:
        """bool [episodes]."""
        return np.asarray(self.status == "won")

    @property
    def seconds(self) -> np.ndarray:
        """float [episodes]: the duration, from when the level was ready."""
        return np.asarray((self.steps - self.start) * STEP)

    @property
    def stopped(self) -> np.ndarray:
        """bool [episodes]: ended by `stop_after`, before the level was over or at rest."""
        return np.asarray(self.verdicts == game_layout.STOPPED)

    def states_to_continue(self) -> tuple[np.ndarray, engine.States]:
        """bool [episodes]: which can continue with a further shot from where they ended, and the states; "states" only.

        An episode at rest ends up to a second after the moment in which the next bird would have been launched. Nothing
        has changed since then in those that can continue, and their states are of that moment.
        """
        if self.states is None:
            raise EpisodeError('no end states were kept: play with want=("states",)')
        outputs = self.states.output_ints
        ready = np.where(self.stopped, self.steps, outputs[:, game_layout.NEXT_READY])
        bodies = of_levels(self.worlds, self.level_of, lambda world: len(world.members))
        birds = of_levels(self.worlds, self.level_of, lambda world: len(world.level.birds))
        kills = game_layout.BODY_OUTPUTS + bodies * game_layout.OUTPUTS_PER_BODY + game_layout.KILLS
        column = np.arange(outputs.shape[1])
        is_shot = column >= (kills - game_layout.KILLS)[:, None]
        is_kill = is_shot & ((column - kills[:, None]) % game_layout.OUTPUTS_PER_SHOT == 0)
        is_step = (column >= game_layout.BODY_OUTPUTS) & ~is_kill
        unchanged = (np.where(is_step, outputs, 0) <= ready[:, None]).all(axis=1)
        can = (self.status == "open") & (ready > 0) & unchanged & (outputs[:, game_layout.RELEASED] < birds)
        headers = self.states.headers.copy()
        headers[can, HEADER_STEP] = ready[can]
        return can, replace(self.states, headers=headers)

    def final_poses(self) -> np.ndarray:
        """float32 [episodes, bodies, (x, y, angle)]: poses at the end; needs want=("states",)."""
        return self._poses_at_end

    def final_lives(self) -> np.ndarray:
        """float32 [episodes, bodies]: lives at the end, infinite for bodies without life; needs want=("states",)."""
        return self._lives_at_end

    @cached_property
    def _poses_at_end(self) -> np.ndarray:
        return self._final("poses")

    @cached_property
    def _lives_at_end(self) -> np.ndarray:
        return self._final("body_scratch")

    def _final(self, field: str) -> np.ndarray:
        if self.states is None:
            raise EpisodeError('no end states were kept: play with want=("states",)')
        values = np.asarray(getattr(self.states, field))
        bodies = self.died.shape[1]
        missing = np.nan if field == "poses" else np.inf
        result = np.full((len(self), bodies, *values.shape[2:]), missing, np.float32)
        for k in np.unique(self.level_of).tolist():
            world = self.worlds[k]
            rows = np.flatnonzero(self.level_of == k)
            result[np.ix_(rows, world.dynamic)] = values[rows][:, : len(world.dynamic)]
            if field == "poses":
                fixed = np.setdiff1d(np.arange(len(world.members)), world.dynamic)
                bodies_fixed = [world.scene.bodies[b] for b in fixed]
                result[np.ix_(rows, fixed)] = [(*body.position, body.angle) for body in bodies_fixed]
        return result


def of_levels(worlds: tuple[LevelWorld, ...], level_of: np.ndarray, number: Callable[[LevelWorld], int]) -> np.ndarray:
    """int [episodes]: a number of each episode's level."""
    used, row_of = np.unique(level_of, return_inverse=True)
    return np.array([number(worlds[level]) for level in used.tolist()], int)[row_of]


def episodes_of(
    worlds: tuple[LevelWorld, ...], level_of: np.ndarray, rollouts: engine.Rollouts, shots: int, most: int
) -> Episodes:
    """Episodes from the outputs of the rule in rollouts, with arrays for at `most` this number of bodies."""
    outputs = rollouts.output_ints
    bodies = of_levels(worlds, level_of, lambda world: len(world.members))
    birds = of_levels(worlds, level_of, lambda world: len(world.level.birds))
    begin = game_layout.BODY_OUTPUTS + bodies * game_layout.OUTPUTS_PER_BODY
    columns = begin[:, None] + np.arange(shots * game_layout.OUTPUTS_PER_SHOT)
    of_shots = np.take_along_axis(outputs, columns, axis=1).reshape(len(outputs), shots, game_layout.OUTPUTS_PER_SHOT)
    of_bodies = outputs[:, game_layout.BODY_OUTPUTS : game_layout.BODY_OUTPUTS + most * game_layout.OUTPUTS_PER_BODY]
    of_bodies = of_bodies.reshape(len(outputs), most, game_layout.OUTPUTS_PER_BODY)
    is_body = np.arange(most) < bodies[:, None]
    died = np.where(is_body, of_bodies[..., game_layout.REMOVED], 0)
    cause = np.where(is_body, of_bodies[..., game_layout.KILLED_BY], 0)
    won = rollouts.verdicts == game_layout.WON
    unused = np.where(won, birds - outputs[:, game_layout.RELEASED], 0)
    names = np.array([STATUS.get(verdict, "cap") for verdict in range(128)], "U4")
    last = int(np.isfinite(rollouts.poses[..., 0]).any(axis=(0, 2)).sum()) if rollouts.poses.size else 0
    episodes = Episodes(
        worlds=worlds,
        level_of=level_of,
        status=names[rollouts.verdicts],
        steps=rollouts.steps,
        pigs_left=outputs[:, game_layout.PIGS],
        shots_used=outputs[:, game_layout.RELEASED],
        score=outputs[:, game_layout.SCORE] + UNUSED_BIRD_SCORE * unused,
        start=np.zeros(len(outputs), np.int32),
        released=of_shots[..., game_layout.SHOT_AT],
        tapped=of_shots[..., game_layout.TAPPED],
        landed=of_shots[..., game_layout.LANDED],
        kills=of_shots[..., game_layout.KILLS],
        died=died,
        killed_by=np.abs(cause) - 1,
        killed_by_explosion=cause < 0,
        frames=rollouts.frames[:last],
        poses=rollouts.poses[:, :last],
        events=np.zeros(0, EVENT),
        states=rollouts.states,
        verdicts=rollouts.verdicts,
    )
    return episodes


def events_of(episodes: Episodes, contacts: np.ndarray) -> np.ndarray:
    """EVENT [n]: contacts that began, releases, taps, deaths and ends, ordered by episode and step."""
    parts = []
    hits = contacts[contacts["begin"]]
    found = np.zeros(len(hits), EVENT)
    found["episode"], found["step"], found["kind"] = hits["world"], hits["step"], "hit"
    found["body"], found["other"] = hits["body_a"], hits["body_b"]
    found["point"], found["speed"] = hits["point"], hits["approach_speed"]
    parts.append(found)
    first_bird = of_levels(episodes.worlds, episodes.level_of, lambda world: world.first_bird)
    for kind, steps in (("release", episodes.released), ("tap", episodes.tapped), ("death", episodes.died)):
        rows, columns = np.nonzero(steps)
        body = columns if kind == "death" else first_bird[rows] + columns
        found = np.zeros(len(rows), EVENT)
        found["episode"], found["step"], found["body"], found["other"] = rows, steps[rows, columns], body, -1
        found["kind"] = np.where((kind == "death") & (body >= first_bird[rows]), "gone", kind)
        if kind == "death":
            found["other"] = episodes.killed_by[rows, body]
        parts.append(found)
    found = np.zeros(len(episodes), EVENT)
    found["episode"], found["step"], found["kind"] = np.arange(len(episodes)), episodes.steps, "end"
    found["body"] = found["other"] = -1
    parts.append(found)
    events = np.concatenate(parts)
    return events[np.lexsort((events["step"], events["episode"]))]


AT_REST_SHIFT = 0.05
"""The largest motion, in units and radians, of a piece that counts as at rest."""
SETTLED_DECIMALS = 5
"""Decimals of settled positions, as in the published levels."""


@dataclass(frozen=True)
class Settling:
    """Motion of levels during some seconds without a shot, one row for each level."""

    at_rest: np.ndarray
    """bool [levels]: all bodies sleep, none is gone, and none moved or turned by more than AT_REST_SHIFT."""
    moved: np.ndarray
    """float [levels]: the largest distance of a body from its start."""
    turned: np.ndarray
    """float [levels]: the largest rotation in radians."""
    awake: np.ndarray
    """int [levels]: bodies that are awake."""
    gone: np.ndarray
    """int [levels]: pieces that died or left the world."""
    worst: np.ndarray
    """int [levels]: the body that moved or turned most."""


def settling_of(worlds: tuple[LevelWorld, ...], states: engine.States) -> Settling:
    """Compares end states of levels with their starts."""
    moved, turned, worst, pieces = [], [], [], []
    for world, poses in zip(worlds, states.poses, strict=True):
        placed = _piece_bodies(world)
        begin = np.array([(*world.scene.bodies[k].position, world.scene.bodies[k].angle) for k in placed])
        shift = np.nan_to_num(np.abs(poses[: len(placed)] - begin.reshape(-1, 3)))
        way, turn = np.hypot(shift[:, 0], shift[:, 1]), shift[:, 2]
        moved.append(way.max(initial=0.0))
        turned.append(turn.max(initial=0.0))
        worst.append(placed[int(np.argmax(np.maximum(way, turn)))])
        pieces.append(len(placed))
    gone = np.array(pieces) - states.present.sum(axis=1)
    awake = states.awake.sum(axis=1)
    still = (np.array(moved) <= AT_REST_SHIFT) & (np.array(turned) <= AT_REST_SHIFT)
    return Settling(
        at_rest=still & (awake == 0) & (gone == 0),
        moved=np.array(moved),
        turned=np.array(turned),
        awake=awake,
        gone=gone,
        worst=np.array(worst, int),
    )


def settled_level(world: LevelWorld, poses: np.ndarray) -> Level:
    """The level with its pieces at the poses [bodies, 3] of its dynamic bodies; pieces that are gone stay unchanged."""
    pieces: dict[str, list[Any]] = {
        "pig": list(world.level.pigs),
        "block": list(world.level.blocks),
        "tnt": list(world.level.tnts),
    }
    for body, (x, y, angle) in zip(_piece_bodies(world), poses.tolist(), strict=False):
        if math.isfinite(x):
            member = world.members[body]
            place = {"x": x, "y": y, "rotation": math.degrees(angle)}
            rounded = {name: round(value, SETTLED_DECIMALS) for name, value in place.items()}
            pieces[member.role][member.number] = replace(pieces[member.role][member.number], **rounded)
    return replace(world.level, pigs=tuple(pieces["pig"]), blocks=tuple(pieces["block"]), tnts=tuple(pieces["tnt"]))


def _piece_bodies(world: LevelWorld) -> list[int]:
    """The dynamic bodies of pieces."""
    return [int(body) for body in world.dynamic if body < world.first_bird]
