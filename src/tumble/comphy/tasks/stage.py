"""The stage of a set: its floor and its light."""

from dataclasses import dataclass

from tumble.checks import whole_number
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
