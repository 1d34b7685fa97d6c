"""A body with its visible attributes and hidden properties, and the motion of the bodies of one video.

Motion is plain arrays with one row for each frame; rotations are unit quaternions, the real part first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.comphy.catalogue.world import ALL_SHAPES, PLAIN, ObjectWorld, world_of
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


DECIMALS = 6
"""Motion is rounded once, when it is simulated, so that motion read from disk has the same events."""


@dataclass(frozen=True)
class Collision:
    """Two bodies (first < second) that collide, at a step of the physics."""

    step: int
    first: int
    second: int

    @property
    def pair(self) -> tuple[int, int]:
        """The two bodies."""
        return self.first, self.second


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of some bodies; frame 0 is the start. Units and radians, per second; z points up, the table is z = 0."""

    positions: np.ndarray
    """float64 [frame, body, 3]: the bodies' centres."""
    orientations: np.ndarray
    """float64 [frame, body, 4]: unit quaternions, the real part first."""
    velocities: np.ndarray
    """float64 [frame, body, 3]."""
    angular_velocities: np.ndarray
    """float64 [frame, body, 3], in the world's axes."""
    in_view: np.ndarray
    """bool [frame, body]: whether the camera sees the body's centre."""
    collisions: tuple[Collision, ...] = ()
    """Debounced (see `events.debounced_collisions`), by step; those out of view too."""

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.positions)

    @property
    def bodies(self) -> int:
        """The number of bodies."""
        return int(self.positions.shape[1])


def yaw_quaternions(headings: np.ndarray) -> np.ndarray:
    """[...] angles about the vertical axis to quaternions [..., 4]."""
    zero = np.zeros_like(headings)
    return np.stack([np.cos(headings / 2.0), zero, zero, np.sin(headings / 2.0)], axis=-1)


def rotate_vectors(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors [..., 3] rotated by quaternions [..., 4].

    >>> rotate_vectors(yaw_quaternions(np.array(np.pi / 2)), np.array([1.0, 0.0, 0.0])).round(6).tolist()
    [0.0, 1.0, 0.0]
    """
    real, imaginary = quaternions[..., :1], quaternions[..., 1:]
    across = 2.0 * np.cross(imaginary, vectors)
    return np.asarray(vectors + real * across + np.cross(imaginary, across))


def multiply_quaternions(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Quaternions [..., 4] of the rotation by `other`, followed by that by `one`."""
    (a, b, c, d), (e, f, g, h) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    parts = (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )
    return np.stack(parts, axis=-1)
