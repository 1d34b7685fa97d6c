"""An object of a category: its shape as plain data, made from the category's design.

A shape has normals (smooth across flat edges, sharp across others), volume, centre of mass and inertia of what its
surface encloses, and the angle by which it can be tilted before it falls over.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

import numpy as np

from tumble.comphy.objects.solids import ConvexPart, Surface, join_surfaces
from tumble.draws import Draws
from tumble.errors import TumbleError

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

    >>> from tumble.comphy.objects.solids import box
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


CREASE = 0.75
"""Triangles that share a vertex are shaded as one surface if the cosine of the angle between them is above this."""


def face_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """[m, 3]: the normal of each triangle, as long as twice its area."""
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a)


def corner_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """[m, 3, 3]: unit normals at the three corners of each triangle.

    A corner's normal is the mean of the triangles that share its vertex, by area, without those behind a crease.
    """
    scaled = face_normals(vertices, faces)
    units = _unit(scaled)
    corners = faces.ravel()
    order = np.argsort(corners, kind="stable")
    degree = np.bincount(corners, minlength=len(vertices))
    first = np.cumsum(degree) - degree
    total = np.zeros((len(corners), 3))
    own = np.repeat(units, 3, axis=0)
    for step in range(int(degree.max())):
        (corner,) = np.nonzero(step < degree[corners])
        face = order[first[corners[corner]] + step] // 3
        x, y, z = (own[corner] * units[face]).T
        same = x + y + z > CREASE
        total[corner[same]] += scaled[face[same]]
    return _unit(total).reshape(-1, 3, 3)


def _unit(vectors: np.ndarray) -> np.ndarray:
    x, y, z = vectors.T
    return np.asarray(vectors / np.sqrt(x * x + y * y + z * z)[:, None])


TOUCHING = 1e-6
"""Height below which a point is on the table."""


def tipping_angle(points: np.ndarray, height: float) -> float:
    """Degrees by which an object can be tilted in its worst direction before it falls over.

    `points` [k, 3] are those of the object; those at height 0 carry it. Its centre of mass is `height` above the
    origin. Negative: it falls over by itself.

    >>> square = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    >>> round(tipping_angle(square, 1.0), 6)
    45.0
    """
    support = convex_outline(points[points[:, 2] < TOUCHING, :2])
    margin = math.inf
    for (x, y), (next_x, next_y) in zip(support, np.roll(support, -1, axis=0), strict=True):
        across, along = next_x - x, next_y - y
        margin = min(margin, float((x * next_y - y * next_x) / math.hypot(across, along)))
    return math.degrees(math.atan2(margin, height))


def convex_outline(points: np.ndarray) -> np.ndarray:
    """[k, 2] points to the corners of their convex hull, counter-clockwise."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        raise ValueError("an object needs three points to stand on")
    halves = []
    for sequence in (ordered, ordered[::-1]):
        half: list[tuple[float, float]] = []
        for x, y in sequence:
            while len(half) > 1 and _turn(half[-2], half[-1], (x, y)) <= 0.0:
                half.pop()
            half.append((x, y))
        halves.append(half[:-1])
    return np.array(halves[0] + halves[1])


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Positive where the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


DECIMALS = 6
"""Coordinates are rounded to a millionth of a unit."""


@dataclass(frozen=True)
class Piece:
    """A closed surface of a design, with its role in the object's looks."""

    role: str
    """Such as "body", "handle" or "seat"; pieces of the same role look the same."""
    surface: Surface
    density: float = 1.0
    """Relative to the object's other pieces; a lamp has a heavy foot."""


@dataclass(frozen=True)
class Design:
    """What a category draws: what is seen, and convex parts that take up the same space. It stands on z = 0."""

    pieces: Sequence[Piece]
    parts: Sequence[ConvexPart]


@dataclass(frozen=True, eq=False)
class ObjectMesh:
    """A closed triangle mesh; triangles are counter-clockwise as seen from outside."""

    vertices: np.ndarray
    """float32 [n, 3]."""
    faces: np.ndarray
    """int32 [m, 3]: indices of vertices."""
    normals: np.ndarray
    """float32 [m, 3, 3]: unit normals at the corners of each triangle, to be interpolated between them."""
    part: np.ndarray
    """int32 [m]: the role of each triangle, as an index of `roles`."""
    roles: tuple[str, ...]
    """What parts of the object are there to be coloured, such as ("body", "handle")."""


@dataclass(frozen=True, eq=False)
class ObjectShape:
    """An object of a category. It stands on z = 0, with its centre of mass above the origin."""

    category: str
    mesh: ObjectMesh
    parts: tuple[ConvexPart, ...]
    """What it collides with: together they take up about the same space as the mesh, hollows filled."""
    mass_height: float
    """Height of the centre of mass above the table."""
    inertia: np.ndarray
    """[3, 3]: about the centre of mass, of a body of mass 1."""
    radius: float
    """Of the smallest upright cylinder about the origin that contains it."""
    height: float
    tipping_angle: float
    """Degrees by which it can be tilted in its worst direction before it falls over."""


def assemble(category: str, design: Design) -> ObjectShape:
    """The shape of a design: joined, with its centre of mass above the origin, and rounded."""
    mass = mass_properties([(piece.surface, piece.density) for piece in design.pieces])
    x, y, mass_height = mass.centre
    whole = join_surfaces([piece.surface.moved(-x, -y) for piece in design.pieces])
    vertices = whole.vertices.round(DECIMALS) + 0.0
    roles = tuple(dict.fromkeys(piece.role for piece in design.pieces))
    part = np.repeat(
        [roles.index(piece.role) for piece in design.pieces], [len(p.surface.faces) for p in design.pieces]
    )
    normals = corner_normals(vertices, whole.faces)
    mesh = ObjectMesh(
        vertices.astype(np.float32),
        whole.faces.astype(np.int32),
        normals.round(DECIMALS).astype(np.float32),
        part.astype(np.int32),
        roles,
    )
    parts = tuple(_rounded(convex.moved(-x, -y)) for convex in design.parts)
    carrying = np.concatenate([convex.vertices for convex in parts])
    return ObjectShape(
        category,
        mesh,
        parts,
        round(mass_height, DECIMALS),
        mass.inertia.round(2 * DECIMALS),
        round(float(np.sqrt(vertices[:, 0] ** 2 + vertices[:, 1] ** 2).max()), DECIMALS),
        float(vertices[:, 2].max()),
        round(tipping_angle(carrying, mass_height), 3),
    )


def _rounded(part: ConvexPart) -> ConvexPart:
    x, y, z = (round(value, DECIMALS) for value in part.centre)
    half_x, half_y, half_z = (round(value, DECIMALS) for value in part.half_size)
    return ConvexPart(part.kind, (x, y, z), (half_x, half_y, half_z), part.vertices.round(DECIMALS) + 0.0)


CATEGORIES = (
    "mug",
    "pot",
    "chair",
    "table",
    "sofa",
    "lamp",
    "bottle",
    "teapot",
    "bucket",
    "bowl",
    "trophy",
    "hourglass",
    "cone",
)
"""Their files in `categories` have the same names."""


class ObjectError(TumbleError):
    """There is no such category."""


@lru_cache(maxsize=256)
def build_object(category: str, seed: int | str) -> ObjectShape:
    """An object of a category; the seed decides its proportions, and gives the same bits on every machine.

    >>> mug = build_object("mug", 7)
    >>> mug.mesh.roles, len(mug.mesh.faces), len(mug.parts)
    (('body', 'handle'), 788, 5)
    """
    if category not in CATEGORIES:
        raise ObjectError(f"no category {category!r}; there are {', '.join(CATEGORIES)}")
    module = import_module(f"tumble.comphy.objects.categories.{category}")
    return assemble(category, module.design(Draws(f"{category} {seed}")))
