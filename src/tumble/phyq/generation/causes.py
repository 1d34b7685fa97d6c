"""What happened to the bodies of an episode: contacts by name, and what killed what."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.game import layout
from tumble.phyq.simulation.world import LevelWorld
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.rule import EXPLOSION, FALL

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
        return np.array([member.kind == layout.FIXED for member in self.world.members])


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
