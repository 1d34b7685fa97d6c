"""What a body of a set is: how it looks, and what cannot be seen of it."""

from dataclasses import dataclass

COLORS = ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow")
MATERIALS = ("rubber", "metal")
SHAPES = ("cube", "sphere", "cylinder")
LIGHT, HEAVY = 1, 5
MASSES = {"light": LIGHT, "heavy": HEAVY}
CHARGES = {"negative": -1, "neutral": 0, "positive": 1}


class BodyError(ValueError):
    """A body with a colour, material, shape, mass or charge that there isn't."""


@dataclass(frozen=True)
class Body:
    """A body: its colour, material and shape, which no other of its set has together, and its hidden properties."""

    color: str
    material: str
    shape: str
    mass: int = LIGHT
    charge: int = 0

    def __post_init__(self) -> None:
        _one_of("colour", self.color, COLORS)
        _one_of("material", self.material, MATERIALS)
        _one_of("shape", self.shape, SHAPES)
        _one_of("mass", self.mass, tuple(MASSES.values()))
        _one_of("charge", self.charge, tuple(CHARGES.values()))

    @property
    def looks(self) -> tuple[str, str, str]:
        """What can be seen of it."""
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
        return " ".join(self.looks)


def _one_of(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        raise BodyError(f"no {name} {value!r}; there are {', '.join(map(str, known))}")
