"""The nine floors: colour and relief at a point of the plane, all from noise and three colours of the stage.

Each function gets a point in the floor's own directions and returns red, green, blue (linear) and a height.
"""

import warp as wp

from tumble.comphy.observation.staged.noise import cloudy, fraction, hashed, noise2, ramp
from tumble.comphy.observation.staged.scene import StageRow


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
