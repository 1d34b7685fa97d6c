"""Times and sizes of ComPhy's worlds and videos, as the published data has them."""

STEPS_PER_SECOND = 250
FRAMES_PER_SECOND = 25
STEPS_PER_FRAME = STEPS_PER_SECOND // FRAMES_PER_SECOND
SHOWN_FRAMES = 125
"""Of a target: five seconds are shown …"""
TARGET_FRAMES = 175
"""… and two more are simulated, for questions about what will happen."""
REFERENCE_FRAMES = 50
REFERENCES = 4
RADIUS = 0.2
"""Of spheres and cylinders."""
CUBE_HALF = 0.2
CYLINDER_HALF_HEIGHT = 0.2
HALF_HEIGHTS = {"sphere": RADIUS, "cube": CUBE_HALF, "cylinder": CYLINDER_HALF_HEIGHT}
"""How high the middle of a body is above the table."""
