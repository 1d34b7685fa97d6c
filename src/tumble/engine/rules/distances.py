"""How far bodies are from each other, for rules."""

import warp as wp

from tumble.engine.math.vectors import to_world
from tumble.engine.rules.queries import distance_to
from tumble.engine.state.bodies import transform_of
from tumble.engine.state.definitions import outline_of, surface_of, vertex_position
from tumble.engine.state.layout import BODY_FIRST_SHAPE, BODY_SHAPES, SHAPE_DEF
from tumble.engine.state.world import World, body_int, pack_vecs, shape_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func(inline=False)
def _corner_distance(w: World, body: int, other: int) -> float:
    """The smallest distance of the corners of a body, and of its circles, from another; negative inside."""
    nearest = float(1.0e30)
    transform = transform_of(w, body)
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        shape_def = shape_int(w, shape, SHAPE_DEF)
        outline = outline_of(w, shape_def)
        points = int(outline.count)
        radius = float(0.0)
        if points == 0:
            points = int(1)
            radius = float(surface_of(w, shape_def).radius)
        for k in range(points):
            p = to_world(transform, vertex_position(pack_vecs(w), outline.first + k))
            nearest = wp.min(nearest, distance_to(w, other, p[0], p[1]) - radius)
    return nearest


@wp.func
def surface_distance(w: World, a: int, b: int) -> float:
    """The distance of the surfaces of two bodies in metres, without the skin of polygons; 0 if they overlap.

    Of two convex shapes that are apart, one has a corner at (or is a circle from) which the distance is measured.
    """
    return wp.max(wp.min(_corner_distance(w, a, b), _corner_distance(w, b, a)), 0.0)
