"""The fixed figures of the world: its frame, its clock, the launch, and how shots and levels end.

World units (the original's metres), seconds and degrees; x to the right, y up, the origin in the middle of the level.
"""

HALF_WIDTH = 17.5
"""The world goes from -HALF_WIDTH to HALF_WIDTH in x and has no limit in y."""
GROUND_Y = -3.5
SLINGSHOT = (-12.0, -2.5)
"""Where the slingshot stands unless a level says otherwise."""
REST_OFFSET = (-0.15, 0.8)
"""From the slingshot to the bird that rests on it."""

STEP = 0.02
GRAVITY = 9.81
GRAVITY_SCALE = 0.48
"""Birds, pigs and blocks fall with this share of gravity; the egg and TNT with all of it."""
FALL = GRAVITY * GRAVITY_SCALE
"""How birds, pigs and blocks fall: 4.7088 units/s²."""

STRETCH_LIMIT = 1.0
"""The longest pull from the rest point."""
LAUNCH_SPEED = 10.0
"""Speed for each unit of stretch; the bird starts with it from where it was pulled to."""
TAP_CLEARANCE = 2.0
"""A tap works once the bird's right edge is so far right of the rest point."""

IMMORTAL_TIME = 2.0
"""After loading, nothing takes damage for so long."""
BIRD_FIRST_CHECK = 3.0
"""After its first collision a bird stays at least so long …"""
BIRD_CHECK_PERIOD = 1.0
"""… and is then looked at so often, until it is slower than BIRD_REST_SPEED."""
BIRD_REST_SPEED = 0.001
BIRD_LIFE_TIME = 20.0
"""After its release a bird stays at most so long."""
VERDICT_PERIOD = 1.0
"""After the last pig or the last bird, the level is looked at so often until everything rests."""
WAITING_BIRD_GAP = 1.75
"""Birds wait on the left of the slingshot, so many of their widths apart."""

DAMAGE_PER_MOMENTUM = 11.22
"""Damage for each unit of relative speed times the attacker's mass when a bird hits a block …"""
OTHER_DAMAGE_SHARE = 0.5
"""… and the share of it in every other contact."""
