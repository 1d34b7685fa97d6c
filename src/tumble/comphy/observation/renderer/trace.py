"""Kernels that give each pixel its first colour: the empty table, and a ray where bodies can change it.

Tiles are traced by `lanes` threads each: one for each pixel on a GPU, one for all of them on a CPU.
"""

import warp as wp

from tumble.comphy.observation.renderer.body_row import BodyRow
from tumble.comphy.observation.renderer.ray_color import ray_color
from tumble.comphy.observation.renderer.shading import empty_table
from tumble.comphy.observation.renderer.srgb import srgb_pixel
from tumble.comphy.observation.renderer.tiles import TILE, shadowing_in, visible_in
from tumble.comphy.observation.renderer.view import View, ray
from tumble.comphy.observation.renderer.warp_module import KERNELS, RAY_KERNEL

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
