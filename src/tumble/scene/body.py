"""A rigid body: its shapes, its start and its material."""

from collections.abc import Iterator
from dataclasses import dataclass

from tumble.scene.checks import (
    SMALLEST_SIZE,
    as_flag,
    as_number,
    as_tuple,
    as_vector,
    as_whole,
    body_label,
    flag_problems,
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
        for fields, convert in (
            (_VECTORS, as_vector),
            (_NUMBERS + _NOT_NEGATIVE, as_number),
            (_FLAGS, as_flag),
            (_SETS, as_whole),
        ):
            for field in fields:
                object.__setattr__(self, field, convert(getattr(self, field)))
        raise_first(self._problems(), body_label(self.name))

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
