"""Noise for textures: hashed integers, smoothly interpolated. Only sums and products, the same on CPU and GPU."""

import warp as wp


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
