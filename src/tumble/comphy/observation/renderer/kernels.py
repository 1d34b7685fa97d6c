"""The kernels of a picture: tiles that bodies can change, first colours of pixels, and several rays through edges.

The tiles in which a body, its shadow or its ambient occlusion can be seen are found in double precision and with a
margin, so that no pixel depends on rounding. They are traced by `lanes` threads each: one for each pixel on a GPU,
one for all of them on a CPU. Pixels at edges are those that differ from a neighbour.
"""

import warp as wp

from tumble.comphy.observation.renderer.ray_color import LAMP, LAMP_RADIUS, OCCLUSION_RADIUS, empty_table, ray_color
from tumble.comphy.observation.renderer.scene import (
    ABSENT,
    KERNELS,
    MAX_BODIES,
    RAY_KERNEL,
    BodyRow,
    Size,
    View,
    project,
    ray,
    srgb_pixel,
)

TILE = 8
"""Pixels along each side of a tile."""
SPANS = 3
"""Of a body: where it, its shadow and its ambient occlusion can be seen."""

TILE_LENGTH = wp.constant(wp.float64(TILE))
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
        int(wp.floor((wp.floor(span[0]) - margin) / TILE_LENGTH)),
        int(wp.floor((wp.floor(span[1]) - margin) / TILE_LENGTH)),
        int(wp.floor((wp.floor(span[2]) + margin) / TILE_LENGTH)),
        int(wp.floor((wp.floor(span[3]) + margin) / TILE_LENGTH)),
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


TILE_SIDE = wp.constant(TILE)
TILE_PIXELS = wp.constant(TILE * TILE)


@wp.kernel(module=KERNELS)
def render_empty_table(
    view: View,
    srgb: wp.array(dtype=wp.uint8),
    rgb: wp.array2d(dtype=wp.vec3ub),
    depth: wp.array2d(dtype=float),
) -> None:
    """The picture and depth of the table without bodies."""
    y, x = wp.tid()
    direction = ray(view, float(x) + 0.5, float(y) + 0.5)
    light = empty_table(view.eye - direction * (view.eye[2] / direction[2]))
    rgb[y, x] = srgb_pixel(srgb, wp.vec3(light, light, light))
    depth[y, x] = -view.eye[2] / direction[2] * wp.dot(direction, view.forward)


@wp.kernel(module=KERNELS, **RAY_KERNEL)
def trace(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    tiles: wp.array3d(dtype=int),
    lamp: wp.array(dtype=wp.vec3),
    srgb: wp.array(dtype=wp.uint8),
    table_rgb: wp.array2d(dtype=wp.vec3ub),
    table_depth: wp.array2d(dtype=float),
    lanes: int,
    rgb: wp.array3d(dtype=wp.vec3ub),
    mask: wp.array3d(dtype=wp.uint8),
    depth: wp.array3d(dtype=float),
) -> None:
    """One ray for each pixel of the tiles that bodies can change; the empty table in the others.

    An empty array for the depth leaves it out.
    """
    frame, row, column, lane = wp.tid()
    tile = tiles[frame, row, column]
    for pixel in range(lane, TILE_PIXELS, lanes):
        y, x = row * TILE_SIDE + pixel // TILE_SIDE, column * TILE_SIDE + pixel % TILE_SIDE
        if y < mask.shape[1] and x < mask.shape[2]:
            label = int(0)
            if tile == 0:
                rgb[frame, y, x] = table_rgb[y, x]
                if depth.shape[0] > 0:
                    depth[frame, y, x] = table_depth[y, x]
            else:
                direction = ray(view, float(x) + 0.5, float(y) + 0.5)
                light, k, distance = ray_color(
                    bodies, lamp, frame, visible_in(tile), shadowing_in(tile), view.eye, direction
                )
                rgb[frame, y, x] = srgb_pixel(srgb, light)
                label = k + 1
                if depth.shape[0] > 0:
                    depth[frame, y, x] = wp.where(k < 0, table_depth[y, x], distance * wp.dot(direction, view.forward))
            mask[frame, y, x] = wp.uint8(label)


EDGE_TILE_SIDE = wp.constant(TILE)
EDGE_TILE_PIXELS = wp.constant(TILE * TILE)


@wp.func
def differs(
    rgb: wp.array3d(dtype=wp.vec3ub),
    mask: wp.array3d(dtype=wp.uint8),
    step: int,
    frame: int,
    y: int,
    x: int,
    v: int,
    u: int,
) -> bool:
    """Whether pixels (y, x) and (v, u) show different bodies, or colours of one that differ by more than `step`."""
    if v < 0 or u < 0 or v >= mask.shape[1] or u >= mask.shape[2]:
        return False
    if mask[frame, y, x] != mask[frame, v, u]:
        return True
    if mask[frame, y, x] == wp.uint8(0):
        return False
    one, other = rgb[frame, y, x], rgb[frame, v, u]
    for channel in range(3):
        if wp.abs(int(one[channel]) - int(other[channel])) > step:
            return True
    return False


@wp.func
def list_edges(
    frame: int,
    row: int,
    column: int,
    lane: int,
    tiles: wp.array3d(dtype=int),
    lanes: int,
    rgb: wp.array3d(dtype=wp.vec3ub),
    mask: wp.array3d(dtype=wp.uint8),
    step: int,
    edges: wp.array(dtype=int),
    edge_count: wp.array(dtype=int),
) -> None:
    """Lists pixels of a tile that differ from a neighbour, by their index in all frames.

    The order in which they are listed can vary on a GPU, but no pixel depends on it.
    """
    if visible_in(tiles[frame, row, column]) == 0:
        return
    for pixel in range(lane, EDGE_TILE_PIXELS, lanes):
        y, x = row * EDGE_TILE_SIDE + pixel // EDGE_TILE_SIDE, column * EDGE_TILE_SIDE + pixel % EDGE_TILE_SIDE
        if y < mask.shape[1] and x < mask.shape[2]:
            is_edge = differs(rgb, mask, step, frame, y, x, y, x - 1) or differs(rgb, mask, step, frame, y, x, y, x + 1)
            is_edge = is_edge or differs(rgb, mask, step, frame, y, x, y - 1, x)
            is_edge = is_edge or differs(rgb, mask, step, frame, y, x, y + 1, x)
            if is_edge:
                edges[wp.atomic_add(edge_count, 0, 1)] = (frame * mask.shape[1] + y) * mask.shape[2] + x


EDGE_RAYS = wp.constant(5)
"""Rays through a pixel at an edge, each in its own column and row of a 5 x 5 grid."""
EDGE_STEP = wp.constant(16)
"""Difference to a neighbour, of 255, above which a pixel of a body is antialiased."""


@wp.kernel(module=KERNELS)
def find_edges(
    tiles: wp.array3d(dtype=int),
    lanes: int,
    rgb: wp.array3d(dtype=wp.vec3ub),
    mask: wp.array3d(dtype=wp.uint8),
    edges: wp.array(dtype=int),
    edge_count: wp.array(dtype=int),
) -> None:
    """Lists the pixels that differ from a neighbour, by their index in all frames."""
    frame, row, column, lane = wp.tid()
    list_edges(frame, row, column, lane, tiles, lanes, rgb, mask, EDGE_STEP, edges, edge_count)


@wp.kernel(module=KERNELS, **RAY_KERNEL)
def antialias_edges(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    tiles: wp.array3d(dtype=int),
    lamp: wp.array(dtype=wp.vec3),
    srgb: wp.array(dtype=wp.uint8),
    edges: wp.array(dtype=int),
    edge_count: wp.array(dtype=int),
    threads: int,
    rgb: wp.array3d(dtype=wp.vec3ub),
) -> None:
    """The mean of five rays for each pixel at an edge; a thread takes every `threads`-th of them."""
    for index in range(wp.tid(), edge_count[0], threads):
        edge = edges[index]
        line, x = edge // rgb.shape[2], edge % rgb.shape[2]
        frame, y = line // rgb.shape[1], line % rgb.shape[1]
        tile = tiles[frame, y // EDGE_TILE_SIDE, x // EDGE_TILE_SIDE]
        light = wp.vec3(0.0, 0.0, 0.0)
        rays = int(EDGE_RAYS)  # a constant would unroll the loop, to five times as much code
        for part in range(rays):
            right = (float(part) + 0.5) / float(EDGE_RAYS)
            down = (float(2 * part % EDGE_RAYS) + 0.5) / float(EDGE_RAYS)
            direction = ray(view, float(x) + right, float(y) + down)
            color, _k, _distance = ray_color(
                bodies, lamp, frame, visible_in(tile), shadowing_in(tile), view.eye, direction
            )
            light += color
        rgb[frame, y, x] = srgb_pixel(srgb, light / float(EDGE_RAYS))
