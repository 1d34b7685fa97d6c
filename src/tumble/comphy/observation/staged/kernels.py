"""The kernels of a picture: tiles that objects can change, first colours of pixels, and several rays through edges.

The tiles are those in which an object, its shadow or the dark around its base can be seen. They are traced by
`lanes` threads each: one for each pixel on a GPU, one for all of them on a CPU.
"""

import warp as wp

from tumble.comphy.observation.renderer.kernels import (
    EDGE_TILE_SIDE,
    FARTHEST_PIXEL,
    TILE,
    ZERO,
    bodies_in_tile,
    grown,
    list_edges,
    no_span,
    sign,
    tile_span,
    visible_in,
)
from tumble.comphy.observation.renderer.scene import RAY_KERNEL, View, ray, srgb_pixel
from tumble.comphy.observation.staged.ray_color import ALL_RAYS, direct_light, fill_light, floor_light_at, ray_color
from tumble.comphy.observation.staged.scene import ABSENT, KERNELS, BodyPose, Geometry, MeshRow, StageRow, Surfaces

SPANS = 3
"""Of a body: where it, its shadow and its floor map can be seen."""
ABSENT_CODE = wp.constant(ABSENT)
BLOCK = wp.constant(wp.float64(2.0))
SPAN_COUNT = wp.constant(SPANS)


@wp.kernel(module=KERNELS)
def find_spans(
    view: View,
    meshes: wp.array(dtype=MeshRow),
    stages: wp.array(dtype=StageRow),
    frame_stages: wp.array(dtype=int),
    bodies: wp.array2d(dtype=BodyPose),
    spans: wp.array3d(dtype=wp.vec4i),
    edge_count: wp.array(dtype=int),
) -> None:
    """The tiles of each body, its shadow and its floor map, as rectangles [frame, body, SPANS].

    It also sets the number of edges to 0, before later kernels count them.
    """
    frame, k = wp.tid()
    if frame == 0 and k == 0:
        edge_count[0] = 0
    if bodies[frame, k].look == ABSENT_CODE:
        for kind in range(SPAN_COUNT):
            spans[frame, k, kind] = wp.vec4i(0, 0, -1, -1)
        return
    stage = frame_stages[frame]
    light = wp.vec3d(stages[stage].light)
    radius = wp.float64(stages[stage].light_radius)
    center = wp.vec3d(bodies[frame, k].center)
    half = wp.vec3d(bodies[frame, k].half)
    box = no_span()
    shadow = no_span()
    around = no_span()
    corners = int(8)
    sides = int(4)
    for i in range(corners):
        corner = center + wp.cw_mul(half, wp.vec3d(sign(i, 2), sign(i, 1), sign(i, 0)))
        box = grown(view, box, corner)
        height = wp.max(corner[2], ZERO)
        if height >= wp.float64(0.9) * light[2]:
            shadow = wp.vec4d(-FARTHEST_PIXEL, -FARTHEST_PIXEL, FARTHEST_PIXEL, FARTHEST_PIXEL)
        else:
            slope = height / (light[2] - height)
            x = corner[0] + (corner[0] - light[0]) * slope
            y = corner[1] + (corner[1] - light[1]) * slope
            for j in range(sides):
                side_x, side_y = sign(j, 1) * radius * slope, sign(j, 0) * radius * slope
                shadow = grown(view, shadow, wp.vec3d(x + side_x, y + side_y, ZERO))
    # The map may be turned: its corners lie on a circle.
    reach = wp.float64(meshes[bodies[frame, k].mesh].map_half) * wp.float64(1.4143)
    for j in range(sides):
        x = wp.float64(bodies[frame, k].origin[0]) + sign(j, 1) * reach
        y = wp.float64(bodies[frame, k].origin[1]) + sign(j, 0) * reach
        around = grown(view, around, wp.vec3d(x, y, ZERO))
    spans[frame, k, 0] = tile_span(box)
    # Blocks of the floor's light lie between pixels, up to 1.5 of them away.
    margin = wp.vec4d(-BLOCK, -BLOCK, BLOCK, BLOCK)
    spans[frame, k, 1] = tile_span(shadow + margin)
    spans[frame, k, 2] = tile_span(around + margin)


@wp.kernel(module=KERNELS)
def mark_tiles(spans: wp.array3d(dtype=wp.vec4i), tiles: wp.array3d(dtype=int)) -> None:
    """The bodies that matter in each tile [frame, row, column]."""
    frame, row, column = wp.tid()
    tiles[frame, row, column] = bodies_in_tile(spans, frame, row, column)


TILE_SIDE = wp.constant(TILE)
TILE_PIXELS = wp.constant(TILE * TILE)


@wp.kernel(module=KERNELS)
def light_empty_floor(
    view: View,
    stages: wp.array(dtype=StageRow),
    srgb: wp.array(dtype=wp.uint8),
    direct: wp.array2d(dtype=wp.vec3),
    ambient: wp.array2d(dtype=wp.vec3),
    rgb: wp.array2d(dtype=wp.vec3ub),
) -> None:
    """What the floor of stage 0 reflects without objects, and the picture of it; `direct` has its colours before."""
    y, x = wp.tid()
    direction = ray(view, float(x) + 0.5, float(y) + 0.5)
    point = view.eye + direction * (-view.eye[2] / direction[2])
    up = wp.vec3(0.0, 0.0, 1.0)
    color = direct[y, x]
    from_light = wp.cw_mul(color, stages[0].light_color) * direct_light(stages[0], point, up)
    from_sky = wp.cw_mul(color, stages[0].sky + fill_light(stages[0], up))
    direct[y, x] = from_light
    ambient[y, x] = from_sky
    rgb[y, x] = srgb_pixel(srgb, from_light + from_sky)


@wp.kernel(module=KERNELS, **RAY_KERNEL)
def trace(
    view: View,
    geometry: Geometry,
    surfaces: Surfaces,
    bodies: wp.array2d(dtype=BodyPose),
    tiles: wp.array3d(dtype=int),
    srgb: wp.array(dtype=wp.uint8),
    floor_light: wp.array3d(dtype=wp.vec2),
    floor_depth: wp.array2d(dtype=float),
    lanes: int,
    rgb: wp.array3d(dtype=wp.vec3ub),
    mask: wp.array3d(dtype=wp.uint8),
    depth: wp.array3d(dtype=float),
) -> None:
    """One ray for each pixel of the tiles that objects can change; the empty floor in the others.

    An empty array for the depth leaves it out.
    """
    frame, row, column, lane = wp.tid()
    tile = tiles[frame, row, column]
    number = surfaces.frame_stages[frame]
    for pixel in range(lane, TILE_PIXELS, lanes):
        y, x = row * TILE_SIDE + pixel // TILE_SIDE, column * TILE_SIDE + pixel % TILE_SIDE
        if y < mask.shape[1] and x < mask.shape[2]:
            label = int(0)
            if tile == 0:
                rgb[frame, y, x] = surfaces.empty[number, y, x]
            elif visible_in(tile) == 0:
                shares = floor_light_at(floor_light, frame, y, x)
                light = (
                    surfaces.floor_direct[number, y, x] * shares[0] + surfaces.floor_ambient[number, y, x] * shares[1]
                )
                rgb[frame, y, x] = srgb_pixel(srgb, light)
            else:
                direction = ray(view, float(x) + 0.5, float(y) + 0.5)
                color, k, distance = ray_color(
                    geometry,
                    surfaces,
                    bodies,
                    view,
                    frame,
                    visible_in(tile),
                    floor_light,
                    y,
                    x,
                    direction,
                    ALL_RAYS,
                )
                rgb[frame, y, x] = srgb_pixel(srgb, color)
                label = k + 1
                if k >= 0 and depth.shape[0] > 0:
                    depth[frame, y, x] = distance * wp.dot(direction, view.forward)
            mask[frame, y, x] = wp.uint8(label)
            if label == 0 and depth.shape[0] > 0:
                depth[frame, y, x] = floor_depth[y, x]


EDGE_RAYS = wp.constant(4)
"""Rays through a pixel at an edge, each in its own column and row of a 4 x 4 grid, with one shadow ray each."""
EDGE_STEP = wp.constant(56)
"""Difference to a neighbour, of 255, above which a pixel of an object is antialiased."""


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
    geometry: Geometry,
    surfaces: Surfaces,
    bodies: wp.array2d(dtype=BodyPose),
    tiles: wp.array3d(dtype=int),
    srgb: wp.array(dtype=wp.uint8),
    edges: wp.array(dtype=int),
    edge_count: wp.array(dtype=int),
    floor_light: wp.array3d(dtype=wp.vec2),
    threads: int,
    rgb: wp.array3d(dtype=wp.vec3ub),
) -> None:
    """The mean of four rays for each pixel at an edge; a thread takes every `threads`-th of them."""
    for index in range(wp.tid(), edge_count[0], threads):
        edge = edges[index]
        line, x = edge // rgb.shape[2], edge % rgb.shape[2]
        frame, y = line // rgb.shape[1], line % rgb.shape[1]
        tile = tiles[frame, y // EDGE_TILE_SIDE, x // EDGE_TILE_SIDE]
        light = wp.vec3(0.0, 0.0, 0.0)
        rays = int(EDGE_RAYS)  # a constant would unroll the loop, to four times as much code
        for part in range(rays):
            right = (float(part) + 0.5) / float(EDGE_RAYS)
            down = (float((2 * part + 1) % 5) + 0.5) / float(EDGE_RAYS)
            direction = ray(view, float(x) + right, float(y) + down)
            color, _k, _distance = ray_color(
                geometry,
                surfaces,
                bodies,
                view,
                frame,
                visible_in(tile),
                floor_light,
                y,
                x,
                direction,
                part,
            )
            light += color
        rgb[frame, y, x] = srgb_pixel(srgb, light / float(EDGE_RAYS))
