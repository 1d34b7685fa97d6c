"""The kernel that computes how much light objects leave to the floor, for blocks of 2 x 2 pixels.

Shadows are soft, so the pixels between the middles of blocks take what lies between.
"""

import warp as wp

from tumble.comphy.observation.renderer.tiles import TILE, shadowing_in
from tumble.comphy.observation.renderer.view import View, ray
from tumble.comphy.observation.renderer.warp_module import RAY_KERNEL
from tumble.comphy.observation.staged.lighting import FLOOR_RAYS, light_visibility, shadow_candidates, sky_on_floor
from tumble.comphy.observation.staged.scene import BodyPose, Geometry, Surfaces
from tumble.comphy.observation.staged.warp_module import KERNELS

BLOCKS = TILE // 2
"""Along each side of a tile."""
BLOCK_SIDE = wp.constant(BLOCKS)
TILE_BLOCKS = wp.constant(BLOCKS * BLOCKS)
LIFT = wp.constant(0.002)


@wp.kernel(module=KERNELS, **RAY_KERNEL)
def light_floor(
    view: View,
    geometry: Geometry,
    surfaces: Surfaces,
    bodies: wp.array2d(dtype=BodyPose),
    tiles: wp.array3d(dtype=int),
    lanes: int,
    floor_light: wp.array3d(dtype=wp.vec2),
) -> None:
    """The visible share of the light and of the sky in the middle of each block [frame, row, column]."""
    frame, row, column, lane = wp.tid()
    shadowing = shadowing_in(tiles[frame, row, column])
    number = surfaces.frame_stages[frame]
    for block in range(lane, TILE_BLOCKS, lanes):
        y, x = row * BLOCK_SIDE + block // BLOCK_SIDE, column * BLOCK_SIDE + block % BLOCK_SIDE
        share = wp.vec2(1.0, 1.0)
        if shadowing != 0:
            direction = ray(view, 2.0 * float(x) + 1.0, 2.0 * float(y) + 1.0)
            point = view.eye + direction * (-view.eye[2] / direction[2])
            start = point + wp.vec3(0.0, 0.0, LIFT)
            light, radius = surfaces.stages[number].light, surfaces.stages[number].light_radius
            candidates = shadow_candidates(bodies, frame, shadowing, light, radius, start)
            visible = light_visibility(
                geometry, bodies, surfaces.light_points, frame, number, candidates, start, 0, FLOOR_RAYS
            )
            share = wp.vec2(visible, sky_on_floor(geometry.meshes, surfaces.maps, bodies, frame, shadowing, point))
        floor_light[frame, y, x] = share


@wp.func
def floor_light_at(floor_light: wp.array3d(dtype=wp.vec2), frame: int, row: int, column: int) -> wp.vec2:
    """The shares in the middle of a pixel, between those of the four nearest blocks."""
    x = wp.max(0.5 * float(column) - 0.25, 0.0)
    y = wp.max(0.5 * float(row) - 0.25, 0.0)
    left, top = int(x), int(y)
    right, below = wp.min(left + 1, floor_light.shape[2] - 1), wp.min(top + 1, floor_light.shape[1] - 1)
    u, v = x - float(left), y - float(top)
    upper = floor_light[frame, top, left] * (1.0 - u) + floor_light[frame, top, right] * u
    lower = floor_light[frame, below, left] * (1.0 - u) + floor_light[frame, below, right] * u
    return upper * (1.0 - v) + lower * v
