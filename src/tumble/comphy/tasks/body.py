"""A body of a set: its visible attributes and its hidden properties."""

from dataclasses import dataclass

from tumble.errors import TumbleError

COLORS = ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow")
MATERIALS = ("rubber", "metal")
SHAPES = ("cube", "sphere", "cylinder")
LIGHT, HEAVY = 1, 5
MASSES = {"light": LIGHT, "heavy": HEAVY}
CHARGES = {"negative": -1, "neutral": 0, "positive": 1}


class BodyError(TumbleError):
    """An unknown colour, material, shape, mass or charge."""


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

    def __post_init__(self) -> None:
        _check_known("colour", self.color, COLORS)
        _check_known("material", self.material, MATERIALS)
        _check_known("shape", self.shape, SHAPES)
        _check_known("mass", self.mass, tuple(MASSES.values()))
        _check_known("charge", self.charge, tuple(CHARGES.values()))

    @property
    def appearance(self) -> tuple[str, str, str]:
        """Its visible attributes: colour, material and shape."""
        return self.color, self.material, self.shape

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


def _check_known(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        raise BodyError(f"no {name} {value!r}; there are {', '.join(map(str, known))}")
