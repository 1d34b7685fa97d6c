"""A scene: the rigid bodies of a world, with shapes, start and material; its view, its units and its gravity."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from operator import attrgetter
from struct import Struct
from typing import Any

from tumble.scene.checks import (
    LARGEST_NUMBER,
    SMALLEST_SIZE,
    SceneError,
    as_flag,
    as_number,
    as_tuple,
    as_vector,
    as_whole,
    body_label,
    flag_problems,
    is_pair,
    number_problems,
    raise_first,
    set_problems,
    shown,
    text_problems,
    vector_problems,
)
from tumble.scene.shapes import Circle, Polygon, Shape, Vec

_VECTORS = ("position", "velocity")
_NUMBERS = ("angle", "angular_velocity", "gravity_scale")
_NOT_NEGATIVE = ("density", "friction", "restitution", "linear_damping", "angular_damping")
_FLAGS = ("dynamic", "bullet", "dormant")
_SETS = ("layer", "mask")
_TEXTS = ("name", "role")
_numbers_of = attrgetter("angular_velocity", "gravity_scale", *_NOT_NEGATIVE)
_others_of = attrgetter(*_FLAGS, *_SETS)
_PACKED = Struct(f"{2 + len(_NOT_NEGATIVE)}d")
"""The former numbers as bytes, which tell 0.0 and -0.0 apart."""


@dataclass(frozen=True, slots=True)
class Body:
    """One rigid body; several shapes make a compound.

    Lengths are in scene units, angles in radians. `role` is what the body is in the benchmark
    and decides its colour (see `colour_index`). `layer` and `mask` are sets of 16 bits: two bodies collide
    when the layer of each intersects the mask of the other. A `dormant` body is absent until a rule of the
    engine adds it.
    """

    shapes: tuple[Shape, ...]
    position: Vec = (0.0, 0.0)
    angle: float = 0.0
    velocity: Vec = (0.0, 0.0)
    angular_velocity: float = 0.0
    dynamic: bool = False
    name: str = ""
    role: str = ""
    density: float = 1.0
    friction: float = 0.5
    restitution: float = 0.0
    gravity_scale: float = 1.0
    linear_damping: float = 0.0
    angular_damping: float = 0.0
    bullet: bool = False
    layer: int = 1
    mask: int = 0xFFFF
    dormant: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "shapes", as_tuple(self.shapes))
        if self._is_usual():
            for problem in self._shape_problems():
                raise SceneError(problem, body_label(self.name))
            return
        for fields, convert in (
            (_VECTORS, as_vector),
            (_NUMBERS + _NOT_NEGATIVE, as_number),
            (_FLAGS, as_flag),
            (_SETS, as_whole),
        ):
            for field in fields:
                object.__setattr__(self, field, convert(getattr(self, field)))
        raise_first(self._problems(), body_label(self.name))

    def _is_usual(self) -> bool:
        """Whether all but the shapes is valid and of the right types, as it nearly always is, found out quickly."""
        angle, numbers = self.angle, _numbers_of(self)
        if {type(angle), *map(type, numbers)} != {float} or not (is_pair(self.position) and is_pair(self.velocity)):
            return False
        for field in _VECTORS:
            vector = as_vector(getattr(self, field))
            if not (abs(vector[0]) <= LARGEST_NUMBER and abs(vector[1]) <= LARGEST_NUMBER):
                return False
            object.__setattr__(self, field, vector)
        object.__setattr__(self, "angle", angle + 0.0)
        try:
            is_valid = _are_valid_values(_PACKED.pack(*numbers), *_others_of(self))
        except TypeError:  # a value that can't be looked up
            return False
        return is_valid and abs(angle) <= LARGEST_NUMBER and type(self.name) is type(self.role) is str

    def _problems(self) -> Iterator[str]:
        for field in _TEXTS:
            yield from text_problems(field, getattr(self, field))
        for field in _FLAGS:
            yield from flag_problems(field, getattr(self, field))
        yield from self._shape_problems()
        for field in _VECTORS:
            yield from vector_problems(field, getattr(self, field))
        for field in _NUMBERS:
            yield from number_problems(field, getattr(self, field))
        for field in _NOT_NEGATIVE:
            yield from number_problems(field, getattr(self, field), at_least=0.0)
        for field in _SETS:
            yield from set_problems(field, getattr(self, field))
        if self.dynamic:
            yield from number_problems("density of a dynamic body", self.density, above=SMALLEST_SIZE)

    def _shape_problems(self) -> Iterator[str]:
        shapes: object = self.shapes
        if not isinstance(shapes, tuple):
            yield f"shapes must be a sequence of Circle and Polygon, got {shown(shapes)}"
            return
        if not shapes:
            yield "it has no shapes: give it at least one Circle or Polygon"
        for k, shape in enumerate(shapes):
            where = f"shape {k}: " if len(shapes) > 1 else ""
            if not isinstance(shape, Circle | Polygon):
                yield f"{where}a shape must be a Circle or a Polygon, got {shown(shape)}"
                continue
            for problem in shape.problems():
                yield where + problem


@lru_cache(maxsize=4096, typed=True)
def _are_valid_values(packed: bytes, *others: Any) -> bool:
    """Whether numbers, flags and sets of a body are valid as they are; few bodies differ in these."""
    numbers = _PACKED.unpack(packed)
    flags, sets = others[: len(_FLAGS)], others[len(_FLAGS) :]
    return (
        all(abs(number) <= LARGEST_NUMBER and repr(number) != "-0.0" for number in numbers)
        and all(number >= 0.0 for number in numbers[2:])
        and all(type(flag) is bool for flag in flags)
        and all(type(value) is int for value in sets)
        and not any(problem for value in sets for problem in set_problems("", value))
        and (not flags[0] or numbers[2] > SMALLEST_SIZE)
    )


@dataclass(frozen=True, slots=True)
class Scene:
    """The start of a world: bodies in order, and the view from (0, 0) to (width, height), y up.

    Lengths, positions and velocities are in scene units, `units_per_metre` of them to a metre; gravity is
    in m/s².
    """

    bodies: tuple[Body, ...]
    width: float = 256.0
    height: float = 256.0
    units_per_metre: float = 1.0
    gravity: Vec = (0.0, -9.8)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", as_tuple(self.bodies))
        object.__setattr__(self, "gravity", as_vector(self.gravity))
        for field in ("width", "height", "units_per_metre"):
            object.__setattr__(self, field, as_number(getattr(self, field)))
        raise_first(self._problems(), "scene")
        self._check_bodies()

    def _problems(self) -> Iterator[str]:
        bodies: object = self.bodies
        if not isinstance(bodies, tuple):
            yield f"bodies must be a sequence of Body, got {shown(bodies)}"
        for field in ("width", "height", "units_per_metre"):
            yield from number_problems(field, getattr(self, field), above=SMALLEST_SIZE)
        yield from vector_problems("gravity", self.gravity)

    def _check_bodies(self) -> None:
        """Check that all are bodies and that their names differ."""
        first_with: dict[str, int] = {}
        bodies: tuple[object, ...] = self.bodies
        for k, body in enumerate(bodies):
            if not isinstance(body, Body):
                raise SceneError(f"a body must be a Body, got {shown(body)}", body_label("", k))
            if body.name and first_with.setdefault(body.name, k) != k:
                problem = f"body {first_with[body.name]} has the same name, names must differ"
                raise SceneError(problem, body_label(body.name, k))

    def index(self, name: str) -> int:
        """The position in `bodies` of the body with this name."""
        names = [body.name for body in self.bodies if body.name]
        if name not in names:
            close = get_close_matches(str(name), names, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            known = ", ".join(map(repr, names)) if names else "none, no body has a name"
            raise SceneError(f"no body is named {name!r}{hint}; known names: {known}", "scene")
        return next(k for k, body in enumerate(self.bodies) if body.name == name)

    def with_bodies(self, *bodies: Body) -> "Scene":
        """This scene with more bodies after its bodies."""
        return replace(self, bodies=self.bodies + bodies)
