"""Whether episodes follow the rule of their template, from contacts by name and what killed what.

>>> from tumble.phyq.generation.solutions import solution
>>> from tumble.phyq.catalogue.templates import template
>>> design = template("3.2")
>>> design.rule is not None
True
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.rule import (
    EXPLOSION,
    FALL,
    Destroy,
    Event,
    Kill,
    Move,
    Names,
    Release,
    Rule,
    Tap,
    Topple,
    Touch,
    as_names,
)
from tumble.phyq.catalogue.template import Template
from tumble.phyq.simulation import game_layout
from tumble.phyq.simulation.episodes import EpisodeError, Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.simulation.world import LevelWorld

EXPLODING = ("egg", "tnt")
"""Bodies that only kill by exploding, so that their name also stands for their explosion."""


@dataclass(frozen=True)
class Cause:
    """What ended the life of a body."""

    step: int
    contact: int | None
    """The body of the contact, or of the explosion; None if the body left the world."""
    by: int | None
    """The body that is made responsible: that of the contact, or the last movable one that touched before, if the
    contact is with a fixed body; None for a fall."""
    by_explosion: bool = False


class EpisodeRecord:
    """One episode that was played with want=("events",), with the names of its bodies.

    `base` is the level of the template, whose pieces come first in the episode's level; the others are distractors.
    """

    def __init__(self, episodes: Episodes, row: int, base: Level) -> None:
        self.episodes, self.row, self.base = episodes, row, base
        self.world = episodes.worlds[episodes.level_of[row]]
        self.names = body_names(self.world, base)
        first, last = np.searchsorted(episodes.events["episode"], [row, row + 1])
        self.events = episodes.events[first:last]

    @cached_property
    def hits(self) -> np.ndarray:
        """EVENT [n]: contacts that began."""
        return np.asarray(self.events[self.events["kind"] == "hit"])

    def died(self, body: int) -> int:
        """The step in which a body died or left the world; 0 if it did not."""
        return int(self.episodes.died[self.row, body])

    def cause(self, body: int) -> Cause | None:
        """What ended the life of a body; None if it lives."""
        step = self.died(body)
        if not step:
            return None
        killer = int(self.episodes.killed_by[self.row, body])
        if self.episodes.killed_by_explosion[self.row, body]:
            return Cause(step, killer, killer, by_explosion=True)
        if killer >= 0 and not self._is_fixed[killer]:
            return Cause(step, killer, killer)
        return Cause(step, killer if killer >= 0 else None, self.last_toucher(body, step))

    def last_toucher(self, body: int, step: int) -> int | None:
        """The movable body whose contact with a body was the last to begin until a step."""
        a, b = self.hits["body"], self.hits["other"]
        other = np.where(a == body, b, a)
        touching = ((a == body) | (b == body)) & (self.hits["step"] <= step) & ~self._is_fixed[other]
        return int(other[touching][-1]) if touching.any() else None

    def cause_names(self, body: int) -> tuple[str, ...]:
        """The names under which the cause of a body's death counts; empty if it lives."""
        cause = self.cause(body)
        if cause is None:
            return ()
        if cause.by is None:
            return (FALL,)
        name = self.names[cause.by]
        if not cause.by_explosion:
            return (name,)
        return (EXPLOSION, name) if self.world.members[cause.by].role in EXPLODING else (EXPLOSION,)

    @cached_property
    def _is_fixed(self) -> np.ndarray:
        return np.array([member.kind == game_layout.FIXED for member in self.world.members])


@lru_cache(maxsize=4096)
def body_names(world: LevelWorld, base: Level) -> tuple[str, ...]:
    """The name of every body of a world, as rules use them; those of distractors have no number."""
    own = {"block": len(base.blocks), "platform": len(base.platforms)}
    names = []
    for member in world.members:
        if member.number >= own.get(member.role, member.number + 1):
            names.append("distractor")
        elif member.role == "ground":
            names.append("ground")
        else:
            names.append(f"{member.role.replace('_', ' ')} {member.number}")
    return tuple(names)


def is_named(name: str, wanted: str) -> bool:
    """Whether a body's name is the wanted one, or of the wanted kind."""
    return name == wanted or name.rpartition(" ")[0] == wanted


STRIDE = 5
"""Steps between the poses that are kept for events of motion."""
MOST_REPLAYED = 512
"""Episodes that are played again in one batch, whose contacts and poses are in memory together."""

Span = tuple[int, int]
"""The first and the last step in which an event may have occurred."""


@dataclass(frozen=True)
class Verdict:
    """Whether an episode follows a rule, and if not, which event is missing, or occurred though it must not."""

    missing: Event | None = None
    forbidden: Event | None = None
    steps: tuple[tuple[int, ...], ...] = ()
    """The steps of the events that were found, for each sequence of the rule."""

    @property
    def followed(self) -> bool:
        """Whether the rule is followed."""
        return self.missing is None and self.forbidden is None

    def __str__(self) -> str:
        if self.missing is not None:
            return f"not followed: missing is that {self.missing}"
        return "followed" if self.forbidden is None else f"not followed, because {self.forbidden}"


def follows(rule: Rule, base: Level, episodes: Episodes, row: int) -> Verdict:
    """Whether an episode follows a rule about the pieces of the level `base`, to which distractors were added.

    The episodes need want=("events",), and "trajectory" too if the rule needs motion.
    """
    if rule.needs_motion and not len(episodes.frames):
        raise EpisodeError('the rule needs motion: play with want=("events", "trajectory")')
    record = EpisodeRecord(episodes, row, base)
    steps: list[tuple[int, ...]] = []
    for sequence in rule.sequences:
        found, missing = _match(sequence, record)
        steps.append(found)
        if missing is not None:
            return Verdict(missing=missing, steps=tuple(steps))
    deaths = [record.died(int(body)) for body in record.world.of_role("pig")]
    end = max(deaths) if all(deaths) else int(episodes.steps[row])
    for event in rule.never:
        if any(first <= end for first, _ in occurrences(event, record)):
            return Verdict(forbidden=event, steps=tuple(steps))
    return Verdict(steps=tuple(steps))


def _match(sequence: tuple[Event, ...], record: EpisodeRecord) -> tuple[tuple[int, ...], Event | None]:
    """The earliest steps in which the events of a sequence occur in order, and the first one that does not."""
    steps: list[int] = []
    now = 0
    for event in sequence:
        later = [max(now, first) for first, last in occurrences(event, record) if last >= now]
        if not later:
            return tuple(steps), event
        now = min(later)
        steps.append(now)
    return tuple(steps), None


def occurrences(event: Event, record: EpisodeRecord) -> list[Span]:
    """The steps in which an event occurs in an episode."""
    if isinstance(event, Touch):
        a, b = (_bodies(names, record) for names in (event.a, event.b))
        hits = record.hits
        first, second = hits["body"], hits["other"]
        touching = (a[first] & b[second]) | (a[second] & b[first])
        return [(step, step) for step in hits["step"][touching].tolist()]
    if isinstance(event, Kill | Destroy):
        victims = event.pig if isinstance(event, Kill) else event.block
        return [
            (step, step)
            for body in np.flatnonzero(_bodies(victims, record)).tolist()
            if (step := record.died(body)) and _is_cause(event.by, record.cause_names(body))
        ]
    if isinstance(event, Move | Topple):
        found = (_motion(event, body, record) for body in np.flatnonzero(_bodies(event.body, record)).tolist())
        return [span for span in found if span is not None]
    kind = "tap" if isinstance(event, Tap) else "release"
    assert isinstance(event, Tap | Release)
    of_kind = record.events[record.events["kind"] == kind]
    return [(step, step) for step in of_kind["step"][_bodies(event.bird, record)[of_kind["body"]]].tolist()]


def _is_cause(by: Names | None, causes: tuple[str, ...]) -> bool:
    return by is None or any(is_named(cause, wanted) for cause in causes for wanted in as_names(by))


def _bodies(names: Names, record: EpisodeRecord) -> np.ndarray:
    """bool [bodies]: the bodies that are meant."""
    wanted = as_names(names)
    return np.array([any(is_named(name, one) for one in wanted) for name in record.names])


def _motion(event: Move | Topple, body: int, record: EpisodeRecord) -> Span | None:
    """The steps in which a body has moved or turned far enough: between two frames, or when it is destroyed."""
    episodes, row = record.episodes, record.row
    frames = episodes.frames + int(episodes.start[row])
    poses = episodes.poses[row, :, body].astype(float)
    if isinstance(event, Move):
        reached = np.hypot(*(poses[:, :2] - poses[0, :2]).T) >= event.by
    else:
        reached = np.abs(poses[:, 2] - poses[0, 2]) >= np.radians(event.degrees)
    if reached.any():
        k = int(np.argmax(reached))
        return int(frames[k - 1]) + 1 if k else int(frames[0]), int(frames[k])
    died = record.died(body)
    return (died, died) if died and isinstance(event, Move) else None


def following(
    design: Template, simulator: Simulator, level_of: Sequence[int], shots: Sequence[Sequence[Shot]]
) -> np.ndarray:
    """bool [episodes]: whether sequences of shots follow the template's rule; all do if it has none."""
    followed = np.ones(len(shots), bool)
    rule = design.rule
    if rule is None:
        return followed
    want = ("events", "trajectory") if rule.needs_motion else ("events",)
    for first in range(0, len(shots), MOST_REPLAYED):
        part = slice(first, first + MOST_REPLAYED)
        episodes = simulator.play(level_of[part], shots[part], want, STRIDE)
        followed[part] = [follows(rule, design.base, episodes, row).followed for row in range(len(episodes))]
    return followed


def wins_by_rule(
    design: Template, simulator: Simulator, level_of: Sequence[int], shots: Sequence[Sequence[Shot]]
) -> np.ndarray:
    """bool [episodes]: whether sequences of shots win and follow the template's rule."""
    return wins_that_follow(design, simulator, level_of, shots, simulator.play(level_of, shots).won)


def wins_that_follow(
    design: Template,
    simulator: Simulator,
    level_of: Sequence[int],
    shots: Sequence[Sequence[Shot]],
    won: np.ndarray,
) -> np.ndarray:
    """bool [episodes]: which of the sequences that win follow the template's rule; only they are played again."""
    result = np.array(won)
    rows = np.flatnonzero(won).tolist()
    if rows and design.rule is not None:
        result[rows] = following(design, simulator, [level_of[k] for k in rows], [shots[k] for k in rows])
    return result
