"""Sine and cosine with the same bits on every device: double-precision polynomials, rounded once to single."""

import numpy as np
import warp as wp

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

_TWO_OVER_PI = 0.6366197723675814
_HALF_PI_HIGH = 1.5707963267341256  # 33 bits of pi/2, so that a multiple of it is exact
_HALF_PI_LOW = 6.077100506506192e-11


@wp.func(inline=False)
def sine_cosine(angle: float) -> tuple[float, float]:
    """The sine and the cosine of an angle in radians.

    The angle is reduced to |r| <= pi/4 and a number of quarter turns; the sums are the Taylor series in r.
    """
    x = wp.float64(angle)
    quarter = wp.floor(x * wp.float64(_TWO_OVER_PI) + wp.float64(0.5))
    r = (x - quarter * wp.float64(_HALF_PI_HIGH)) - quarter * wp.float64(_HALF_PI_LOW)
    z = r * r
    s = wp.float64(1.6059043836821613e-10)
    s = s * z - wp.float64(2.505210838544172e-08)
    s = s * z + wp.float64(2.7557319223985893e-06)
    s = s * z - wp.float64(1.984126984126984e-04)
    s = s * z + wp.float64(8.333333333333333e-03)
    s = s * z - wp.float64(1.6666666666666666e-01)
    s = r + r * z * s
    c = wp.float64(-1.1470745597729725e-11)
    c = c * z + wp.float64(2.08767569878681e-09)
    c = c * z - wp.float64(2.755731922398589e-07)
    c = c * z + wp.float64(2.48015873015873e-05)
    c = c * z - wp.float64(1.3888888888888889e-03)
    c = c * z + wp.float64(4.1666666666666664e-02)
    c = c * z - wp.float64(0.5)
    c = wp.float64(1.0) + z * c
    quadrant = int(quarter - wp.float64(4.0) * wp.floor(quarter * wp.float64(0.25)))
    sine = float(s)
    cosine = float(c)
    if quadrant == 1:
        sine = float(c)
        cosine = -float(s)
    elif quadrant == 2:
        sine = -float(s)
        cosine = -float(c)
    elif quadrant == 3:
        sine = -float(c)
        cosine = float(s)
    return sine, cosine


_SINE = (
    -1.6666666666666666e-01,
    8.333333333333333e-03,
    -1.984126984126984e-04,
    2.7557319223985893e-06,
    -2.505210838544172e-08,
    1.6059043836821613e-10,
)
_COSINE = (
    -0.5,
    4.1666666666666664e-02,
    -1.3888888888888889e-03,
    2.48015873015873e-05,
    -2.755731922398589e-07,
    2.08767569878681e-09,
    -1.1470745597729725e-11,
)


def exact_sine_cosine(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine outside kernels, in double precision, with the same bits on every machine."""
    x = np.asarray(angles, np.float64)
    quarter = np.floor(x * _TWO_OVER_PI + 0.5)
    r = (x - quarter * _HALF_PI_HIGH) - quarter * _HALF_PI_LOW
    z = r * r
    s = np.zeros_like(z)
    for factor in reversed(_SINE):
        s = s * z + factor
    s = r + r * z * s
    c = np.zeros_like(z)
    for factor in reversed(_COSINE):
        c = c * z + factor
    c = 1.0 + z * c
    quadrant = quarter.astype(np.int64) % 4
    sine = np.choose(quadrant, [s, c, -s, -c])
    cosine = np.choose(quadrant, [c, -s, -c, s])
    return sine, cosine
