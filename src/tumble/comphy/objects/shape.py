"""An object's shape as plain data, and how a category's design becomes one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.comphy.objects.geometry.convex import ConvexPart
from tumble.comphy.objects.geometry.mass import mass_properties
from tumble.comphy.objects.geometry.normals import corner_normals
from tumble.comphy.objects.geometry.stability import tipping_angle
from tumble.comphy.objects.geometry.surface import Surface, join

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
    whole = join([piece.surface.moved(-x, -y) for piece in design.pieces])
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
