"""Kernels that give each pixel its first colour: the empty floor, and a ray where objects can change it.

Tiles are traced by `lanes` threads each: one for each pixel on a GPU, one for all of them on a CPU.
"""

import warp as wp

from tumble.comphy.observation.renderer.srgb import srgb_pixel
from tumble.comphy.observation.renderer.tiles import TILE, visible_in
from tumble.comphy.observation.renderer.view import View, ray
from tumble.comphy.observation.renderer.warp_module import RAY_KERNEL
from tumble.comphy.observation.staged.floor_light import floor_light_at
from tumble.comphy.observation.staged.lighting import direct_light, fill_light
from tumble.comphy.observation.staged.ray_color import ALL_RAYS, ray_color
from tumble.comphy.observation.staged.scene import BodyPose, Geometry, StageRow, Surfaces
from tumble.comphy.observation.staged.warp_module import KERNELS

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
