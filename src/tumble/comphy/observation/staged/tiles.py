"""Kernels that mark the tiles of a picture in which an object, its shadow or the dark around its base can be seen."""

import warp as wp

from tumble.comphy.observation.renderer.tiles import (
    FARTHEST_PIXEL,
    ZERO,
    bodies_in_tile,
    grown,
    no_span,
    sign,
    tile_span,
)
from tumble.comphy.observation.renderer.view import View
from tumble.comphy.observation.staged.scene import ABSENT, BodyPose, MeshRow, StageRow
from tumble.comphy.observation.staged.warp_module import KERNELS

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
