"""Times and sizes of ComPhy's worlds and videos, as in the published data. Lengths are in units of the simulation."""

from tumble.comphy.tasks.world import DIV

STEPS_PER_SECOND = 250
FRAMES_PER_SECOND = 25
STEPS_PER_FRAME = STEPS_PER_SECOND // FRAMES_PER_SECOND
SHOWN_FRAMES = 125
"""Frames of a target that are shown: five seconds."""
TARGET_FRAMES = 175
"""Frames of a target that are simulated: two more seconds, for questions about what will happen."""
REFERENCE_FRAMES = 50
REFERENCE_COUNT = 4
RADIUS = 0.2
"""Of spheres and cylinders."""
CUBE_HALF_SIZE = 0.2
CYLINDER_HALF_HEIGHT = 0.2
OBJECT_POINT = 0.2
"""Height of the point that stands for an object of the div world: it is above or below its centre of mass."""
HALF_HEIGHTS = {
    "sphere": RADIUS,
    "cube": CUBE_HALF_SIZE,
    "cylinder": CYLINDER_HALF_HEIGHT,
    **dict.fromkeys(DIV.shapes, OBJECT_POINT),
}
"""Height of each shape's centre above the table."""
