"""Footprints: everyday objects as upright pieces, each a convex outline between two heights.

An object stays upright, so that two objects touch where pieces of the same height touch, seen from above: the shade
of a lamp passes over a bowl. Pieces that are cut off by others can't touch anything and are left out. Outlines are
convex polygons in the plane: hulls, and cuts through convex parts.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from tumble.comphy.catalogue.body import DECIMALS
from tumble.comphy.objects.shape import build_object
from tumble.comphy.objects.solids import ROUND, ConvexPart

TOLERANCE = 0.0005
"""Units by which an outline may stand out of another and still count as within it."""


def convex_hull(points: np.ndarray) -> np.ndarray:
    """[corner, 2]: the corners of the convex hull of points [k, 2], counter-clockwise from the leftmost one.

    >>> convex_hull(np.array([[0, 0], [1, 0], [0.5, 0.2], [1, 1], [0, 1]], float)).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    ordered = sorted(set(map(tuple, points.tolist())))
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1])


def fewer_corners(corners: np.ndarray, most: int, flat: float = 0.0) -> np.ndarray:
    """The polygon [corner, 2] without its flattest corners, until it has at most a number of them and none stands out
    by less than `flat` from the line between its neighbours.

    >>> fewer_corners(np.array([[0, 0], [1, -0.001], [2, 0], [1, 1]]), 8, flat=0.01).tolist()
    [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]]
    """
    while True:
        before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
        heights = np.abs(_cross(corners - before, after - before)) / np.sqrt(((after - before) ** 2).sum(axis=1))
        flattest = int(heights.argmin())
        if len(corners) <= most and heights[flattest] >= flat:
            return corners
        corners = np.delete(corners, flattest, axis=0)


def cut_through(vertices: np.ndarray, height: float) -> np.ndarray:
    """[k, 2]: points whose hull is the cut through the convex hull of vertices [n, 3] at a height."""
    low, high = vertices[vertices[:, 2] <= height], vertices[vertices[:, 2] >= height]
    rise = high[None, :, 2] - low[:, None, 2]
    share = np.where(rise > 0.0, (height - low[:, None, 2]) / np.where(rise > 0.0, rise, 1.0), 0.0)
    points = low[:, None, :2] + share[..., None] * (high[None, :, :2] - low[:, None, :2])
    return np.asarray(points.reshape(-1, 2))


def is_within(inner: np.ndarray, inner_radius: float, outer: np.ndarray, outer_radius: float) -> bool:
    """Whether an outline is within another, up to TOLERANCE; each is a polygon of radius 0, or a disc with one corner.

    >>> is_within(np.array([[0.1, 0.0]]), 0.1, np.array([[0.0, 0.0]]), 0.2)
    True
    """
    if len(outer) == 1:
        reach = np.hypot(*(inner - outer[0]).T).max() + inner_radius
        return bool(reach <= outer_radius + TOLERANCE)
    distances = (inner[:, None] - outer) @ side_normals(outer).T
    return bool(np.diagonal(distances, axis1=1, axis2=2).max() + inner_radius <= TOLERANCE)


def side_normals(corners: np.ndarray) -> np.ndarray:
    """[corner, 2]: the outward unit normal of the side from each corner to the next."""
    sides = np.roll(corners, -1, axis=0) - corners
    return np.asarray(np.column_stack([sides[:, 1], -sides[:, 0]]) / np.sqrt((sides**2).sum(axis=1))[:, None])


def _chain(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The lower half of a hull, from points sorted from left to right."""
    chain: list[tuple[float, float]] = []
    for x, y in points:
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-9:
                break
            chain.pop()
        chain.append((x, y))
    return chain


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


LAYER, LEAN = 0.04, 0.02
"""Height of the layers into which parts are cut whose sides lean outwards or inwards by more than LEAN."""
OUTLINE_DECIMALS = 4
"""Of the corners of outlines, so that circles in different heights have the same corners."""
FLAT = 0.0004
"""Corners that stand out by less are rounding errors."""
MOST_CORNERS = 8
ROUND_CORNERS = 12
"""Outlines with this number of corners or more, all of them as far from their middle, are discs."""
GRAZING = 0.01
"""Pieces that have fewer heights in common pass over each other."""
FOOT = 0.005
"""Pieces that begin below this height stand on the table."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of an object between two heights."""

    corners: np.ndarray
    """[corner, 2]: counter-clockwise, in the object's axes; the centre of a disc."""
    radius: float
    """Of a disc; 0 for a polygon."""
    low: float
    high: float

    def meets(self, other: "Piece") -> bool:
        """Whether there are heights that both have; not if one just grazes the other."""
        return min(self.high, other.high) - max(self.low, other.low) > GRAZING

    def is_within(self, other: "Piece") -> bool:
        """Whether its outline is within that of another."""
        return is_within(self.corners, self.radius, other.corners, other.radius)


@dataclass(frozen=True, eq=False)
class Footprint:
    """What the motion of an object depends on, besides its mass; its centre of mass is the origin."""

    pieces: tuple[Piece, ...]
    inertia: float
    """About the vertical axis, of a body of mass 1."""
    support: tuple[float, float]
    """It stands on the four points (+-x, +-y)."""
    reach: float
    """Radius of the circle that contains it."""


Kind = tuple[str, int]
"""Shape and form of an object."""


@lru_cache(maxsize=4096)
def footprint_of(shape: str, form: int) -> Footprint:
    """The footprint of an object of the div world.

    >>> bottle = footprint_of("bottle", 0)
    >>> all(piece.radius > 0.0 for piece in bottle.pieces), bottle.reach < 0.14
    (True, True)
    """
    built = build_object(shape, form)
    pieces = [piece for part in built.parts for piece in _pieces(part)]
    kept = [piece for k, piece in enumerate(pieces) if not _is_covered(k, pieces)]
    reach = max(float(np.hypot(*piece.corners.T).max()) + piece.radius for piece in kept)
    return Footprint(tuple(kept), float(built.inertia[2, 2]), _support(pieces), reach)


@lru_cache(maxsize=16384)
def touching_pieces(one: Kind, other: Kind) -> tuple[tuple[int, int], ...]:
    """Which pieces of two objects can touch first: pieces with a common height, unless they are within such ones."""
    a, b = footprint_of(*one).pieces, footprint_of(*other).pieces
    pairs = [(p, q) for p in range(len(a)) for q in range(len(b)) if a[p].meets(b[q])]
    within_a, within_b = _within(one), _within(other)
    first, second = np.array(pairs).T
    covers = within_a[first[:, None], first] & within_b[second[:, None], second]
    both = covers & covers.T
    order = np.arange(len(pairs))
    covers &= ~both | (order < order[:, None])  # of two that are alike, the first is kept
    return tuple(pair for pair, is_covered in zip(pairs, covers.any(axis=1), strict=True) if not is_covered)


@lru_cache(maxsize=4096)
def _within(kind: Kind) -> np.ndarray:
    """bool [piece, piece]: whether the outline of the first is within that of the second; each is within itself."""
    pieces = footprint_of(*kind).pieces
    return np.array([[p is q or p.is_within(q) for q in pieces] for p in pieces])


def _is_covered(number: int, pieces: list[Piece]) -> bool:
    """Whether a piece is hidden in another one of the same heights or more; of two that are alike the first is kept."""
    own = pieces[number]
    for k, piece in enumerate(pieces):
        covers = k != number and piece.low <= own.low and piece.high >= own.high and own.is_within(piece)
        is_alike = covers and piece.low == own.low and piece.high == own.high and piece.is_within(own)
        if covers and (not is_alike or k < number):
            return True
    return False


def _pieces(part: ConvexPart) -> list[Piece]:
    """A convex part as pieces: one if its sides are steep, else one for each layer, as wide as its widest cut."""
    low, high = float(part.vertices[:, 2].min()), float(part.vertices[:, 2].max())
    if part.kind == "cylinder":
        return [Piece(np.array([part.centre[:2]]), part.half_size[0], low, high)]
    count = max(1, math.ceil((high - low) / LAYER - 1e-9)) if _lean(part.vertices, low, high) > LEAN else 1
    edges = np.linspace(low, high, count + 1).round(DECIMALS)
    return [_layer(part.vertices, float(start), float(end)) for start, end in pairwise(edges)]


def _lean(vertices: np.ndarray, low: float, high: float) -> float:
    """The largest difference between the extents of the lowest and of the highest cut."""
    cuts = [cut_through(vertices, height) for height in (low, high)]
    extents = np.array([[cut.min(axis=0), cut.max(axis=0)] for cut in cuts])
    return float(np.abs(extents[1] - extents[0]).max())


def _layer(vertices: np.ndarray, low: float, high: float) -> Piece:
    inside = vertices[(vertices[:, 2] >= low) & (vertices[:, 2] <= high), :2]
    points = np.concatenate([inside, cut_through(vertices, low), cut_through(vertices, high)])
    corners = fewer_corners(convex_hull(points.round(OUTLINE_DECIMALS)), len(points), FLAT)
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2.0
    distances = np.sqrt(((corners - middle) ** 2).sum(axis=1))
    if len(corners) >= ROUND_CORNERS and np.ptp(distances) < 0.01 * distances.max():
        return Piece(middle.round(DECIMALS)[None], round(float(distances.max()) / ROUND, DECIMALS), low, high)
    return Piece(fewer_corners(corners, MOST_CORNERS), 0.0, low, high)


def _support(pieces: list[Piece]) -> tuple[float, float]:
    """Half the extents of the foot; the rim of a round foot is that of a square inside it."""
    foot = [piece for piece in pieces if piece.low < FOOT]
    low = np.min([piece.corners.min(axis=0) - piece.radius for piece in foot], axis=0)
    high = np.max([piece.corners.max(axis=0) + piece.radius for piece in foot], axis=0)
    share = math.sqrt(0.5) if len(foot) == 1 and foot[0].radius else 1.0
    x, y = (share * (high - low) / 2.0).round(DECIMALS).tolist()
    return x, y
