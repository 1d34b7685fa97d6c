"""A scene: the bodies of a world, its view, its units and its gravity."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

from tumble.scene.body import Body
from tumble.scene.checks import (
    SMALLEST_SIZE,
    SceneError,
    as_number,
    as_tuple,
    as_vector,
    body_label,
    number_problems,
    raise_first,
    shown,
    vector_problems,
)
from tumble.scene.shapes import Vec


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
