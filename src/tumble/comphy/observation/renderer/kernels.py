"""The passes over the pixels: the bare table, the tiles with bodies, and anti-aliasing of edges."""

import warp as wp

from tumble.comphy.observation.renderer.rays import BodyRow
from tumble.comphy.observation.renderer.shading import bare_table, body_color, nearest, table
from tumble.comphy.observation.renderer.tiles import TILE, Tile

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

LAST_TONE = 4095
"""Last index of the table of tones, whose index is the square root of the light."""
TONES = wp.constant(float(LAST_TONE))
TILE_SIDE = wp.constant(TILE)
BLOCK = 128
"""Threads of a GPU block."""
EDGE_RAYS = wp.constant(5)
"""Rays through a pixel at an edge, no two in the same column or row of its grid of sub-pixels."""
EDGE_CONTRAST = wp.constant(16)
"""Difference of tone between neighbours, of 255, above which a body's pixel is anti-aliased."""


@wp.struct
class View:
    """A camera and the size of its picture, as rays need them."""

    eye: wp.vec3
    forward: wp.vec3
    corner: wp.vec3
    """Direction to the picture's upper left corner."""
    across: wp.vec3
    """Added for each pixel to the right …"""
    down: wp.vec3
    """… and downwards."""


@wp.func
def ray(view: View, x: float, y: float) -> wp.vec3:
    return wp.normalize(view.corner + view.across * x + view.down * y)


@wp.func
def on_table(view: View, direction: wp.vec3) -> wp.vec3:
    return view.eye - direction * (view.eye[2] / direction[2])


@wp.func
def to_srgb(tones: wp.array(dtype=wp.uint8), light: float) -> wp.uint8:
    """Linear light as a byte of sRGB."""
    return tones[int(wp.sqrt(wp.clamp(light, 0.0, 1.0)) * TONES + 0.5)]


@wp.kernel
def paint_table(
    view: View,
    tones: wp.array(dtype=wp.uint8),
    rgb: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=float),
) -> None:
    """Renders the table without bodies."""
    y, x = wp.tid()
    direction = ray(view, float(x) + 0.5, float(y) + 0.5)
    tone = to_srgb(tones, bare_table(on_table(view, direction)))
    for channel in range(3):
        rgb[y, x, channel] = tone
    depth[y, x] = -view.eye[2] / direction[2] * wp.dot(direction, view.forward)


@wp.func
def color_of(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    tile: Tile,
    direction: wp.vec3,
    k: int,
    distance: float,
) -> wp.vec3:
    """The colour along a ray that hits body k, or none (-1), at a distance; linear."""
    if k >= 0:
        return body_color(bodies, lamp, tile.frame, k, view.eye + direction * distance, direction)
    gray = table(bodies, lamp, tile.frame, tile.shading, on_table(view, direction))
    return wp.vec3(gray, gray, gray)


@wp.kernel
def lay_table(
    bare_rgb: wp.array3d(dtype=wp.uint8),
    bare_depth: wp.array2d(dtype=float),
    rgb: wp.array4d(dtype=wp.uint8),
    mask: wp.array3d(dtype=wp.uint8),
    depth: wp.array3d(dtype=float),
) -> None:
    """Fills every frame with the bare table, row by row."""
    frame, y = wp.tid()
    for x in range(mask.shape[2]):
        for channel in range(3):
            rgb[frame, y, x, channel] = bare_rgb[y, x, channel]
        mask[frame, y, x] = wp.uint8(0)
        depth[frame, y, x] = bare_depth[y, x]


@wp.kernel
def trace(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    tiles: wp.array(dtype=Tile),
    lamp: wp.array(dtype=wp.vec3),
    tones: wp.array(dtype=wp.uint8),
    rgb: wp.array4d(dtype=wp.uint8),
    mask: wp.array3d(dtype=wp.uint8),
    depth: wp.array3d(dtype=float),
) -> None:
    """Traces one ray for each pixel of the tiles."""
    index, pixel = wp.tid()
    tile = tiles[index]
    frame, y, x = tile.frame, tile.y + pixel // TILE_SIDE, tile.x + pixel % TILE_SIDE
    if y >= mask.shape[1] or x >= mask.shape[2]:
        return
    direction = ray(view, float(x) + 0.5, float(y) + 0.5)
    k, distance = nearest(bodies, frame, tile.seen, view.eye, direction)
    color = color_of(view, bodies, lamp, tile, direction, k, distance)
    for channel in range(3):
        rgb[frame, y, x, channel] = to_srgb(tones, color[channel])
    if k >= 0:
        mask[frame, y, x] = wp.uint8(k + 1)
        depth[frame, y, x] = distance * wp.dot(direction, view.forward)


@wp.func
def differs(
    rgb: wp.array4d(dtype=wp.uint8), mask: wp.array3d(dtype=wp.uint8), frame: int, y: int, x: int, v: int, u: int
) -> bool:
    """Whether two pixels show different bodies or different tones of one; the table itself has no edges."""
    if v < 0 or u < 0 or v >= mask.shape[1] or u >= mask.shape[2]:
        return False
    if mask[frame, y, x] != mask[frame, v, u]:
        return True
    if mask[frame, y, x] == wp.uint8(0):
        return False
    for channel in range(3):
        if wp.abs(int(rgb[frame, y, x, channel]) - int(rgb[frame, v, u, channel])) > EDGE_CONTRAST:
            return True
    return False


@wp.kernel
def mark_edges(
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
def refine(
    view: View,
    bodies: wp.array2d(dtype=BodyRow),
    tiles: wp.array(dtype=Tile),
    lamp: wp.array(dtype=wp.vec3),
    tones: wp.array(dtype=wp.uint8),
    edges: wp.array2d(dtype=wp.uint8),
    rgb: wp.array4d(dtype=wp.uint8),
) -> None:
    """Averages several rays for each pixel at an edge."""
    index, pixel = wp.tid()
    if edges[index, pixel] == wp.uint8(0):
        return
    tile = tiles[index]
    frame, y, x = tile.frame, tile.y + pixel // TILE_SIDE, tile.x + pixel % TILE_SIDE
    light = wp.vec3(0.0, 0.0, 0.0)
    for sample in range(EDGE_RAYS):
        right = (float(sample) + 0.5) / float(EDGE_RAYS)
        down = (float(2 * sample % EDGE_RAYS) + 0.5) / float(EDGE_RAYS)
        direction = ray(view, float(x) + right, float(y) + down)
        k, distance = nearest(bodies, frame, tile.seen, view.eye, direction)
        light += color_of(view, bodies, lamp, tile, direction, k, distance)
    for channel in range(3):
        rgb[frame, y, x, channel] = to_srgb(tones, light[channel] / float(EDGE_RAYS))
