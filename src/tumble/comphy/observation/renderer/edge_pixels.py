"""Which pixels are at edges: those that differ from a neighbour. For the renderers of bodies and of objects alike."""

import warp as wp

from tumble.comphy.observation.renderer.tiles import TILE, visible_in

TILE_SIDE = wp.constant(TILE)
TILE_PIXELS = wp.constant(TILE * TILE)


@wp.func
def differs(
    rgb: wp.array3d(dtype=wp.vec3ub),
    mask: wp.array3d(dtype=wp.uint8),
    step: int,
    frame: int,
    y: int,
    x: int,
    v: int,
    u: int,
) -> bool:
    """Whether pixels (y, x) and (v, u) show different bodies, or colours of one that differ by more than `step`."""
    if v < 0 or u < 0 or v >= mask.shape[1] or u >= mask.shape[2]:
        return False
    if mask[frame, y, x] != mask[frame, v, u]:
        return True
    if mask[frame, y, x] == wp.uint8(0):
        return False
    one, other = rgb[frame, y, x], rgb[frame, v, u]
    for channel in range(3):
        if wp.abs(int(one[channel]) - int(other[channel])) > step:
            return True
    return False


@wp.func
def list_edges(
    frame: int,
    row: int,
    column: int,
    lane: int,
    tiles: wp.array3d(dtype=int),
    lanes: int,
    rgb: wp.array3d(dtype=wp.vec3ub),
    mask: wp.array3d(dtype=wp.uint8),
    step: int,
    edges: wp.array(dtype=int),
    edge_count: wp.array(dtype=int),
) -> None:
    """Lists pixels of a tile that differ from a neighbour, by their index in all frames.

    The order in which they are listed can vary on a GPU, but no pixel depends on it.
    """
    if visible_in(tiles[frame, row, column]) == 0:
        return
    for pixel in range(lane, TILE_PIXELS, lanes):
        y, x = row * TILE_SIDE + pixel // TILE_SIDE, column * TILE_SIDE + pixel % TILE_SIDE
        if y < mask.shape[1] and x < mask.shape[2]:
            is_edge = differs(rgb, mask, step, frame, y, x, y, x - 1) or differs(rgb, mask, step, frame, y, x, y, x + 1)
            is_edge = is_edge or differs(rgb, mask, step, frame, y, x, y - 1, x)
            is_edge = is_edge or differs(rgb, mask, step, frame, y, x, y + 1, x)
            if is_edge:
                edges[wp.atomic_add(edge_count, 0, 1)] = (frame * mask.shape[1] + y) * mask.shape[2] + x
