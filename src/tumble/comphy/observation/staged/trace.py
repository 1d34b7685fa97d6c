"""Kernels that give each pixel its first colour: the empty floor, and a ray where objects can change it.

Tiles are traced by `lanes` threads each: one for each pixel on a GPU, one for all of them on a CPU.
"""

import warp as wp

from tumble.comphy.observation.renderer.srgb import srgb_pixel
from tumble.comphy.observation.renderer.tiles import TILE, shadowing_in, visible_in
from tumble.comphy.observation.renderer.view import View, ray
from tumble.comphy.observation.renderer.warp_module import RAY_KERNEL
from tumble.comphy.observation.staged.lighting import ALL_RAYS, light_on_floor
from tumble.comphy.observation.staged.ray_color import ray_color
from tumble.comphy.observation.staged.scene import Scene
from tumble.comphy.observation.staged.warp_module import KERNELS

TILE_SIDE = wp.constant(TILE)
TILE_PIXELS = wp.constant(TILE * TILE)


@wp.kernel(module=KERNELS)
def draw_empty_floor(
    view: View, scene: Scene, stage: int, srgb: wp.array(dtype=wp.uint8), rgb: wp.array2d(dtype=wp.vec3ub)
) -> None:
    """The picture of a stage without objects."""
    y, x = wp.tid()
    direction = ray(view, float(x) + 0.5, float(y) + 0.5)
    light = light_on_floor(scene, stage, view.eye - direction * (view.eye[2] / direction[2]), 1.0, 1.0)
    rgb[y, x] = srgb_pixel(srgb, wp.cw_mul(scene.floors[stage, y, x], light))


@wp.kernel(module=KERNELS, **RAY_KERNEL)
def trace(
    view: View,
    scene: Scene,
    tiles: wp.array3d(dtype=int),
    srgb: wp.array(dtype=wp.uint8),
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
    for pixel in range(lane, TILE_PIXELS, lanes):
        y, x = row * TILE_SIDE + pixel // TILE_SIDE, column * TILE_SIDE + pixel % TILE_SIDE
        if y < mask.shape[1] and x < mask.shape[2]:
            direction = ray(view, float(x) + 0.5, float(y) + 0.5)
            label = int(0)
            far = -view.eye[2] / direction[2]
            if tile == 0:
                rgb[frame, y, x] = scene.empty[scene.frame_stages[frame], y, x]
            else:
                light, k, distance = ray_color(
                    scene, view, frame, visible_in(tile), shadowing_in(tile), y, x, direction, ALL_RAYS
                )
                rgb[frame, y, x] = srgb_pixel(srgb, light)
                label = k + 1
                far = distance
            mask[frame, y, x] = wp.uint8(label)
            if depth.shape[0] > 0:
                depth[frame, y, x] = far * wp.dot(direction, view.forward)
