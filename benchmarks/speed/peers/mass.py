"""Mass, centre and moment of inertia of a body, for engines that do not compute them."""

import math
from dataclasses import dataclass

import numpy as np

from tumble.scene import Body, Circle


@dataclass(frozen=True)
class Mass:
    """In metres and kilograms, in body coordinates."""

    mass: float
    centre: np.ndarray  # [2]
    inertia: float
    """About the centre."""


def mass_of(body: Body, units_per_metre: float) -> Mass:
    """The sum over the shapes of a body."""
    parts = []
    for shape in body.shapes:
        if isinstance(shape, Circle):
            radius = shape.radius / units_per_metre
            area = math.pi * radius**2
            parts.append((area, np.array(shape.centre) / units_per_metre, area * radius**2 / 2))
        else:
            parts.append(_polygon(np.array(shape.vertices) / units_per_metre))
    total = sum(area for area, _, _ in parts)
    centre = np.sum([area * middle for area, middle, _ in parts], axis=0) / total
    inertia = sum(own + area * float(np.sum((middle - centre) ** 2)) for area, middle, own in parts)
    return Mass(body.density * total, centre, body.density * inertia)


def _polygon(corners: np.ndarray) -> tuple[float, np.ndarray, float]:
    """Area, centroid, and second moment of area about the centroid: sums over triangles with the first corner."""
    first, second = corners[1:-1] - corners[0], corners[2:] - corners[0]
    areas = 0.5 * (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
    area = float(areas.sum())
    centre = (areas[:, None] * (first + second) / 3.0).sum(axis=0) / area
    moments = areas / 6.0 * ((first * first).sum(1) + (first * second).sum(1) + (second * second).sum(1))
    return area, corners[0] + centre, float(moments.sum()) - area * float(centre @ centre)
