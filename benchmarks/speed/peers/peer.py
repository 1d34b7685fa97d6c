"""What an adapter of another engine is, and which there are.

An adapter is a module of this folder with

| name | what |
| --- | --- |
| `TITLE` | the engine and its version |
| `DIFFERENCES` | which work is not the same as ours |
| `DEVICES` | devices that it runs on: cpu, cuda |
| `ONE_BY_ONE` | whether it steps one world after the other |
| `can_build(scene)` | whether it can simulate a scene as it is |
| `roll_out(scenes, steps, device)` | a `Stepped`: every scene stepped so often, at 60 steps a second |

Importing it raises ModuleNotFoundError where its engine is not installed (`requirements.txt`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tumble.scene import Body, Circle, Scene

ADAPTERS = ("box2d_peer", "pymunk_peer", "mujoco_peer", "jax2d_peer")
INSTALL = f"pip install -r {Path(__file__).with_name('requirements.txt').relative_to(Path(__file__).parents[3])}"
DT = 1.0 / 60.0


@dataclass(frozen=True)
class Stepped:
    """Scenes after some steps."""

    seconds: float
    """Of stepping alone, by the clock of the device: building worlds and compiling kernels are not counted."""
    poses: list[np.ndarray]
    """Of each scene [body, (x, y, angle)], in scene units."""


@dataclass(frozen=True)
class Peer:
    """An installed engine."""

    name: str
    title: str
    differences: str
    devices: tuple[str, ...]
    one_by_one: bool
    can_build: Callable[[Scene], bool]
    roll_out: Callable[[Sequence[Scene], int, str], Stepped]


def find_peer(name: str) -> Peer | None:
    """The peer of an adapter; None if its engine is not installed."""
    try:
        adapter: Any = import_module(f"peers.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("peers", "tumble")):
            raise
        return None
    return Peer(
        name,
        adapter.TITLE,
        adapter.DIFFERENCES,
        adapter.DEVICES,
        adapter.ONE_BY_ONE,
        adapter.can_build,
        adapter.roll_out,
    )


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
