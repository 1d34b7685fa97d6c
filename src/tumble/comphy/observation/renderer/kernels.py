"""Kernels over the pixels: the empty table, the tiles that bodies can change, and antialiasing of edges."""

import warp as wp

from tumble.comphy.observation.renderer.rays import BodyRow
from tumble.comphy.observation.renderer.shading import body_color, empty_table, nearest_body, shaded_table
from tumble.comphy.observation.renderer.tiles import TILE, Tile

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

LAST_SRGB_INDEX = 4095
"""Last index of the sRGB table, whose index is proportional to the square root of the light."""
SRGB_SCALE = wp.constant(float(LAST_SRGB_INDEX))
TILE_SIDE = wp.constant(TILE)
BLOCK = 128
"""Threads in a GPU block."""
EDGE_RAYS = wp.constant(5)
"""Rays through a pixel at an edge, each in its own column and row of a 5 x 5 grid."""
EDGE_STEP = wp.constant(16)
"""Difference to a neighbour, of 255, above which a pixel of a body is antialiased."""


@wp.struct
class View:
    """A camera and the size of its picture, in the form that rays need."""

    eye: wp.vec3
    forward: wp.vec3
    corner: wp.vec3
    """Towards the picture's upper left corner."""
    across: wp.vec3
    """Change of direction for each pixel to the right."""
    down: wp.vec3
    """Change of direction for each pixel downwards."""


@wp.func
def ray(view: View, x: float, y: float) -> wp.vec3:
    return wp.normalize(view.corner + view.across * x + view.down * y)


@wp.func
def on_table(view: View, direction: wp.vec3) -> wp.vec3:
    """The point of the table that a ray from the eye hits."""
    return view.eye - direction * (view.eye[2] / direction[2])


@wp.func
def to_srgb(srgb: wp.array(dtype=wp.uint8), light: float) -> wp.uint8:
    """Light to a byte of sRGB, by the table of `context.srgb_table`."""
    return srgb[int(wp.sqrt(wp.clamp(light, 0.0, 1.0)) * SRGB_SCALE + 0.5)]


@wp.kernel
def render_empty_table(
    view: View,
    srgb: wp.array(dtype=wp.uint8),
    rgb: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=float),
) -> None:
    """The picture and depth of the table without bodies."""
    y, x = wp.tid()
    direction = ray(view, float(x) + 0.5, float(y) + 0.5)
    gray = to_srgb(srgb, empty_table(on_table(view, direction)))
    for channel in range(3):
        rgb[y, x, channel] = gray
    depth[y, x] = -view.eye[2] / direction[2] * wp.dot(direction, view.forward)


@wp.func
def ray_color(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    tile: Tile,
    direction: wp.vec3,
    k: int,
    distance: float,
) -> wp.vec3:
    """Linear colour along a ray that enters body k at a distance, or hits the table (k = -1)."""
    if k >= 0:
        return body_color(bodies, lamp, tile.frame, k, view.eye + direction * distance, direction)
    gray = shaded_table(bodies, lamp, tile.frame, tile.shadowing, on_table(view, direction), 1)
    return wp.vec3(gray, gray, gray)


@wp.kernel
def fill_empty_table(
    table_rgb: wp.array3d(dtype=wp.uint8),
    table_depth: wp.array2d(dtype=float),
    rgb: wp.array4d(dtype=wp.uint8),
    mask: wp.array3d(dtype=wp.uint8),
    depth: wp.array3d(dtype=float),
) -> None:
    """Starts every frame as the empty table; one thread for each row."""
    frame, y = wp.tid()
    for x in range(mask.shape[2]):
        for channel in range(3):
            rgb[frame, y, x, channel] = table_rgb[y, x, channel]
        mask[frame, y, x] = wp.uint8(0)
        depth[frame, y, x] = table_depth[y, x]


@wp.kernel
def trace(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    tiles: wp.array(dtype=Tile),
    lamp: wp.array(dtype=wp.vec3),
    srgb: wp.array(dtype=wp.uint8),
    rgb: wp.array4d(dtype=wp.uint8),
    mask: wp.array3d(dtype=wp.uint8),
    depth: wp.array3d(dtype=float),
) -> None:
    """One ray for each pixel of the tiles."""
    index, pixel = wp.tid()
    tile = tiles[index]
    frame, y, x = tile.frame, tile.y + pixel // TILE_SIDE, tile.x + pixel % TILE_SIDE
    if y >= mask.shape[1] or x >= mask.shape[2]:
        return
    direction = ray(view, float(x) + 0.5, float(y) + 0.5)
    k, distance = nearest_body(bodies, frame, tile.visible, view.eye, direction)
    color = ray_color(view, bodies, lamp, tile, direction, k, distance)
    for channel in range(3):
        rgb[frame, y, x, channel] = to_srgb(srgb, color[channel])
    if k >= 0:
        mask[frame, y, x] = wp.uint8(k + 1)
        depth[frame, y, x] = distance * wp.dot(direction, view.forward)


@wp.func
def differs(
    rgb: wp.array4d(dtype=wp.uint8), mask: wp.array3d(dtype=wp.uint8), frame: int, y: int, x: int, v: int, u: int
) -> bool:
    """Whether pixels (y, x) and (v, u) show different bodies, or clearly different colours of one body."""
    if v < 0 or u < 0 or v >= mask.shape[1] or u >= mask.shape[2]:
        return False
    if mask[frame, y, x] != mask[frame, v, u]:
        return True
    if mask[frame, y, x] == wp.uint8(0):
        return False
    for channel in range(3):
        if wp.abs(int(rgb[frame, y, x, channel]) - int(rgb[frame, v, u, channel])) > EDGE_STEP:
            return True
    return False


@wp.kernel
def find_edges(
    tiles: wp.array(dtype=Tile),
    rgb: wp.array4d(dtype=wp.uint8),
    mask: wp.array3d(dtype=wp.uint8),
    edges: wp.array2d(dtype=wp.uint8),
) -> None:
    """Marks the pixels that differ from a neighbour."""
    index, pixel = wp.tid()
    tile = tiles[index]
    frame, y, x = tile.frame, tile.y + pixel // TILE_SIDE, tile.x + pixel % TILE_SIDE
    edge = bool(False)
    if y < mask.shape[1] and x < mask.shape[2]:
        edge = differs(rgb, mask, frame, y, x, y, x - 1) or differs(rgb, mask, frame, y, x, y, x + 1)
        edge = edge or differs(rgb, mask, frame, y, x, y - 1, x) or differs(rgb, mask, frame, y, x, y + 1, x)
    edges[index, pixel] = wp.where(edge, wp.uint8(1), wp.uint8(0))


@wp.kernel
def antialias_edges(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    tiles: wp.array(dtype=Tile),
    lamp: wp.array(dtype=wp.vec3),
    srgb: wp.array(dtype=wp.uint8),
    edges: wp.array2d(dtype=wp.uint8),
    rgb: wp.array4d(dtype=wp.uint8),
) -> None:
    """The mean of five rays for each pixel at an edge."""
    index, pixel = wp.tid()
    if edges[index, pixel] == wp.uint8(0):
        return
    tile = tiles[index]
    frame, y, x = tile.frame, tile.y + pixel // TILE_SIDE, tile.x + pixel % TILE_SIDE
    light = wp.vec3(0.0, 0.0, 0.0)
    for part in range(EDGE_RAYS):
        right = (float(part) + 0.5) / float(EDGE_RAYS)
        down = (float(2 * part % EDGE_RAYS) + 0.5) / float(EDGE_RAYS)
        direction = ray(view, float(x) + right, float(y) + down)
        k, distance = nearest_body(bodies, frame, tile.visible, view.eye, direction)
        light += ray_color(view, bodies, lamp, tile, direction, k, distance)
    for channel in range(3):
        rgb[frame, y, x, channel] = to_srgb(srgb, light[channel] / float(EDGE_RAYS))
