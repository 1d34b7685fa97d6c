"""The tiles of the picture in which a body, its shadow or its ambient occlusion can be seen.

Found in double precision and with a margin, so that no pixel depends on rounding.
"""

import warp as wp

from tumble.comphy.observation.renderer.body_row import ABSENT, MAX_BODIES, BodyRow
from tumble.comphy.observation.renderer.shading import LAMP, LAMP_RADIUS, OCCLUSION_RADIUS
from tumble.comphy.observation.renderer.view import Size, View, project
from tumble.comphy.observation.renderer.warp_module import KERNELS

TILE = 8
"""Pixels along each side of a tile."""
SPANS = 3
"""Of a body: where it, its shadow and its ambient occlusion can be seen."""

TILE_SIDE = wp.constant(wp.float64(TILE))
ABSENT_CODE = wp.constant(ABSENT)
SPAN_COUNT = wp.constant(SPANS)
SHADOWING_SHIFT = wp.constant(MAX_BODIES)
BODY_BITS = wp.constant((1 << MAX_BODIES) - 1)
LAMP_X, LAMP_Y, LAMP_Z = (wp.constant(wp.float64(part)) for part in LAMP)
PENUMBRA = wp.constant(wp.float64(LAMP_RADIUS))
OCCLUSION_SQUARE = wp.constant(wp.float64(OCCLUSION_RADIUS**2))
NEAREST_DEPTH = wp.constant(wp.float64(0.05))
"""What is nearer than this may be seen anywhere."""
FARTHEST_PIXEL = wp.constant(wp.float64(1.0e6))
ZERO = wp.constant(wp.float64(0.0))


def tile_counts(size: Size) -> tuple[int, int]:
    """Rows and columns of tiles."""
    return -(-size[1] // TILE), -(-size[0] // TILE)


@wp.func
def sign(index: int, bit: int) -> wp.float64:
    """-1 or 1, by a bit of the index of a corner."""
    return wp.float64(2 * ((index >> bit) & 1) - 1)


@wp.func
def no_span() -> wp.vec4d:
    return wp.vec4d(FARTHEST_PIXEL, FARTHEST_PIXEL, -FARTHEST_PIXEL, -FARTHEST_PIXEL)


@wp.func
def grown(view: View, span: wp.vec4d, point: wp.vec3d) -> wp.vec4d:
    """A span in pixels (left, top, right, bottom) with a point added."""
    seen = project(view, point)
    x = wp.clamp(seen[0], -FARTHEST_PIXEL, FARTHEST_PIXEL)
    y = wp.clamp(seen[1], -FARTHEST_PIXEL, FARTHEST_PIXEL)
    if seen[2] < NEAREST_DEPTH:
        return wp.vec4d(-FARTHEST_PIXEL, -FARTHEST_PIXEL, FARTHEST_PIXEL, FARTHEST_PIXEL)
    return wp.vec4d(wp.min(span[0], x), wp.min(span[1], y), wp.max(span[2], x), wp.max(span[3], y))


@wp.func
def tile_span(span: wp.vec4d) -> wp.vec4i:
    """A span in pixels to the tiles (first column, first row, last column, last row) around it, with a margin."""
    margin = wp.float64(1.0)
    return wp.vec4i(
        int(wp.floor((wp.floor(span[0]) - margin) / TILE_SIDE)),
        int(wp.floor((wp.floor(span[1]) - margin) / TILE_SIDE)),
        int(wp.floor((wp.floor(span[2]) + margin) / TILE_SIDE)),
        int(wp.floor((wp.floor(span[3]) + margin) / TILE_SIDE)),
    )


@wp.kernel(module=KERNELS)
def find_spans(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    spans: wp.array3d(dtype=wp.vec4i),
    edge_count: wp.array(dtype=int),
) -> None:
    """The tiles of each body, its shadow and its occlusion, as rectangles [frame, body, SPANS].

    It also sets the number of edges to 0, before later kernels count them.
    """
    frame, k = wp.tid()
    if frame == 0 and k == 0:
        edge_count[0] = 0
    if bodies[frame, k].shape == ABSENT_CODE:
        for kind in range(SPAN_COUNT):
            spans[frame, k, kind] = wp.vec4i(0, 0, -1, -1)
        return
    center = wp.vec3d(bodies[frame, k].center)
    radius = wp.float64(bodies[frame, k].bounding_radius)
    box = no_span()
    shadow = no_span()
    occlusion = no_span()
    corners = int(8)
    sides = int(4)
    for i in range(corners):
        corner = center + radius * wp.vec3d(sign(i, 2), sign(i, 1), sign(i, 0))
        box = grown(view, box, corner)
        height = wp.max(corner[2], ZERO)
        slope = height / (LAMP_Z - height)
        x = corner[0] + (corner[0] - LAMP_X) * slope
        y = corner[1] + (corner[1] - LAMP_Y) * slope
        for j in range(sides):
            around = PENUMBRA * slope
            shadow = grown(view, shadow, wp.vec3d(x + sign(j, 1) * around, y + sign(j, 0) * around, ZERO))
    reach = wp.sqrt(wp.max(OCCLUSION_SQUARE - center[2] * center[2], ZERO))
    for j in range(sides):
        at = wp.vec3d(center[0] + sign(j, 1) * reach, center[1] + sign(j, 0) * reach, ZERO)
        occlusion = grown(view, occlusion, at)
    spans[frame, k, 0] = tile_span(box)
    spans[frame, k, 1] = tile_span(shadow)
    spans[frame, k, 2] = tile_span(occlusion)


@wp.func
def covers(span: wp.vec4i, row: int, column: int) -> bool:
    return column >= span[0] and row >= span[1] and column <= span[2] and row <= span[3]


@wp.func
def bodies_in_tile(spans: wp.array3d(dtype=wp.vec4i), frame: int, row: int, column: int) -> int:
    """The bodies that matter in a tile: two sets, see `visible_in` and `shadowing_in`."""
    visible = int(0)
    shadowing = int(0)
    for k in range(spans.shape[1]):
        if covers(spans[frame, k, 0], row, column):
            visible = visible | (1 << k)
        if covers(spans[frame, k, 1], row, column) or covers(spans[frame, k, 2], row, column):
            shadowing = shadowing | (1 << k)
    return visible | (shadowing << SHADOWING_SHIFT)


@wp.kernel(module=KERNELS)
def mark_tiles(spans: wp.array3d(dtype=wp.vec4i), tiles: wp.array3d(dtype=int)) -> None:
    """The bodies that matter in each tile [frame, row, column]."""
    frame, row, column = wp.tid()
    tiles[frame, row, column] = bodies_in_tile(spans, frame, row, column)


@wp.func
def visible_in(tile: int) -> int:
    """The bodies that may be visible in a tile."""
    return tile & BODY_BITS


@wp.func
def shadowing_in(tile: int) -> int:
    """The bodies that may cast a shadow on the table in a tile, or occlude its sky."""
    return (tile >> SHADOWING_SHIFT) & BODY_BITS
