"""Worlds whose bodies have other friction, restitution and density than the game's: what a wrong model predicts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tumble.draws import Draws
from tumble.errors import TumbleError
from tumble.phyq.simulation.game.layout import FIXED
from tumble.phyq.tasks.pieces import BIRD_COLOURS, MATERIAL_NAMES
from tumble.scene import Body

MATERIAL_KINDS = ("fixed", *MATERIAL_NAMES, "pig", "tnt", *BIRD_COLOURS, "egg")
"""Bodies that have their own constants: ground and platforms, blocks by material, pigs, TNT, birds by colour, eggs."""
PROPERTIES = ("friction", "restitution", "density")
HIGHEST_RESTITUTION = 1.0


class MaterialsError(TumbleError):
    """Factors that make no possible world."""


@dataclass(frozen=True)
class MaterialFactors:
    """Factors on the friction, restitution and density of each of MATERIAL_KINDS; all are 1 in the game.

    A restitution of 0 stays 0. Flights do not depend on any of them, but for the boost and lift of taps.
    """

    factors: tuple[tuple[float, float, float], ...] = ((1.0, 1.0, 1.0),) * len(MATERIAL_KINDS)

    def __post_init__(self) -> None:
        if len(self.factors) != len(MATERIAL_KINDS) or any(len(own) != len(PROPERTIES) for own in self.factors):
            raise MaterialsError(f"give {len(PROPERTIES)} factors for each of {len(MATERIAL_KINDS)} kinds of body")
        if not all(0.0 < factor < 100.0 for own in self.factors for factor in own):
            raise MaterialsError("factors must be numbers above 0 and below 100")

    def changed(self, body: Body, role: str, kind: int, type_: int) -> Body:
        """The body of a level with its friction, restitution and density multiplied; arguments as of `Member`."""
        friction, restitution, density = self.factors[MATERIAL_KINDS.index(_kind_name(role, kind, type_))]
        return replace(
            body,
            friction=body.friction * friction,
            restitution=min(HIGHEST_RESTITUTION, body.restitution * restitution),
            density=body.density * density,
        )


def _kind_name(role: str, kind: int, type_: int) -> str:
    """The one of MATERIAL_KINDS that a body of a level is."""
    if kind == FIXED:
        return "fixed"
    names: dict[str, Sequence[str]] = {"block": MATERIAL_NAMES, "bird": BIRD_COLOURS, "split_bird": BIRD_COLOURS}
    return names[role][type_] if role in names else role


def wrong_materials(noise: float, seed: str) -> MaterialFactors:
    """Factors of 1 + noise or 1 - noise, at random for each kind of body and each property.

    >>> wrong_materials(0.2, "a").factors[0]
    (0.8, 1.2, 1.2)
    """
    if not 0.0 <= noise < 1.0:
        raise MaterialsError(f"noise must be a number from 0 to below 1, not {noise!r}")
    draws = Draws(f"materials/{seed}")
    drawn = [tuple(draws.one_of((1.0 - noise, 1.0 + noise)) for _ in PROPERTIES) for _ in MATERIAL_KINDS]
    return MaterialFactors(tuple((friction, restitution, density) for friction, restitution, density in drawn))
