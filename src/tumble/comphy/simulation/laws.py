"""The laws of motion on the table: constants that were fitted to the published motion, and motion without contacts.

A moving body decelerates by a + b * speed, with a from friction with the table (none for spheres, which roll) and b
from damping; charged bodies accelerate by 0.138 * q_i * q_j / (m_i * r^2); collisions keep 0.17 of the closing speed.
Commit 3ca3c8ba, benchmarks/comphy_calibration.py, measures all of these on simulated motion.
"""

import math

from tumble.comphy.catalogue.world import DIV

GRAVITY = 9.8
SQUARE_OBJECTS = ("chair", "table", "sofa", "trophy", "cone")
"""Objects of the div world that slide as cubes do: they stand on a square or on four legs. The others slide as
cylinders do."""
SLIDES_AS = {shape: "cube" if shape in SQUARE_OBJECTS else "cylinder" for shape in DIV.shapes}


def _with_objects(constants: dict[str, float]) -> dict[str, float]:
    """Constants of the plain shapes, and of the objects that slide like them."""
    return constants | {shape: constants[kind] for shape, kind in SLIDES_AS.items()}


FRICTION = _with_objects({"sphere": 0.0245, "cube": 0.0245, "cylinder": 0.0237})
"""Of each shape with the table; spheres roll, so it only ends their skidding. There is none between bodies."""
DAMPING = _with_objects({"sphere": 0.158, "cube": 0.152, "cylinder": 0.157})
"""Share of its velocity and of its angular velocity that a body loses per second."""
RESTITUTION = 0.2
"""Share of the closing speed with which two bodies part; 0.17 is left three frames later, after friction, as fitted."""
CHARGE_CONSTANT = 0.138
"""Acceleration of a body of mass 1 and charge 1 by a unit charge at distance 1."""


def deceleration(shape: str) -> tuple[float, float]:
    """(a, b) of a shape's deceleration a + b * speed."""
    return 0.0 if shape == "sphere" else FRICTION[shape] * GRAVITY, DAMPING[shape]


def sliding_distance(shape: str, speed: float, seconds: float) -> float:
    """The distance that a body slides or rolls in some time: (v + a/b) (1 - e^(-bt)) / b - a/b t, until it rests."""
    friction, damping = deceleration(shape)
    ratio = friction / damping
    seconds = min(seconds, seconds_until_rest(shape, speed))
    return (speed + ratio) * -math.expm1(-damping * seconds) / damping - ratio * seconds


def seconds_until_rest(shape: str, speed: float) -> float:
    """The time until a body stops; spheres never do."""
    friction, damping = deceleration(shape)
    return math.log1p(speed * damping / friction) / damping if friction else math.inf


def earlier(shape: str, speed: float, seconds: float) -> tuple[float, float]:
    """(speed, distance): the speed some time before a body has `speed`, and the distance that it moves in that time.

    Backwards from dv/dt = -(a + b v): v(0) = (v + a/b) e^(bt) - a/b, and the distance is
    (v + a/b) (e^(bt) - 1) / b - a/b t.
    """
    friction, damping = deceleration(shape)
    ratio = friction / damping
    growth = math.exp(damping * seconds)
    distance = (speed + ratio) * (growth - 1.0) / damping - ratio * seconds
    return (speed + ratio) * growth - ratio, distance
