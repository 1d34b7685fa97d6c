"""A set: some bodies, how they move in a target video and four references, and how they would move if one differed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from tumble.comphy.tasks.body import HEAVY, LIGHT, Body
from tumble.comphy.tasks.motion import Motion

Family = Literal["mass", "charge", "both"]
Change = Literal["heavier", "lighter", "uncharged", "opposite"]
FAMILIES: tuple[Family, ...] = get_args(Family)
CHANGES: tuple[Change, ...] = get_args(Change)


@dataclass(frozen=True)
class Alteration:
    """One property of one body, changed."""

    body: int
    change: Change

    def apply(self, bodies: tuple[Body, ...]) -> tuple[Body, ...]:
        """The bodies with the change made."""
        return tuple(_changed(own, self.change) if k == self.body else own for k, own in enumerate(bodies))


@dataclass(frozen=True, eq=False)
class Reference:
    """A short video of some of the target's bodies."""

    members: tuple[int, ...]
    """Which of the set's bodies; the motion's columns are in this order."""
    motion: Motion


@dataclass(frozen=True, eq=False)
class VideoSet:
    """A target video and its references, with all that is true of them."""

    index: int
    seed: int
    family: Family
    bodies: tuple[Body, ...]
    target: Motion
    """TARGET_FRAMES frames, of which SHOWN_FRAMES are shown."""
    references: tuple[Reference, ...]
    altered: Mapping[Alteration, Motion]
    """The target's shown frames again, from the same start, for every change that can be asked for."""


def asks_masses(bodies: tuple[Body, ...]) -> bool:
    """Whether masses are asked about: some body is heavy or none is charged."""
    return any(body.is_heavy for body in bodies) or not any(body.is_charged for body in bodies)


def alterations(bodies: tuple[Body, ...]) -> tuple[Alteration, ...]:
    """Every change that makes sense: light bodies heavier, heavy ones lighter, charged ones uncharged or opposite.

    Masses are only asked about where `asks_masses`.
    """
    found: list[Alteration] = []
    for k, body in enumerate(bodies):
        if asks_masses(bodies):
            found.append(Alteration(k, "lighter" if body.is_heavy else "heavier"))
        if body.is_charged:
            found += [Alteration(k, "uncharged"), Alteration(k, "opposite")]
    return tuple(found)


def _changed(body: Body, change: Change) -> Body:
    if change == "heavier":
        return replace(body, mass=HEAVY)
    if change == "lighter":
        return replace(body, mass=LIGHT)
    return replace(body, charge=0 if change == "uncharged" else -body.charge)
