"""The rule for spatial relations of two bodies: one kernel for batches in which every world has its own relations."""

from collections.abc import Sequence
from enum import IntFlag
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.rules.queries import (
    angle,
    current_step,
    int_param,
    position,
    scratch_int,
    set_scratch_int,
    table_float,
)
from tumble.engine.rules.rule import Rule, RuleError, touch
from tumble.engine.state.bodies import outline_of, surface_of, transform_of, vertex_position
from tumble.engine.state.geometry import AABB, Transform, aabb_grown, aabb_union, sine_cosine, to_local, to_world
from tumble.engine.state.layout import BODY_FIRST_SHAPE, BODY_SHAPES, SHAPE_DEF
from tumble.engine.state.world import World, body_int, pack_vecs, shape_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


class Relation(IntFlag):
    """Relations of a body `a` to a body `b`; joined by |, all of them must hold.

    The first four compare bounding boxes, without the skin of polygons. `a` is inside if each of its shapes lies wholly
    within a convex area that moves with `b`, without touching the area's edge.
    """

    ABOVE = 1
    """The lowest point of `a` is at or above the highest of `b`."""
    BELOW = 2
    """The highest point of `a` is below the lowest of `b`."""
    LEFT_OF = 4
    """The rightmost point of `a` is left of the leftmost of `b`."""
    RIGHT_OF = 8
    """The leftmost point of `a` is right of the rightmost of `b`."""
    TOUCHING = 16
    NOT_TOUCHING = 32
    INSIDE = 64
    NOT_INSIDE = 128


ABOVE = int(Relation.ABOVE)
BELOW = int(Relation.BELOW)
LEFT_OF = int(Relation.LEFT_OF)
RIGHT_OF = int(Relation.RIGHT_OF)
TOUCHING = int(Relation.TOUCHING)
NOT_TOUCHING = int(Relation.NOT_TOUCHING)
INSIDE = int(Relation.INSIDE)
NOT_INSIDE = int(Relation.NOT_INSIDE)
ALL = (1 << len(Relation)) - 1

# Columns of `Rule.ints`; `touch` reads columns 0 and 1, and column 0 of `Rule.floats`.
RELATIONS, HOLD, UNBROKEN, FIRST_EDGE, EDGES = 2, 3, 4, 5, 6


@wp.func(inline=False)
def _bounding_box(w: World, body: int) -> AABB:
    """The smallest box around a body as it is drawn: without the skin of polygons."""
    transform = transform_of(w, body)
    first = body_int(w, body, BODY_FIRST_SHAPE)
    box = AABB(wp.vec2(1.0e30, 1.0e30), wp.vec2(-1.0e30, -1.0e30))
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        shape_def = shape_int(w, shape, SHAPE_DEF)
        outline = outline_of(w, shape_def)
        if outline.count == 0:
            p = to_world(transform, vertex_position(pack_vecs(w), outline.first))
            box = aabb_union(box, aabb_grown(AABB(p, p), surface_of(w, shape_def).radius))
        for k in range(outline.count):
            v = to_world(transform, vertex_position(pack_vecs(w), outline.first + k))
            box = aabb_union(box, AABB(v, v))
    return box


@wp.func
def _is_disc_inside(w: World, p: wp.vec2, radius: float) -> bool:
    """Whether a disc about a point, in the coordinates of `b`, lies within the area; a point is a disc of radius 0."""
    first = int_param(w, FIRST_EDGE)
    for edge in range(first, first + int_param(w, EDGES)):
        x = table_float(w, 3 * edge)
        y = table_float(w, 3 * edge + 1)
        if table_float(w, 3 * edge + 2) - (x * p[0] + y * p[1]) <= radius:
            return False
    return True


@wp.func(inline=False)
def _is_inside(w: World, a: int, b: int) -> bool:
    """Whether all shapes of body `a` lie within the area that moves with body `b`."""
    transform_a = transform_of(w, a)
    sine, cosine = sine_cosine(angle(w, b))  # a round body's transform isn't kept rotated
    transform_b = Transform(position(w, b), sine, cosine)
    first = body_int(w, a, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, a, BODY_SHAPES)):
        shape_def = shape_int(w, shape, SHAPE_DEF)
        outline = outline_of(w, shape_def)
        points = int(outline.count)
        radius = float(0.0)
        if points == 0:
            points = int(1)
            radius = float(surface_of(w, shape_def).radius)
        for k in range(points):
            v = to_world(transform_a, vertex_position(pack_vecs(w), outline.first + k))
            if not _is_disc_inside(w, to_local(transform_b, v), radius):
                return False
    return True


@wp.func(inline=False)
def _holds(w: World) -> bool:
    """Whether all relations of this world hold now."""
    a = int_param(w, 0)
    b = int_param(w, 1)
    relations = int_param(w, RELATIONS)
    if (relations & (TOUCHING | NOT_TOUCHING)) != 0:
        if touch(w):
            if (relations & NOT_TOUCHING) != 0:
                return False
        elif (relations & TOUCHING) != 0:
            return False
    if (relations & (INSIDE | NOT_INSIDE)) != 0:
        if _is_inside(w, a, b):
            if (relations & NOT_INSIDE) != 0:
                return False
        elif (relations & INSIDE) != 0:
            return False
    if (relations & (ABOVE | BELOW | LEFT_OF | RIGHT_OF)) != 0:
        box_a = _bounding_box(w, a)
        box_b = _bounding_box(w, b)
        if (relations & ABOVE) != 0 and box_a.low[1] < box_b.high[1]:
            return False
        if (relations & BELOW) != 0 and box_a.high[1] >= box_b.low[1]:
            return False
        if (relations & LEFT_OF) != 0 and box_a.high[0] >= box_b.low[0]:
            return False
        if (relations & RIGHT_OF) != 0 and box_a.low[0] <= box_b.high[0]:
            return False
    return True


@wp.func
def _needed_steps(w: World) -> int:
    """For how many steps the relations must hold: more if they have held in every step so far."""
    if scratch_int(w, 0) == current_step(w):
        return int_param(w, UNBROKEN)
    return int_param(w, HOLD)


@wp.func
def _held_long_enough(w: World) -> int:
    held = int(0)
    if _holds(w):
        held = scratch_int(w, 0) + 1
    set_scratch_int(w, 0, held)
    if held > 0 and held >= _needed_steps(w):
        return 1
    return 0


@wp.func
def _keeps_holding(w: World, max_steps: int) -> tuple[int, int]:
    held = scratch_int(w, 0)
    if held > 0:
        step = current_step(w) + _needed_steps(w) - held
        if step <= max_steps:
            return 1, step
    return 0, max_steps


@wp.func
def _too_late_to_hold(w: World, max_steps: int) -> bool:
    return scratch_int(w, 0) + max_steps - current_step(w) < int_param(w, HOLD)


def relations(
    a: Any,
    b: Any,
    relation: Any,
    hold: Any,
    unbroken: Any = 0,
    reach: Any = 0.0,
    areas: Sequence[np.ndarray] = (),
    area_of: Any = -1,
) -> Rule:
    """Verdict 1 once all relations of body `a` to body `b` have held for `hold` steps in a row.

    Each argument but `areas` is one number, or one for each world; `relation` is a `Relation`. Where `unbroken` is
    above `hold`, relations that have held in every step from the first on must hold for that many steps. `reach` is
    that of `touching`. INSIDE and NOT_INSIDE need an area: `areas` are convex polygons [n, 2], counter-clockwise, in
    metres and in the coordinates of `b`; `area_of` is each world's index in them, -1 for none.
    """
    columns = np.broadcast_arrays(*(np.asarray(value, np.int32) for value in (a, b, relation, hold, unbroken, area_of)))
    body_a, body_b, mask, needed, needed_unbroken, area = columns
    if np.min(needed, initial=1) < 1:
        raise RuleError(f"hold must be 1 step or more, not {np.min(needed)}")
    if np.any((mask < 1) | (mask > ALL)):
        raise RuleError("relation must be one Relation, or several joined by |")
    needs_area = (mask & (Relation.INSIDE | Relation.NOT_INSIDE)) != 0
    if np.any((area < -1) | (area >= len(areas)) | (needs_area & (area < 0))):
        raise RuleError(f"INSIDE and NOT_INSIDE need an area; area_of must lie in 0..{len(areas) - 1}")
    counts = np.array([*(len(polygon) for polygon in areas), 0], np.int32)
    first = np.cumsum(counts) - counts
    ints = np.stack(
        [body_a, body_b, mask, needed, np.maximum(needed, needed_unbroken), first[area], counts[area]], axis=-1
    ).astype(np.int32)
    return Rule(
        _held_long_enough,
        _keeps_holding,
        ints,
        np.broadcast_to(np.asarray(reach, np.float32), ints.shape[:-1])[..., None],
        too_late=_too_late_to_hold,
        only_scene_bodies=True,
        body_ints=(0, 1),
        table_floats=_edges(areas),
    )


def _edges(areas: Sequence[np.ndarray]) -> np.ndarray:
    """float32 [3 n]: of each edge its outward unit normal (x, y), and how far along it the edge lies."""
    parts = [np.zeros((0, 3))]
    for polygon in areas:
        vertices = np.asarray(polygon, float)
        along = np.roll(vertices, -1, axis=0) - vertices
        normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.hypot(*along.T)[:, None]
        parts.append(np.column_stack([normals, (normals * vertices).sum(axis=1)]))
    return np.concatenate(parts).astype(np.float32).reshape(-1)
