"""Every constant of the physics, in single precision as the kernels use it (source: Box2D 2.3's published settings)."""

import numpy as np

_f = np.float32


def _single(value: np.float32) -> float:
    """A Python float that holds exactly a single-precision value."""
    return float(_f(value))


PI = _single(_f(3.14159265359))
EPSILON = float(np.finfo(np.float32).eps)
EPSILON_SQUARED = _single(_f(EPSILON) * _f(EPSILON))
HUGE = float(np.finfo(np.float32).max)

LINEAR_SLOP = _single(_f(0.005))
"""Overlap in metres that position correction leaves alone."""
POLYGON_SKIN = _single(_f(2) * _f(LINEAR_SLOP))
VELOCITY_THRESHOLD = 1.0
"""Approach speed in m/s below which nothing bounces."""
MAX_CONDITION_NUMBER = 1000.0
"""Two-point contacts whose matrix is worse conditioned are solved at their first point only."""
FLIP_FACTOR = _single(_f(0.98))
FLIP_MARGIN = _single(_f(0.001))
"""The second polygon becomes the reference only if its gap exceeds the first's times the factor plus the margin."""

BAUMGARTE = _single(_f(0.2))
TOI_BAUMGARTE = _single(_f(0.75))
MAX_LINEAR_CORRECTION = _single(_f(0.2))
POSITION_OKAY = _single(_f(-3) * _f(LINEAR_SLOP))
TOI_POSITION_OKAY = _single(_f(-1.5) * _f(LINEAR_SLOP))

MAX_TRANSLATION = 2.0
MAX_TRANSLATION_SQUARED = 4.0
MAX_ROTATION = _single(_f(0.5) * _f(PI))
MAX_ROTATION_SQUARED = _single(_f(MAX_ROTATION) * _f(MAX_ROTATION))

TIME_TO_SLEEP = 0.5
LINEAR_SLEEP_SQUARED = _single(_f(0.01) * _f(0.01))
_ANGULAR_SLEEP = _f(2) / _f(180) * _f(PI)
ANGULAR_SLEEP_SQUARED = _single(_ANGULAR_SLEEP * _ANGULAR_SLEEP)

AABB_MARGIN = _single(_f(0.1))
AABB_STRETCH = 2.0

TWO_PI = _single(_f(2) * _f(PI))
TOI_SLOP = _single(_f(3) * _f(LINEAR_SLOP))
TOI_TOLERANCE = _single(_f(0.25) * _f(LINEAR_SLOP))
TOI_LATEST = _single(_f(1) - _f(10) * _f(EPSILON))
"""An impact later than this fraction of the step counts as none."""
TOI_POSITION_ITERATIONS = 20
MAX_SUB_STEPS = 8
"""Continuous-collision events a contact may have within one step."""
MAX_TOI_CONTACTS = 32
MAX_TOI_ITERATIONS = 20
MAX_ROOT_ITERATIONS = 50
MAX_PUSH_BACKS = 16
MAX_GJK_ITERATIONS = 20
