"""The physical rule of a template as data: which events must occur in a solution, and in which order.

Bodies are named as in "pig 0", "block 1" and "platform 2", by their index in the template's level; "bird 0" is the
first bird that is shot. Without a number a name means any of them, and a tuple of names any of these. A distractor is
none of the template's blocks and platforms, but "distractor".

>>> rule = Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0")))
>>> str(rule)
'a bird touches block 0, then block 0 kills pig 0'
"""

import re
from dataclasses import dataclass

from tumble.errors import TumbleError
from tumble.phyq.catalogue.level import Level

NUMBERED = ("bird", "pig", "block", "platform", "tnt", "split bird", "egg")
"""Kinds of body that may have a number; that of a split bird or an egg is the number of its bird."""
BODIES = (*NUMBERED, "ground", "distractor")
FALL, EXPLOSION = "fall", "explosion"
CAUSES = (FALL, EXPLOSION)
"""What can kill besides a body: a fall that no body caused by a touch, and any explosion."""

Names = str | tuple[str, ...]


class RuleError(TumbleError):
    """A rule that names a body which the level does not have."""


@dataclass(frozen=True)
class Touch:
    """A contact begins between one of `a` and one of `b`."""

    a: Names
    b: Names

    def __str__(self) -> str:
        return f"{listed(self.a)} touches {listed(self.b)}"


@dataclass(frozen=True)
class Kill:
    """A pig dies, killed by one of `by`.

    The killer is the body of the contact that ended its life. If that is fixed (the ground or a platform), or if the
    pig left the world, it is the last movable body that touched the pig before; "fall" if none did.
    """

    pig: Names
    by: Names | None = None

    def __str__(self) -> str:
        return f"{listed(self.by)} kills {listed(self.pig)}" if self.by else f"{listed(self.pig)} dies"


@dataclass(frozen=True)
class Destroy:
    """A block, or TNT, is destroyed, by one of `by` in the sense of `Kill`."""

    block: Names
    by: Names | None = None

    def __str__(self) -> str:
        return f"{listed(self.by)} destroys {listed(self.block)}" if self.by else f"{listed(self.block)} is destroyed"


@dataclass(frozen=True)
class Move:
    """A body has moved at least a distance `by` from where it stood at the start, or is destroyed."""

    body: Names
    by: float

    def __str__(self) -> str:
        return f"{listed(self.body)} moves by {self.by:g}"


@dataclass(frozen=True)
class Topple:
    """A body has turned by at least some degrees, one way or the other."""

    body: Names
    degrees: float = 45.0

    def __str__(self) -> str:
        return f"{listed(self.body)} turns by {self.degrees:g} degrees"


@dataclass(frozen=True)
class Tap:
    """The power of a bird is used."""

    bird: Names = "bird"

    def __str__(self) -> str:
        return f"{listed(self.bird)} is tapped"


@dataclass(frozen=True)
class Release:
    """A bird is released."""

    bird: Names = "bird"

    def __str__(self) -> str:
        return f"{listed(self.bird)} is released"


Event = Touch | Kill | Destroy | Move | Topple | Tap | Release


@dataclass(frozen=True, init=False)
class Rule:
    """What must happen in a solution: every sequence of events, each in its order, and none of `never`.

    An event of a sequence occurs in the same step as the one before it or later. Events of `never` must not occur
    until the last pig is dead.
    """

    sequences: tuple[tuple[Event, ...], ...]
    never: tuple[Event, ...]

    def __init__(self, *sequences: tuple[Event, ...], never: tuple[Event, ...] = ()) -> None:
        for events in (*sequences, never):
            if not isinstance(events, tuple):
                raise RuleError(f"a sequence of events must be a tuple, as in (Kill('pig 0'),), not {events!r}")
        object.__setattr__(self, "sequences", sequences)
        object.__setattr__(self, "never", never)

    def __str__(self) -> str:
        parts = [", then ".join(map(str, events)) for events in self.sequences]
        return "; ".join([*parts, *(f"never: {event}" for event in self.never)])

    @property
    def events(self) -> tuple[Event, ...]:
        """All events that are named."""
        return (*(event for events in self.sequences for event in events), *self.never)

    @property
    def needs_motion(self) -> bool:
        """Whether some event is about positions and angles of bodies."""
        return any(isinstance(event, Move | Topple) for event in self.events)

    def check(self, level: Level) -> None:
        """Raises a RuleError if a name is none of the level's bodies."""
        counts = {
            "bird": len(level.birds),
            "split bird": len(level.birds),
            "egg": len(level.birds),
            "pig": len(level.pigs),
            "block": len(level.blocks),
            "platform": len(level.platforms),
            "tnt": len(level.tnts),
        }
        for event in self.events:
            for names, others in _named(event):
                for name in as_names(names):
                    kind, number = _parts(name, others)
                    if number is not None and number >= counts[kind]:
                        raise RuleError(f"rule: there is no {name!r}, the level has {counts[kind]} of kind {kind!r}")


def as_names(names: Names) -> tuple[str, ...]:
    """The names as a tuple."""
    return (names,) if isinstance(names, str) else names


def listed(names: Names) -> str:
    """Names as words, as in: block 0, block 1 or a fall."""
    words = [_with_article(name) for name in as_names(names)]
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _with_article(name: str) -> str:
    if name == "ground":
        return "the ground"
    if name[-1].isdigit():
        return name
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _named(event: Event) -> list[tuple[Names, tuple[str, ...]]]:
    """The names in an event, each with those that are allowed besides bodies."""
    if isinstance(event, Touch):
        return [(event.a, ()), (event.b, ())]
    if isinstance(event, Kill | Destroy):
        victim = event.pig if isinstance(event, Kill) else event.block
        return [(victim, ()), *([(event.by, CAUSES)] if event.by is not None else [])]
    return [(event.body if isinstance(event, Move | Topple) else event.bird, ())]


def _parts(name: str, others: tuple[str, ...]) -> tuple[str, int | None]:
    """The kind and the number of a name."""
    found = re.fullmatch(r"([a-z ]+?)(?: (\d+))?", name)
    if found is None or found[1] not in (*BODIES, *others) or (found[2] and found[1] not in NUMBERED):
        known = ", ".join((*BODIES, *others))
        raise RuleError(f"rule: no body {name!r}; there are {known}, the first {len(NUMBERED)} also with a number")
    return found[1], int(found[2]) if found[2] else None
