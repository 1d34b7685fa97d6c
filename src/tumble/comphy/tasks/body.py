"""A body of a set: its visible attributes and its hidden properties."""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.comphy.tasks.world import ALL_SHAPES, PLAIN, ObjectWorld, world_of
from tumble.errors import TumbleError

COLORS, MATERIALS, SHAPES = PLAIN.colors, PLAIN.materials, PLAIN.shapes
"""Of the plain world."""
LIGHT, HEAVY = 1, 5
MASSES = {"light": LIGHT, "heavy": HEAVY}
CHARGES = {"negative": -1, "neutral": 0, "positive": 1}


class BodyError(TumbleError):
    """An unknown colour, material, shape, form, mass or charge."""


@dataclass(frozen=True)
class Body:
    """A body. No two bodies of a set have the same colour, material and shape; mass and charge are hidden.

    >>> body = Body("red", "metal", "cube", mass=HEAVY)
    >>> str(body), body.is_heavy, body.is_charged
    ('red metal cube', True, False)
    """

    color: str
    material: str
    shape: str
    mass: int = LIGHT
    charge: int = 0
    form: int = 0
    """Which variation of its shape it is; it can be seen, but no word tells it."""

    def __post_init__(self) -> None:
        _check_known("shape", self.shape, ALL_SHAPES)
        _check_known("colour", self.color, self.world.colors)
        _check_known("material", self.material, self.world.materials)
        if type(self.form) is not int or not 0 <= self.form < self.world.forms:
            raise BodyError(f"no form {self.form!r} of a {self.shape}; there are {self.world.forms}, from 0 on")
        _check_known("mass", self.mass, tuple(MASSES.values()))
        _check_known("charge", self.charge, tuple(CHARGES.values()))

    @property
    def appearance(self) -> tuple[str, str, str]:
        """Its visible attributes: colour, material and shape."""
        return self.color, self.material, self.shape

    @property
    def world(self) -> ObjectWorld:
        """The world that it belongs to."""
        return world_of(self.shape)

    @property
    def is_charged(self) -> bool:
        """Whether it has a charge of either sign."""
        return self.charge != 0

    @property
    def is_heavy(self) -> bool:
        """Whether it is heavy."""
        return self.mass == HEAVY

    def __str__(self) -> str:
        return " ".join(self.appearance)


def world_of_bodies(bodies: Sequence[Body]) -> ObjectWorld:
    """The world of some bodies, which must be the same for all; the plain one if there are none."""
    worlds = {body.world for body in bodies} or {PLAIN}
    if len(worlds) > 1:
        raise BodyError(f"bodies of different worlds: {', '.join(map(str, bodies))}")
    return worlds.pop()


def _check_known(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        raise BodyError(f"no {name} {value!r}; there are {', '.join(map(str, known))}")
