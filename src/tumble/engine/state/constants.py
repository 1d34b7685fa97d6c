"""Every constant of the physics, and its id: results with the same id can be compared bit for bit.

Constants are in single precision, as the kernels use them (source: Box2D 2.3's published settings); lengths in
metres, times in seconds, angles in radians.
"""

import numpy as np

_f = np.float32


def _single(value: np.float32) -> float:
    """A Python float that holds exactly a single-precision value."""
    return float(_f(value))


PI = _single(_f(3.14159265359))
TWO_PI = _single(_f(2) * _f(PI))
EPSILON = float(np.finfo(np.float32).eps)
EPSILON_SQUARED = _single(_f(EPSILON) * _f(EPSILON))
HUGE = float(np.finfo(np.float32).max)

# Contacts
LINEAR_SLOP = _single(_f(0.005))
"""Overlap that position correction leaves alone, so that contacts persist."""
POLYGON_SKIN = _single(_f(2) * _f(LINEAR_SLOP))
"""Radius around a polygon within which it counts as touching."""
FLIP_FACTOR = _single(_f(0.98))
FLIP_MARGIN = _single(_f(0.001))
"""Polygon B becomes the reference only if its separation exceeds A's times the factor plus the margin."""

# Contact solver
VELOCITY_THRESHOLD = 1.0
"""Approach speed in m/s below which restitution does not act."""
MAX_CONDITION_NUMBER = 1000.0
"""Two-point contacts whose matrix has a larger condition number are solved at their first point only."""
BAUMGARTE = _single(_f(0.2))
"""Share of the overlap that one iteration of position correction removes …"""
TOI_BAUMGARTE = _single(_f(0.75))
"""… and in continuous collision."""
MAX_LINEAR_CORRECTION = _single(_f(0.2))
"""Largest correction of one iteration."""
POSITION_OKAY = _single(_f(-3) * _f(LINEAR_SLOP))
"""Smallest separation at which position correction is done …"""
TOI_POSITION_OKAY = _single(_f(-1.5) * _f(LINEAR_SLOP))
"""… and in continuous collision."""

# Integration and sleep
MAX_TRANSLATION = 2.0
"""Farthest that a body moves in a step."""
MAX_TRANSLATION_SQUARED = 4.0
MAX_ROTATION = _single(_f(0.5) * _f(PI))
MAX_ROTATION_SQUARED = _single(_f(MAX_ROTATION) * _f(MAX_ROTATION))
TIME_TO_SLEEP = 0.5
LINEAR_SLEEP_SQUARED = _single(_f(0.01) * _f(0.01))
"""Square of the speed below which a body may sleep."""
_ANGULAR_SLEEP = _f(2) / _f(180) * _f(PI)
ANGULAR_SLEEP_SQUARED = _single(_ANGULAR_SLEEP * _ANGULAR_SLEEP)

# Broad phase
AABB_MARGIN = _single(_f(0.1))
"""Margin of a fat AABB on every side."""
AABB_STRETCH = 2.0
"""Steps of motion by which a fat AABB is stretched ahead."""

# Continuous collision
TOI_SLOP = _single(_f(3) * _f(LINEAR_SLOP))
"""How deep in each other's skins two shapes are at the time of impact."""
TOI_TOLERANCE = _single(_f(0.25) * _f(LINEAR_SLOP))
TOI_LATEST = _single(_f(1) - _f(10) * _f(EPSILON))
"""An impact later than this fraction of the step counts as none."""
TOI_POSITION_ITERATIONS = 20
MAX_SUB_STEPS = 8
"""Impacts of one contact within one step."""
MAX_TOI_CONTACTS = 32
"""Contacts solved together at one impact."""
MAX_TOI_ITERATIONS = 20
MAX_PUSH_BACKS = 16
MAX_ROOT_ITERATIONS = 50
MAX_GJK_ITERATIONS = 20


PHYSICS_VERSION = 1
"""Raised whenever any rollout changes by any bit; the golden hashes in the tests detect that."""


def physics_id() -> str:
    """The id that every result carries."""
    return f"tumble-2d-{PHYSICS_VERSION}"
