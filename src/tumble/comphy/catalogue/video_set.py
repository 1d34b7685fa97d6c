"""A set: some bodies on a stage, their motion in a target video and four references, and in counterfactual worlds."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from tumble.checks import whole_number
from tumble.comphy.catalogue.body import HEAVY, LIGHT, Body, Motion
from tumble.draws import Draws
from tumble.errors import TumbleError

FLOORS = ("planks", "marble", "concrete", "tiles", "carpet", "sand", "cloth", "metal", "grass")
LIGHTS = ("window", "lamp", "sky")
SEEDS = 1_000_000
"""Seeds of stages are below this."""


class StageError(TumbleError):
    """An unknown floor or light."""


@dataclass(frozen=True)
class Stage:
    """What the objects of a set stand on, and how they are lit. It has no effect on motion."""

    floor: str
    light: str
    seed: int = 0
    """Decides its colours, its pattern and where the light is."""

    def __post_init__(self) -> None:
        for name, value, known in (("floor", self.floor, FLOORS), ("light", self.light, LIGHTS)):
            if value not in known:
                raise StageError(f"no {name} {value!r}; there are {', '.join(known)}")
        whole_number("the seed of a stage", self.seed, 0, SEEDS - 1, StageError)


def draw_stage(draws: Draws) -> Stage:
    """A stage; all floors and lights are equally likely.

    >>> draw_stage(Draws("stage 1")) == draw_stage(Draws("stage 1"))
    True
    """
    return Stage(draws.one_of(FLOORS), draws.one_of(LIGHTS), draws.one_of(range(SEEDS)))


Family = Literal["mass", "charge", "both"]
"""Which hidden properties a set is about."""
Change = Literal["heavier", "lighter", "uncharged", "opposite"]
FAMILIES: tuple[Family, ...] = get_args(Family)
CHANGES: tuple[Change, ...] = get_args(Change)


WorldKey = tuple[tuple[int, ...], tuple[int, ...]]
"""Masses, and the products of the charges of all pairs: worlds of the same bodies that agree in these move alike."""
Pair = tuple[int, int]
"""Indices of two bodies, first < second."""


class FamilyError(TumbleError):
    """An unknown family of sets."""


@dataclass(frozen=True)
class Alteration:
    """A counterfactual change: one property of one body."""

    body: int
    change: Change

    def apply(self, bodies: tuple[Body, ...]) -> tuple[Body, ...]:
        """The bodies after the change."""
        return tuple(_changed(body, self.change) if k == self.body else body for k, body in enumerate(bodies))


@dataclass(frozen=True, eq=False)
class Reference:
    """A short video of some of the target's bodies."""

    members: tuple[int, ...]
    """Indices of the set's bodies; the motion's columns are in this order."""
    motion: Motion


@dataclass(frozen=True, eq=False)
class VideoSet:
    """A target video and its references, with the ground truth."""

    index: int
    seed: int
    family: Family
    bodies: tuple[Body, ...]
    target: Motion
    """TARGET_FRAMES frames, of which SHOWN_FRAMES are shown."""
    references: tuple[Reference, ...]
    altered: Mapping[Alteration, Motion]
    """Motion from the target's start in the shown frames, for each change that questions can be about."""
    undetermined: Mapping[Alteration | None, frozenset[Pair]] = field(default_factory=dict)
    """Pairs of which the videos don't tell whether they would collide after a change, or (None) after the shown frames:
    something out of view decides it, or less than a camera can measure. Nothing is asked about them."""
    stage: Stage | None = None
    """None in the plain world."""


def named_family(name: str) -> Family:
    """The family of this name.

    >>> named_family("mass")
    'mass'
    """
    family = next((family for family in FAMILIES if family == name), None)
    if family is None:
        raise FamilyError(f"no family {name!r}; there are {', '.join(FAMILIES)}")
    return family


def asks_about_mass(bodies: tuple[Body, ...]) -> bool:
    """Whether questions may be about masses: some body is heavy, or none is charged."""
    return any(body.is_heavy for body in bodies) or not any(body.is_charged for body in bodies)


def alterations(bodies: tuple[Body, ...]) -> tuple[Alteration, ...]:
    """Every change that questions can be about: light bodies heavier, heavy ones lighter, charges removed or negated.

    >>> alterations((Body("red", "metal", "cube", mass=HEAVY), Body("blue", "rubber", "sphere")))
    (Alteration(body=0, change='lighter'), Alteration(body=1, change='heavier'))
    """
    changes: list[Alteration] = []
    for k, body in enumerate(bodies):
        changes.append(Alteration(k, "lighter" if body.is_heavy else "heavier"))
        if body.is_charged:
            changes += [Alteration(k, "uncharged"), Alteration(k, "opposite")]
    return tuple(changes)


def distinct_worlds(bodies: tuple[Body, ...]) -> tuple[tuple[Alteration, ...], ...]:
    """The alterations, grouped by the world that they lead to.

    Only masses and products of charges matter for motion: of two charged bodies it makes no difference which one is
    uncharged.
    """
    groups: dict[object, list[Alteration]] = {}
    for change in alterations(bodies):
        groups.setdefault(world_key(change.apply(bodies)), []).append(change)
    return tuple(map(tuple, groups.values()))


def world_key(bodies: tuple[Body, ...]) -> WorldKey:
    """What motion from a given start depends on, besides shapes."""
    charges = [body.charge for body in bodies]
    products = (one * other for k, one in enumerate(charges) for other in charges[k + 1 :])
    return tuple(body.mass for body in bodies), tuple(products)


def _changed(body: Body, change: Change) -> Body:
    if change == "heavier":
        return replace(body, mass=HEAVY)
    if change == "lighter":
        return replace(body, mass=LIGHT)
    return replace(body, charge=0 if change == "uncharged" else -body.charge)
