"""Kernels that find the pixels at edges of bodies, and trace several rays through each."""

import warp as wp

from tumble.comphy.observation.renderer.body_row import BodyRow
from tumble.comphy.observation.renderer.edge_pixels import TILE_SIDE, list_edges
from tumble.comphy.observation.renderer.ray_color import ray_color
from tumble.comphy.observation.renderer.srgb import srgb_pixel
from tumble.comphy.observation.renderer.tiles import shadowing_in, visible_in
from tumble.comphy.observation.renderer.view import View, ray
from tumble.comphy.observation.renderer.warp_module import KERNELS, RAY_KERNEL

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
        tile = tiles[frame, y // TILE_SIDE, x // TILE_SIDE]
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
