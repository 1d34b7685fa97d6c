"""The passes over the pixels: the bare table, what bodies change of it, and a second look at edges."""

import warp as wp

from tumble.comphy.renderer.areas import TILE
from tumble.comphy.renderer.rays import BodyRow
from tumble.comphy.renderer.shading import bare_table, body_color, nearest, table

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

LAST_TONE = 4095
"""Last index of the table of tones, which goes by the square root of the light."""
TONES = wp.constant(float(LAST_TONE))
TILE_SIDE = wp.constant(TILE)
BLOCK = 128
"""Threads of a GPU that go together."""
STEP = wp.constant(16)
"""Difference of tone between neighbours, of 255, above which a body's pixel is looked at more finely."""


@wp.struct
class View:
    """A camera and the size of its picture, as rays need them."""

    eye: wp.vec3
    forward: wp.vec3
    corner: wp.vec3
    """Towards the picture's upper left corner."""
    across: wp.vec3
    """What is added for each pixel to the right …"""
    down: wp.vec3
    """… and downwards."""


@wp.func
def ray(view: View, x: float, y: float) -> wp.vec3:
    return wp.normalize(view.corner + view.across * x + view.down * y)


@wp.func
def on_table(view: View, direction: wp.vec3) -> wp.vec3:
    return view.eye - direction * (view.eye[2] / direction[2])


@wp.func
def toned(tones: wp.array(dtype=wp.uint8), light: float) -> wp.uint8:
    """Light as a byte of sRGB."""
    return tones[int(wp.sqrt(wp.clamp(light, 0.0, 1.0)) * TONES + 0.5)]


@wp.kernel
def paint_table(
    view: View,
    tones: wp.array(dtype=wp.uint8),
    rgb: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=float),
):
    """The table without bodies."""
    y, x = wp.tid()
    direction = ray(view, float(x) + 0.5, float(y) + 0.5)
    tone = toned(tones, bare_table(on_table(view, direction)))
    for channel in range(3):
        rgb[y, x, channel] = tone
    depth[y, x] = -view.eye[2] / direction[2] * wp.dot(direction, view.forward)


@wp.func
def color_of(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    frame: int,
    direction: wp.vec3,
    k: int,
    distance: float,
) -> wp.vec3:
    """What is seen along a ray that enters body k, or none (-1), at a distance; linear."""
    if k >= 0:
        return body_color(bodies, lamp, frame, k, view.eye + direction * distance, direction)
    gray = table(bodies, lamp, frame, on_table(view, direction))
    return wp.vec3(gray, gray, gray)


@wp.kernel
def lay_table(
    bare_rgb: wp.array3d(dtype=wp.uint8),
    bare_depth: wp.array2d(dtype=float),
    rgb: wp.array4d(dtype=wp.uint8),
    mask: wp.array3d(dtype=wp.uint8),
    depth: wp.array3d(dtype=float),
):
    """Begins every frame with the bare table, row by row."""
    frame, y = wp.tid()
    for x in range(mask.shape[2]):
        for channel in range(3):
            rgb[frame, y, x, channel] = bare_rgb[y, x, channel]
        mask[frame, y, x] = wp.uint8(0)
        depth[frame, y, x] = bare_depth[y, x]


@wp.func
def pixel(tile: wp.vec3i, number: int) -> wp.vec3i:
    """Frame, y and x of a tile's pixel."""
    return wp.vec3i(tile[0], tile[1] + number // TILE_SIDE, tile[2] + number % TILE_SIDE)


@wp.kernel
def trace(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    tiles: wp.array(dtype=wp.vec3i),
    lamp: wp.array(dtype=wp.vec3),
    tones: wp.array(dtype=wp.uint8),
    rgb: wp.array4d(dtype=wp.uint8),
    mask: wp.array3d(dtype=wp.uint8),
    depth: wp.array3d(dtype=float),
):
    """One ray for each pixel of the tiles."""
    tile, number = wp.tid()
    at = pixel(tiles[tile], number)
    frame, y, x = at[0], at[1], at[2]
    if y >= mask.shape[1] or x >= mask.shape[2]:
        return
    direction = ray(view, float(x) + 0.5, float(y) + 0.5)
    k, distance = nearest(bodies, frame, view.eye, direction, -1)
    color = color_of(view, bodies, lamp, frame, direction, k, distance)
    for channel in range(3):
        rgb[frame, y, x, channel] = toned(tones, color[channel])
    if k >= 0:
        mask[frame, y, x] = wp.uint8(k + 1)
        depth[frame, y, x] = distance * wp.dot(direction, view.forward)


@wp.func
def differs(
    rgb: wp.array4d(dtype=wp.uint8), mask: wp.array3d(dtype=wp.uint8), frame: int, y: int, x: int, v: int, u: int
) -> bool:
    """Whether two pixels show different bodies or different tones of one; the table has no edges of its own."""
    if v < 0 or u < 0 or v >= mask.shape[1] or u >= mask.shape[2]:
        return False
    if mask[frame, y, x] != mask[frame, v, u]:
        return True
    if mask[frame, y, x] == wp.uint8(0):
        return False
    for channel in range(3):
        if wp.abs(int(rgb[frame, y, x, channel]) - int(rgb[frame, v, u, channel])) > STEP:
            return True
    return False


@wp.kernel
def mark_edges(
    tiles: wp.array(dtype=wp.vec3i),
    rgb: wp.array4d(dtype=wp.uint8),
    mask: wp.array3d(dtype=wp.uint8),
    edges: wp.array2d(dtype=wp.uint8),
):
    """Finds the pixels that differ from a neighbour."""
    tile, number = wp.tid()
    at = pixel(tiles[tile], number)
    frame, y, x = at[0], at[1], at[2]
    edge = bool(False)
    if y < mask.shape[1] and x < mask.shape[2]:
        edge = differs(rgb, mask, frame, y, x, y, x - 1) or differs(rgb, mask, frame, y, x, y, x + 1)
        edge = edge or differs(rgb, mask, frame, y, x, y - 1, x) or differs(rgb, mask, frame, y, x, y + 1, x)
    edges[tile, number] = wp.where(edge, wp.uint8(1), wp.uint8(0))


@wp.kernel
def refine(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    tiles: wp.array(dtype=wp.vec3i),
    lamp: wp.array(dtype=wp.vec3),
    tones: wp.array(dtype=wp.uint8),
    edges: wp.array2d(dtype=wp.uint8),
    rgb: wp.array4d(dtype=wp.uint8),
):
    """Nine rays for each pixel at an edge."""
    tile, number = wp.tid()
    if edges[tile, number] == wp.uint8(0):
        return
    at = pixel(tiles[tile], number)
    frame, y, x = at[0], at[1], at[2]
    light = wp.vec3(0.0, 0.0, 0.0)
    for part in range(9):
        shift_x = float(part % 3) / 3.0 + 1.0 / 6.0
        shift_y = float(part // 3) / 3.0 + 1.0 / 6.0
        direction = ray(view, float(x) + shift_x, float(y) + shift_y)
        k, distance = nearest(bodies, frame, view.eye, direction, -1)
        light += color_of(view, bodies, lamp, frame, direction, k, distance)
    for channel in range(3):
        rgb[frame, y, x, channel] = toned(tones, light[channel] / 9.0)
