"""Kernels that find the pixels at edges of objects, and trace several rays through each."""

import warp as wp

from tumble.comphy.observation.renderer.edge_pixels import TILE_SIDE, list_edges
from tumble.comphy.observation.renderer.srgb import srgb_pixel
from tumble.comphy.observation.renderer.tiles import visible_in
from tumble.comphy.observation.renderer.view import View, ray
from tumble.comphy.observation.renderer.warp_module import RAY_KERNEL
from tumble.comphy.observation.staged.ray_color import ray_color
from tumble.comphy.observation.staged.scene import BodyPose, Geometry, Surfaces
from tumble.comphy.observation.staged.warp_module import KERNELS

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
        tile = tiles[frame, y // TILE_SIDE, x // TILE_SIDE]
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
