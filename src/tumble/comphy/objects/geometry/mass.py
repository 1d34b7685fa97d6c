"""Volume, centre of mass and inertia of what a closed surface encloses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.comphy.objects.geometry.surface import Surface

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class MassProperties:
    """Where mass is."""

    mass: float
    centre: tuple[float, float, float]
    second_moments: tuple[float, ...]
    """Mean of x x, y y, z z, x y, x z and y z over the mass, about its centre."""

    @property
    def inertia(self) -> np.ndarray:
        """[3, 3]: the inertia of a unit of mass about its centre."""
        xx, yy, zz, xy, xz, yz = self.second_moments
        return np.array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])


def mass_properties(solids: Sequence[tuple[Surface, float]]) -> MassProperties:
    """The mass properties of solids with densities, summed over tetrahedra between their triangles and the origin.

    Sums are exact before they are rounded, so that they do not depend on their order.

    >>> from tumble.comphy.objects.geometry.solids import box
    >>> cube = mass_properties([(box((0, 0, 0), (1, 1, 1), bevel=0.0), 2.0)])
    >>> round(cube.mass, 9), [round(x, 9) for x in cube.centre], cube.inertia.round(6).diagonal().tolist()
    (2.0, [0.5, 0.5, 0.5], [0.166667, 0.166667, 0.166667])
    """
    terms = [_tetrahedra(surface, density) for surface, density in solids]
    mass = math.fsum(value for masses, _, _ in terms for value in masses.tolist())
    x, y, z = (
        math.fsum(value for _, firsts, _ in terms for value in firsts[axis].tolist()) / mass for axis in range(3)
    )
    centre = (x, y, z)
    seconds = []
    for number, (one, other) in enumerate(PAIRS):
        mean = math.fsum(value for _, _, seconds in terms for value in seconds[number].tolist()) / mass
        seconds.append(mean - centre[one] * centre[other])
    return MassProperties(mass, centre, tuple(seconds))


def _tetrahedra(surface: Surface, density: float) -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
    """The mass of each tetrahedron, and the integrals of x, y, z and of the products in `PAIRS`."""
    a, b, c = (surface.vertices[surface.faces[:, corner]] for corner in range(3))
    x, y, z = (a * np.cross(b, c)).T
    masses = density * (x + y + z) / 6.0
    total = a + b + c
    firsts = [masses * total[:, axis] / 4.0 for axis in range(3)]
    seconds = []
    for one, other in PAIRS:
        own = a[:, one] * a[:, other] + b[:, one] * b[:, other] + c[:, one] * c[:, other]
        seconds.append(masses * (total[:, one] * total[:, other] + own) / 20.0)
    return masses, firsts, seconds
