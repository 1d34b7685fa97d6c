"""The footprints of a batch of everyday objects in the memory of a device."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.simulation.footprints import MOST_CORNERS, Footprint, Kind, Piece, footprint_of, touching_pieces
from tumble.comphy.simulation.physics.objects import Objects
from tumble.comphy.simulation.physics.pieces import Pieces
from tumble.comphy.simulation.polygons import side_normals
from tumble.comphy.tasks.body import Body


def upload_objects(worlds: Sequence[tuple[Body, ...]], most: int, device: Any) -> tuple[Any, Any]:
    """The objects and pieces of worlds with these bodies, of which none has more than `most`."""
    kinds = sorted({(body.shape, body.form) for bodies in worlds for body in bodies})
    number = {kind: k for k, kind in enumerate(kinds)}
    kind = np.zeros((len(worlds), most), np.int32)
    for row, bodies in enumerate(worlds):
        kind[row, : len(bodies)] = [number[body.shape, body.form] for body in bodies]
    return upload_kinds(kinds, kind, device)


def upload_kinds(kinds: Sequence[Kind], kind: np.ndarray, device: Any) -> tuple[Any, Any]:
    """The objects and pieces of worlds whose bodies are of these kinds: `kind` is int32 [world, body]."""
    rows = np.unique(kind, axis=0).tolist()
    meetings = {(i, j) for row in rows for i in row for j in row}
    tables, pieces = _tables(tuple(kinds), tuple(sorted(meetings)), str(device))
    objects = Objects()
    objects.kind = wp.array(kind, dtype=int, device=device)
    for name, table in tables.items():
        setattr(objects, name, table)
    return objects, pieces


@lru_cache(maxsize=16)
def _tables(kinds: tuple[Kind, ...], meetings: tuple[tuple[int, int], ...], device: str) -> tuple[dict[str, Any], Any]:
    """What kernels know of some kinds of objects, of which some meet in a world, and their pieces."""
    footprints = [footprint_of(*kind) for kind in kinds]
    firsts = np.cumsum([0, *(len(footprint.pieces) for footprint in footprints)])
    first_pair, pair_count = (np.zeros((len(kinds), len(kinds)), np.int32) for _ in range(2))
    pairs: list[tuple[int, int]] = []
    for i, j in meetings:
        found = touching_pieces(kinds[i], kinds[j])
        first_pair[i, j], pair_count[i, j] = len(pairs), len(found)
        pairs += [(int(firsts[i]) + p, int(firsts[j]) + q) for p, q in found]
    tables = {
        "inertia": _reals([footprint.inertia for footprint in footprints], device),
        "support": wp.array([footprint.support for footprint in footprints], dtype=wp.vec2d, device=device),
        "reach": _reals([footprint.reach for footprint in footprints], device),
        "first_pair": wp.array(first_pair, dtype=int, device=device),
        "pair_count": wp.array(pair_count, dtype=int, device=device),
        "pairs": wp.array(np.array(pairs, np.int32), dtype=wp.vec2i, device=device),
    }
    return tables, _pieces(footprints, device)


def _pieces(footprints: Sequence[Footprint], device: str) -> Any:
    """The pieces of all footprints, one after the other."""
    every = [piece for footprint in footprints for piece in footprint.pieces]
    corners, normals = (np.zeros((len(every), MOST_CORNERS, 2)) for _ in range(2))
    middles = np.array([piece.corners.mean(axis=0) for piece in every])
    for row, piece in enumerate(every):
        corners[row, : len(piece.corners)] = piece.corners
        if len(piece.corners) > 1:
            normals[row, : len(piece.corners)] = side_normals(piece.corners)
    bounds = [_bound(piece, middle) for piece, middle in zip(every, middles, strict=True)]
    pieces = Pieces()
    pieces.count = wp.array([len(piece.corners) for piece in every], dtype=int, device=device)
    pieces.corners, pieces.normals = (wp.array(rows, dtype=wp.vec2d, device=device) for rows in (corners, normals))
    pieces.middle = wp.array(middles, dtype=wp.vec2d, device=device)
    pieces.radius, pieces.bound = _reals([piece.radius for piece in every], device), _reals(bounds, device)
    return pieces


def _bound(piece: Piece, middle: np.ndarray) -> float:
    return float(np.sqrt(((piece.corners - middle) ** 2).sum(axis=1)).max()) + piece.radius


def _reals(values: Sequence[float], device: str) -> Any:
    return wp.array(np.array(values, float), dtype=wp.float64, device=device)
