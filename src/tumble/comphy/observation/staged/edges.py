"""Kernels that find the pixels at edges of objects, and trace several rays through each."""

import warp as wp

from tumble.comphy.observation.renderer.srgb import srgb_pixel
from tumble.comphy.observation.renderer.tiles import TILE, visible_in
from tumble.comphy.observation.renderer.view import View, ray
from tumble.comphy.observation.renderer.warp_module import RAY_KERNEL
from tumble.comphy.observation.staged.ray_color import ray_color
from tumble.comphy.observation.staged.scene import BodyPose, Geometry, Surfaces
from tumble.comphy.observation.staged.warp_module import KERNELS

TILE_SIDE = wp.constant(TILE)
TILE_PIXELS = wp.constant(TILE * TILE)
EDGE_RAYS = wp.constant(4)
"""Rays through a pixel at an edge, each in its own column and row of a 4 x 4 grid, with one shadow ray each."""
EDGE_STEP = wp.constant(56)
"""Difference to a neighbour, of 255, above which a pixel of an object is antialiased."""


@wp.func
def differs(
    rgb: wp.array3d(dtype=wp.vec3ub), mask: wp.array3d(dtype=wp.uint8), frame: int, y: int, x: int, v: int, u: int
) -> bool:
    """Whether pixels (y, x) and (v, u) show different objects, or clearly different colours of one."""
    if v < 0 or u < 0 or v >= mask.shape[1] or u >= mask.shape[2]:
        return False
    if mask[frame, y, x] != mask[frame, v, u]:
        return True
    if mask[frame, y, x] == wp.uint8(0):
        return False
    one, other = rgb[frame, y, x], rgb[frame, v, u]
    for channel in range(3):
        if wp.abs(int(one[channel]) - int(other[channel])) > EDGE_STEP:
            return True
    return False


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
    if visible_in(tiles[frame, row, column]) == 0:
        return
    for pixel in range(lane, TILE_PIXELS, lanes):
        y, x = row * TILE_SIDE + pixel // TILE_SIDE, column * TILE_SIDE + pixel % TILE_SIDE
        if y < mask.shape[1] and x < mask.shape[2]:
            is_edge = differs(rgb, mask, frame, y, x, y, x - 1) or differs(rgb, mask, frame, y, x, y, x + 1)
            is_edge = is_edge or differs(rgb, mask, frame, y, x, y - 1, x) or differs(rgb, mask, frame, y, x, y + 1, x)
            if is_edge:
                edges[wp.atomic_add(edge_count, 0, 1)] = (frame * mask.shape[1] + y) * mask.shape[2] + x


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
