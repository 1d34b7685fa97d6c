"""Textures of objects, in the object's own space: wood, ceramic, painted dots."""

import warp as wp

from tumble.comphy.observation.staged.noise import fraction, noise3, ramp
from tumble.comphy.observation.staged.scene import LookRow
from tumble.comphy.observation.staged.warp_module import KERNELS

WOOD, CERAMIC, PAINTED = 1, 2, 3
WOOD_CODE, CERAMIC_CODE, PAINTED_CODE = wp.constant(WOOD), wp.constant(CERAMIC), wp.constant(PAINTED)
DOT_CELL = wp.constant(0.105)
WHITE = wp.constant(wp.vec3(0.82, 0.80, 0.74))


@wp.func
def grain(point: wp.vec3) -> float:
    """From 0 in the dark rings of wood to 1: rings about an axis outside of the object, and fibres along it."""
    bend = noise3(wp.vec3(point[0] * 4.0, point[1] * 4.0, point[2] * 1.6), 5)
    x, y = point[0] + 0.62 + 0.07 * bend, point[1] + 0.35
    rings = fraction(wp.sqrt(x * x + y * y + 0.15 * point[2]) * 17.0 + 1.3 * bend)
    fibre = noise3(wp.vec3(point[0] * 95.0, point[1] * 95.0, point[2] * 7.0), 9)
    return 0.68 * rings * ramp(0.0, 0.2, 1.0 - rings) + 0.32 * fibre


@wp.func
def dots(point: wp.vec3) -> float:
    """1 in painted dots, which are spheres in space, and 0 between them."""
    x, y, z = point[0] / DOT_CELL, point[1] / DOT_CELL, point[2] / DOT_CELL
    row = int(wp.floor(z))
    if row % 2 != 0:
        x = x + 0.5
        y = y + 0.5
    u, v, w = fraction(x) - 0.5, fraction(y) - 0.5, fraction(z) - 0.5
    return 1.0 - ramp(0.33, 0.40, wp.sqrt(u * u + v * v + w * w))


@wp.func
def speckles(point: wp.vec3) -> float:
    """1 in the dark specks of a glaze."""
    return ramp(0.78, 0.84, noise3(point * 46.0, 3))


@wp.func
def surface_color(look: LookRow, point: wp.vec3, tint: wp.vec2) -> wp.vec3:
    """The diffuse colour of an object at a point of its own space, with the tint of its part."""
    color = look.diffuse * tint[0]
    color = color + (WHITE - color) * tint[1]
    if look.pattern == WOOD_CODE:
        share = grain(point + look.offset)
        return wp.cw_mul(color, wp.vec3(0.34, 0.28, 0.22) + wp.vec3(0.86, 0.80, 0.70) * share)
    if look.pattern == CERAMIC_CODE:
        return color * (1.0 - 0.6 * speckles(point + look.offset))
    if look.pattern == PAINTED_CODE:
        return color + (WHITE - color) * (0.9 * dots(point + look.offset))
    return color


@wp.kernel(module=KERNELS)
def paint_points(
    look: LookRow, points: wp.array(dtype=wp.vec3), tints: wp.array(dtype=wp.vec2), colors: wp.array(dtype=wp.vec3)
) -> None:
    """The diffuse colour at points of an object's own space, for other renderers."""
    index = wp.tid()
    colors[index] = surface_color(look, points[index], tints[index])
