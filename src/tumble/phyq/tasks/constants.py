"""Constants of the world: its bounds, time step and gravity, the launch, and how shots and levels end.

World units (the original's metres), seconds and degrees; x to the right, y up, the origin in the middle of the level.
"""

HALF_WIDTH = 17.5
"""The world extends from -HALF_WIDTH to HALF_WIDTH in x and has no limit in y."""
GROUND_Y = -3.5
SLINGSHOT = (-12.0, -2.5)
"""The slingshot's position, unless a level has another."""
REST_OFFSET = (-0.15, 0.8)
"""From the slingshot to the bird that rests on it."""

STEP = 0.02
GRAVITY = 9.81
GRAVITY_SCALE = 0.48
"""The factor on gravity for birds, pigs and blocks; for the egg and TNT it is 1."""
FALL = GRAVITY * GRAVITY_SCALE
"""Acceleration of falling birds, pigs and blocks: 4.7088 units/s²."""

STRETCH_LIMIT = 1.0
"""The longest pull from the rest point."""
LAUNCH_SPEED = 10.0
"""Launch speed per unit of stretch; the bird starts from where it was pulled to."""
TAP_CLEARANCE = 2.0
"""A tap works once the bird's right edge is this far right of the rest point."""

IMMORTAL_TIME = 2.0
"""After loading, nothing takes damage for this long."""
BIRD_FIRST_CHECK = 3.0
"""A bird is removed no earlier than this after its first contact …"""
BIRD_CHECK_PERIOD = 1.0
"""… then its speed is checked with this period, and it is removed once it is slower than BIRD_REST_SPEED."""
BIRD_REST_SPEED = 0.001
BIRD_LIFE_TIME = 20.0
"""A bird is removed this long after its release at the latest."""
VERDICT_PERIOD = 1.0
"""After the last pig or the last bird, the level is checked with this period until everything rests."""
WAITING_BIRD_GAP = 1.75
"""Distance between waiting birds, left of the slingshot, in multiples of their width."""

DEAD_TIME = 0.04
"""A piece whose life has ended is removed this much later; until then it still pushes what it touches."""
DAMAGE_PER_MOMENTUM = 11.22
"""Damage per unit of relative speed times the attacker's mass when a bird hits a block …"""
OTHER_DAMAGE_SHARE = 0.5
"""… and the share of it in every other contact."""
