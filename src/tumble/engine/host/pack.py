"""Scenes as the kernels read them: what never changes, in two flat arrays shared by all worlds."""

from dataclasses import dataclass
from threading import Lock

import numpy as np

from tumble.engine.host.worlds import WorldsError
from tumble.engine.math.constants import POLYGON_SKIN
from tumble.engine.math.mass import centroid, circle_mass, from_rightmost, inverse_mass, outward_normals, polygon_mass
from tumble.engine.state import layout
from tumble.scene import Body, Circle
from tumble.scene.checks import body_label

_f = np.float32

MAX_EXTENT = 1e5
"""Metres that a body's shapes may reach from its origin."""


@dataclass(frozen=True)
class Pack:
    """Definitions of bodies and shapes; `vecs` float32 [n, 4] and `ints` [n], laid out as `layout.py` says."""

    vecs: np.ndarray
    ints: np.ndarray
    shape_defs_v: int
    shape_defs_i: int


class _Rows:
    """Rows of numbers that are appended one by one and read as an array; a row is converted once."""

    def __init__(self, width: int, dtype: type) -> None:
        self._done: np.ndarray = np.zeros((0, width), dtype)
        self._added: list[tuple[float, ...]] = []

    def __len__(self) -> int:
        return len(self._done) + len(self._added)

    def append(self, *rows: tuple[float, ...]) -> None:
        self._added += rows

    def array(self) -> np.ndarray:
        """All rows [n, width]."""
        if self._added:
            self._done = np.concatenate([self._done, np.array(self._added, self._done.dtype)])
            self._added = []
        return self._done


class Packer:
    """Collects body definitions; equal ones are stored once. More can be added after `finish`."""

    def __init__(self, dt: float) -> None:
        self.lock = Lock()
        """Held by threads that use a packer together."""
        self._dt = _f(dt)
        self._index_of: dict[object, int] = {}
        self._body_vecs = _Rows(4, _f)
        self._body_ints = _Rows(3, np.int32)
        self._shape_vecs = _Rows(4, _f)
        self._shape_ints = _Rows(layout.SHAPE_DEF_INTS, np.int32)
        self._vertices = _Rows(4, _f)

    def add(self, body: Body, units_per_metre: float) -> int:
        """The index of a body's definition."""
        key = (
            body.shapes,
            units_per_metre,
            body.dynamic,
            body.density,
            body.friction,
            body.restitution,
            body.gravity_scale,
            body.linear_damping,
            body.angular_damping,
            body.bullet,
            body.layer,
            body.mask,
        )
        if key not in self._index_of:
            self._index_of[key] = len(self._body_ints)
            with np.errstate(all="ignore"):  # what is not finite is refused
                self._define(body, _f(units_per_metre))
        return self._index_of[key]

    def _define(self, body: Body, units: np.float32) -> None:
        flags, masses, outlines, surfaces, centroids = 0, [], [], [], []
        first_shape = len(self._shape_ints)
        for shape in body.shapes:
            if isinstance(shape, Circle):
                radius = _f(shape.radius) / units
                outline = np.array([shape.centre], _f) / units
                middle = outline[0]
                masses.append(circle_mass(radius, middle, _f(body.density)))
                rows, vertices = np.pad(outline, ((0, 0), (0, 2))), 0
                if len(body.shapes) == 1 and shape.centre == (0.0, 0.0):
                    flags |= layout.ROUND
            else:
                radius = _f(POLYGON_SKIN)
                outline = from_rightmost(np.array(shape.vertices, _f) / units)
                middle = centroid(outline)
                masses.append(polygon_mass(outline, _f(body.density)))
                rows, vertices = np.concatenate([outline, outward_normals(outline)], axis=1), len(outline)
            outlines.append(outline)
            surfaces.append((float(radius), body.friction, body.restitution))
            centroids.append((float(middle[0]), float(middle[1]), 0.0, 0.0))
            self._shape_ints.append((vertices, len(self._vertices), body.layer, body.mask))
            self._vertices.append(*map(tuple, rows.tolist()))
        mass: tuple[np.float32, ...] = (_f(0), _f(0), _f(0), _f(0))
        if body.dynamic:
            flags |= layout.DYNAMIC | (layout.BULLET if body.bullet else 0)
            mass = inverse_mass(masses)
        extent = max(
            float(np.abs(outline).max() + surface[0]) for outline, surface in zip(outlines, surfaces, strict=True)
        )
        _check_scale(body, float(units), np.array([mass, *masses, *centroids], float), extent)
        _, _, centre_x, centre_y = mass
        for surface, middle_row, outline in zip(surfaces, centroids, outlines, strict=True):
            reach = float(np.max(np.hypot(outline[:, 0] - centre_x, outline[:, 1] - centre_y))) * 1.000001
            self._shape_vecs.append((*surface, reach), middle_row)
        one = _f(1)
        linear_damping = one / (one + self._dt * _f(body.linear_damping))
        angular_damping = one / (one + self._dt * _f(body.angular_damping))
        self._body_vecs.append(
            tuple(map(float, mass)),
            (body.gravity_scale, float(linear_damping), float(angular_damping), 0.0),
        )
        self._body_ints.append((first_shape, len(body.shapes), flags))

    def finish(self) -> Pack:
        """All definitions so far, in two arrays."""
        shape_defs_v = len(self._body_vecs)
        shape_ints = self._shape_ints.array().copy()
        shape_ints[:, layout.DEF_FIRST_VERTEX] += shape_defs_v + len(self._shape_vecs)
        body_ints = self._body_ints.array().reshape(-1)
        return Pack(
            vecs=np.concatenate([self._body_vecs.array(), self._shape_vecs.array(), self._vertices.array()]),
            ints=np.concatenate([body_ints, shape_ints.reshape(-1)]),
            shape_defs_v=shape_defs_v,
            shape_defs_i=len(body_ints),
        )


def _check_scale(body: Body, units_per_metre: float, values: np.ndarray, extent: float) -> None:
    """Refuses a body that is too large, or whose mass, inertia or centre is not a number in single precision.

    `values` [n, 4] must be finite. The first row has the inverse mass and inertia, which must be positive if it is
    dynamic: the inertia of a tiny shape far from the body's origin is lost in rounding. `extent` is the largest
    coordinate of its shapes in metres: of larger bodies the velocities at contacts overflow.
    """
    if extent > MAX_EXTENT:
        raise WorldsError(
            f"{body_label(body.name)}: its shapes reach {extent:.3g} m from its origin, at {units_per_metre:g} units a "
            f"metre; the most is {MAX_EXTENT:,.0f} m; change its shapes or the units"
        )
    if not np.isfinite(values).all() or (body.dynamic and not (values[0, :2] > 0.0).all()):
        raise WorldsError(
            f"{body_label(body.name)}: too small or too large for single precision at {units_per_metre:g} units per "
            "metre, its mass, centre or moment of inertia is lost; change its shapes, its density or the units"
        )
