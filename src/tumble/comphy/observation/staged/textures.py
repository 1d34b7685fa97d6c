"""Textures: the nine floors, and wood, ceramic and painted dots of objects, all from noise and a few colours.

Noise is hashed integers, smoothly interpolated; only sums and products, the same on CPU and GPU. The function of a
floor gets a point in the floor's own directions and returns red, green, blue (linear) and a height; a kernel
computes a floor once, for the pixels of a camera or for a map seen from above. Patterns are in the object's own
space.
"""

import warp as wp

from tumble.comphy.observation.renderer.scene import View, ray
from tumble.comphy.observation.staged.scene import KERNELS, LookRow, StageRow


@wp.func
def hashed(x: int, y: int, z: int) -> float:
    """A number from 0 to 1 for each triple of integers."""
    h = (
        wp.uint32(x) * wp.uint32(1640531527)
        + wp.uint32(y) * wp.uint32(2048144789)
        + wp.uint32(z) * wp.uint32(1028477387)
    )
    h = (h ^ (h >> wp.uint32(15))) * wp.uint32(739982445)
    h = (h ^ (h >> wp.uint32(12))) * wp.uint32(695872825)
    h = h ^ (h >> wp.uint32(15))
    return float(h >> wp.uint32(8)) / 16777216.0


@wp.func
def smooth(t: float) -> float:
    return t * t * (3.0 - 2.0 * t)


@wp.func
def ramp(low: float, high: float, value: float) -> float:
    """0 up to `low`, 1 from `high`, smooth between."""
    return smooth(wp.clamp((value - low) / (high - low), 0.0, 1.0))


@wp.func
def blend(one: float, other: float, share: float) -> float:
    return one + (other - one) * share


@wp.func
def fraction(value: float) -> float:
    return value - wp.floor(value)


@wp.func
def noise2(x: float, y: float, seed: int) -> float:
    """Smooth noise from 0 to 1 over the plane, with cells of size 1."""
    i, j = int(wp.floor(x)), int(wp.floor(y))
    u, v = smooth(x - float(i)), smooth(y - float(j))
    low = blend(hashed(i, j, seed), hashed(i + 1, j, seed), u)
    high = blend(hashed(i, j + 1, seed), hashed(i + 1, j + 1, seed), u)
    return blend(low, high, v)


@wp.func
def noise3(point: wp.vec3, seed: int) -> float:
    """Smooth noise from 0 to 1 in space, with cells of size 1."""
    layer = int(wp.floor(point[2]))
    share = smooth(point[2] - float(layer))
    below = noise2(point[0], point[1], seed + 57 * layer)
    return blend(below, noise2(point[0], point[1], seed + 57 * (layer + 1)), share)


@wp.func
def cloudy(x: float, y: float, seed: int, octaves: int) -> float:
    """Noise of several sizes from 0 to 1, each half as large as the one before."""
    total = float(0.0)
    weight = float(0.5)
    scale = float(1.0)
    for octave in range(octaves):
        total += weight * noise2(x * scale, y * scale, seed + 101 * octave)
        scale = scale * 2.03
        weight = weight * 0.5
    return total + weight


@wp.func
def mixed(one: wp.vec3, other: wp.vec3, share: float) -> wp.vec3:
    return one + (other - one) * share


@wp.func
def with_height(color: wp.vec3, height: float) -> wp.vec4:
    return wp.vec4(color[0], color[1], color[2], height)


@wp.func
def to_edge(value: float, size: float) -> float:
    """Distance to the nearest multiple of a size."""
    part = fraction(value / size)
    return wp.min(part, 1.0 - part) * size


@wp.func
def planks(stage: StageRow, x: float, y: float) -> wp.vec4:
    """Boards with grain and narrow gaps, each of its own tone."""
    row = int(wp.floor(y / 0.3))
    shifted = x + 2.1 * hashed(row, 3, stage.seed)
    column = int(wp.floor(shifted / 2.1))
    tone = hashed(row, column, stage.seed + 1)
    along = shifted * 0.9 + 31.0 * tone
    bend = cloudy(along, y * 5.0 + 17.0 * tone, stage.seed + 2, 2)
    rings = fraction(bend * 5.0 + y * 3.0)
    rings = rings * ramp(0.0, 0.15, 1.0 - rings)
    fibre = noise2(along * 5.0, y * 110.0, stage.seed + 3)
    share = 0.55 * rings + 0.45 * fibre * fibre
    color = mixed(stage.color_a, stage.color_b, share) * (0.78 + 0.42 * tone)
    edge = wp.min(to_edge(y, 0.3), to_edge(shifted, 2.1))
    solid = ramp(0.002, 0.009, edge)
    return with_height(color * (0.25 + 0.75 * solid), 0.006 * solid - 0.002 * share)


@wp.func
def marble(stage: StageRow, x: float, y: float) -> wp.vec4:
    """Large polished slabs with veins."""
    row, column = int(wp.floor(y / 1.5)), int(wp.floor(x / 1.5))
    slab = 40.0 * hashed(row, column, stage.seed)
    bend_x = cloudy(x * 1.3 + slab, y * 1.3, stage.seed + 1, 5) - 0.5
    bend_y = cloudy(x * 1.3, y * 1.3 + slab, stage.seed + 2, 5) - 0.5
    along, across = x + 0.9 * bend_x + slab, 0.55 * y - 0.4 * x + 0.9 * bend_y
    wide = noise2(along * 0.55, across * 1.5, stage.seed + 3)
    fine = noise2(along * 1.4 + 7.0, across * 3.4, stage.seed + 4)
    clouds = cloudy(x * 1.7 + slab, y * 1.7, stage.seed + 5, 4)
    vein = 1.0 - ramp(0.0, 0.09, wp.abs(wide - 0.5))
    thread = 1.0 - ramp(0.0, 0.045, wp.abs(fine - 0.5))
    color = mixed(stage.color_a, stage.color_b, ramp(0.3, 0.75, clouds))
    color = mixed(color, stage.color_c, wp.min(0.65 * vein * vein + 0.45 * thread * ramp(0.4, 0.6, clouds), 0.8))
    joint = ramp(0.003, 0.008, wp.min(to_edge(x, 1.5), to_edge(y, 1.5)))
    return with_height(color * (0.6 + 0.4 * joint), 0.002 * joint)


@wp.func
def concrete(stage: StageRow, x: float, y: float) -> wp.vec4:
    """Blotches, fine grain, small pores, a crack here and there, and joints."""
    blotches = cloudy(x * 0.9, y * 0.9, stage.seed, 5)
    stains = cloudy(x * 3.1, y * 3.1, stage.seed + 5, 4)
    grain = noise2(x * 140.0, y * 140.0, stage.seed + 1)
    pores = ramp(0.86, 0.92, noise2(x * 62.0, y * 62.0, stage.seed + 2)) * ramp(0.4, 0.6, stains)
    bend = cloudy(x * 2.0, y * 2.0, stage.seed + 4, 5)
    crack = 1.0 - ramp(0.0, 0.006, wp.abs(noise2(x * 0.45 + 0.5 * bend, y * 0.45 + 0.5 * bend, stage.seed + 3) - 0.5))
    color = mixed(stage.color_a, stage.color_b, 0.6 * ramp(0.25, 0.75, blotches) + 0.4 * stains)
    joint = ramp(0.005, 0.012, wp.min(to_edge(x + 0.4, 2.4), to_edge(y + 1.1, 3.0)))
    dark = wp.max(0.6 * pores, 0.5 * crack * ramp(0.5, 0.6, blotches))
    color = color * ((0.88 + 0.24 * grain) * (1.0 - dark) * (0.45 + 0.55 * joint))
    return with_height(color, 0.008 * joint + 0.002 * grain - 0.003 * dark)


@wp.func
def tiles(stage: StageRow, x: float, y: float) -> wp.vec4:
    """Glazed squares in two colours, with grout between them."""
    size = 0.46
    row, column = int(wp.floor(y / size)), int(wp.floor(x / size))
    tone = hashed(row, column, stage.seed)
    clouds = cloudy(x * 3.0 + 9.0 * tone, y * 3.0, stage.seed + 1, 3)
    glaze = wp.vec3(stage.color_a)
    if (row + column) % 2 != 0:
        glaze = stage.color_b
    glaze = glaze * (0.88 + 0.14 * tone + 0.16 * (clouds - 0.5))
    edge = wp.min(to_edge(x, size), to_edge(y, size))
    solid = ramp(0.009, 0.013, edge)
    grout = stage.color_c * (0.8 + 0.4 * noise2(x * 90.0, y * 90.0, stage.seed + 2))
    return with_height(mixed(grout, glaze, solid), 0.010 * ramp(0.007, 0.034, edge))


@wp.func
def carpet(stage: StageRow, x: float, y: float) -> wp.vec4:
    """Short pile, knotted in rows, with a pattern of nested diamonds."""
    knot = 0.03
    row, column = wp.floor(y / knot), wp.floor(x / knot)
    across, up = to_edge(column * knot, 0.9), to_edge(row * knot, 0.9)
    ring = across + up
    color = wp.vec3(stage.color_a)
    if wp.abs(ring - 0.45) < 0.045 or ring < 0.06:
        color = stage.color_c
    elif wp.abs(ring - 0.26) < 0.06 or wp.abs(ring - 0.66) < 0.06:
        color = stage.color_b
    shade = hashed(int(row), int(column), stage.seed)
    pile = noise2(x * 130.0, y * 130.0, stage.seed + 1)
    u, v = fraction(x / knot) - 0.5, fraction(y / knot) - 0.5
    round_top = 1.0 - 2.0 * (u * u + v * v)
    color = color * (0.55 + 0.2 * shade + 0.35 * pile) * (0.55 + 0.5 * round_top)
    return with_height(color, 0.008 * round_top + 0.008 * pile)


@wp.func
def sand(stage: StageRow, x: float, y: float) -> wp.vec4:
    """Wind ripples and grains."""
    bend = cloudy(x * 0.8, y * 0.8, stage.seed, 3) + 0.15 * noise2(x * 3.0, y * 3.0, stage.seed + 1)
    phase = fraction(y * 3.2 + 2.8 * bend)
    ripple = wp.where(phase < 0.7, ramp(0.0, 0.7, phase), 1.0 - ramp(0.7, 1.0, phase))
    fade = ramp(0.25, 0.7, noise2(x * 0.7, y * 0.7, stage.seed + 2))
    grain = noise2(x * 150.0, y * 150.0, stage.seed + 3)
    dark = ramp(0.87, 0.93, noise2(x * 95.0, y * 95.0, stage.seed + 4))
    color = mixed(stage.color_b, stage.color_a, 0.25 + 0.5 * ripple * fade + 0.25 * bend)
    color = color * (0.72 + 0.5 * grain) * (1.0 - 0.45 * dark)
    return with_height(color, 0.05 * ripple * (0.35 + 0.65 * fade) + 0.004 * grain)


@wp.func
def cloth(stage: StageRow, x: float, y: float) -> wp.vec4:
    """A woven table cloth with wide checks, and soft folds."""
    size, thread = 0.32, 0.022
    warp_share = wp.where(fraction(x / size) < 0.5, 1.0, 0.0)
    weft_share = wp.where(fraction(y / size) < 0.5, 1.0, 0.0)
    column, row = int(wp.floor(x / thread)), int(wp.floor(y / thread))
    u, v = fraction(x / thread) - 0.5, fraction(y / thread) - 0.5
    share = float(warp_share)
    bulge = 1.0 - 3.0 * u * u - v * v
    if (row + column) % 2 == 0:
        share = float(weft_share)
        bulge = 1.0 - 3.0 * v * v - u * u
    color = mixed(stage.color_a, stage.color_b, share)
    stripe = to_edge(x, size) < 0.02 or to_edge(y, size) < 0.02
    if stripe:
        color = mixed(color, stage.color_c, 0.45)
    color = color * (0.62 + 0.42 * bulge) * (0.9 + 0.2 * hashed(row, column, stage.seed))
    fold = cloudy(x * 0.55 + 0.2 * y, y * 0.3, stage.seed + 1, 2)
    return with_height(color, 0.004 * bulge + 0.35 * fold)


@wp.func
def metal(stage: StageRow, x: float, y: float) -> wp.vec4:
    """Checker plate: brushed steel with raised lozenges in two directions, in sheets with rivets."""
    size = 0.19
    row, column = int(wp.floor(y / size)), int(wp.floor(x / size))
    u, v = fraction(x / size) - 0.5, fraction(y / size) - 0.5
    along, across = (u + v) * 0.7071, (u - v) * 0.7071
    if (row + column) % 2 != 0:
        along, across = across, along
    shape = 1.0 - (along * along / 0.2 + across * across / 0.011)
    raised = ramp(0.0, 0.5, shape)
    brushed = noise2(x * 3.0, y * 160.0, stage.seed) * 0.6 + noise2(x * 9.0, y * 420.0, stage.seed + 1) * 0.4
    stain = cloudy(x * 1.1, y * 1.1, stage.seed + 2, 4)
    color = mixed(stage.color_a, stage.color_b, ramp(0.3, 0.8, stain)) * (0.72 + 0.4 * brushed)
    color = mixed(color, stage.color_c, 0.55 * raised)
    seam = ramp(0.004, 0.012, wp.min(to_edge(x, 2.28), to_edge(y, 2.28)))
    return with_height(color * (0.35 + 0.65 * seam), 0.022 * raised + 0.006 * seam)


@wp.func
def grass(stage: StageRow, x: float, y: float) -> wp.vec4:
    """Blades of three layers, each leaning its own way, over dark soil."""
    height = float(0.0)
    tone = float(0.0)
    clumps = cloudy(x * 1.6, y * 1.6, stage.seed, 3)
    layers = int(4)
    for layer in range(layers):
        lean = float(layer) * 0.8 - 1.2
        along = y + lean * x * 0.55
        across = x - lean * y * 0.55 + 0.05 * noise2(x * 5.0, y * 5.0, stage.seed + 7 * layer)
        column = int(wp.floor(across / 0.034))
        shift = hashed(column, layer, stage.seed)
        blade = int(wp.floor(along / 0.2 + shift))
        tip = fraction(along / 0.2 + shift)
        width = 0.5 * (1.0 - tip * tip)
        inside = width - wp.abs(fraction(across / 0.034) - 0.5)
        top = (0.25 + 0.5 * tip + 0.45 * hashed(column, blade, stage.seed + layer)) * ramp(0.0, 0.1, inside)
        if top > height:
            height = top
            tone = hashed(blade, column, stage.seed + 50 + layer)
    color = mixed(stage.color_a, stage.color_b, 0.65 * tone + 0.35 * clumps)
    color = mixed(stage.color_c, color, ramp(0.1, 0.75, height)) * (0.65 + 0.55 * clumps)
    return with_height(color, 0.012 * height)


@wp.func
def floor_surface(stage: StageRow, point_x: float, point_y: float) -> wp.vec4:
    """Colour and height of a stage's floor at a point of the world."""
    x = stage.turn[0] * point_x + stage.turn[1] * point_y + stage.offset[0]
    y = stage.turn[0] * point_y - stage.turn[1] * point_x + stage.offset[1]
    if stage.kind == 0:
        return planks(stage, x, y)
    if stage.kind == 1:
        return marble(stage, x, y)
    if stage.kind == 2:
        return concrete(stage, x, y)
    if stage.kind == 3:
        return tiles(stage, x, y)
    if stage.kind == 4:
        return carpet(stage, x, y)
    if stage.kind == 5:
        return sand(stage, x, y)
    if stage.kind == 6:
        return cloth(stage, x, y)
    if stage.kind == 7:
        return metal(stage, x, y)
    return grass(stage, x, y)


SAMPLES = wp.constant(3)
"""Points for each pixel along either axis."""
STEP = wp.constant(0.004)
"""Distance to the point whose height says how the floor slopes towards the light."""


@wp.func
def lit_floor(stage: StageRow, x: float, y: float) -> wp.vec3:
    """The floor's colour times the light that its relief takes or adds."""
    towards = wp.vec2(stage.light[0] - x, stage.light[1] - y)
    distance = wp.length(towards)
    towards = towards / wp.max(distance, 1.0e-6)
    here = floor_surface(stage, x, y)
    there = floor_surface(stage, x + STEP * towards[0], y + STEP * towards[1])
    slope = (here[3] - there[3]) / STEP * distance / stage.light[2]
    return wp.vec3(here[0], here[1], here[2]) * wp.clamp(1.0 + 0.75 * slope, 0.45, 1.6)


@wp.kernel(module=KERNELS)
def bake_floor(view: View, plan: wp.vec3, stages: wp.array(dtype=StageRow), floor: wp.array2d(dtype=wp.vec3)) -> None:
    """The mean colour in each pixel; a plan (left, bottom, size of a pixel) with a size above 0 is seen from above."""
    row, column = wp.tid()
    stage = stages[0]
    total = wp.vec3(0.0, 0.0, 0.0)
    samples = int(SAMPLES)
    for i in range(samples):
        for j in range(samples):
            x = float(column) + (float(j) + hashed(row, column, 8 * i + j)) / float(SAMPLES)
            y = float(row) + (float(i) + hashed(column, row, 97 + 8 * i + j)) / float(SAMPLES)
            point = wp.vec3(plan[0] + x * plan[2], plan[1] + y * plan[2], 0.0)
            if plan[2] <= 0.0:
                direction = ray(view, x, y)
                point = view.eye - direction * (view.eye[2] / direction[2])
            total += lit_floor(stage, point[0], point[1])
    floor[row, column] = total / float(SAMPLES * SAMPLES)


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
