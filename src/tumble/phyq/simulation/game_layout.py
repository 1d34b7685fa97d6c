"""The numbers that the rule of the game reads and writes, and where each lies.

The rule (`game_turns`) reads parameters (ints and floats of each world) and tables (ints and floats of each level, in
arrays that all worlds share); it writes output ints of each world. A world is one attempt at a level: a sequence of
shots.

    int_param    [SHOT_INTS + shots * INTS_PER_SHOT]     fields of the world, then of each shot
    float_param  [shots * FLOATS_PER_SHOT]               fields of each shot
    table_int    [levels, BODY_INTS + bodies * INTS_PER_BODY]
    table_float  [damage factors, then levels, BODY_FLOATS + bodies * FLOATS_PER_BODY]
    output_int   [BODY_OUTPUTS + bodies * OUTPUTS_PER_BODY + shots * OUTPUTS_PER_SHOT]

Steps are steps of the physics; where one is an output, 0 means never.
"""

from tumble.phyq.catalogue.physics import BIRD_COLOURS, IMMORTAL_TIME, MATERIAL_NAMES, STEP, VERDICT_PERIOD


def steps_of(seconds: float) -> int:
    """The number of steps nearest to a time."""
    return round(seconds / STEP)


# kinds of body
FIXED = 0
BLOCK = 1
PIG = 2
TNT = 3
BIRD = 4  # this and all that follow are on the birds' side
SPLIT_BIRD = 5  # what a blue bird splits into
EGG = 6

MATERIAL_INDEX = {name: k for k, name in enumerate(MATERIAL_NAMES)}
BIRD_INDEX = {name: k for k, name in enumerate(BIRD_COLOURS)}
YELLOW, BLUE, WHITE, BLACK = (BIRD_INDEX[name] for name in ("yellow", "blue", "white", "black"))

# ints of a level's table
BIRD_COUNT = 0  # number of birds
FIRST_BIRD = 1  # body of the first bird; the others follow, then split birds and eggs
BODY_INTS = 2  # where those of bodies begin
KIND = 0
TYPE = 1  # material of a block, colour of a bird
LINK = 2  # first split bird of a blue bird, egg of a white one
COLLIDERS = 3
INTS_PER_BODY = 4

# floats of a level's table, after those that all levels share
REST_X = 0  # where a bird rests on the sling
REST_Y = 1
BODY_FLOATS = 2  # where those of bodies begin
LIFE = 0
DEFENCE = 1
FLOATS_PER_BODY = 2
FACTORS = 0  # in the part that all levels share: damage factors [birds, materials]

# int parameters of a world
INT_TABLE = 0  # where its level's ints begin
FLOAT_TABLE = 1  # and its floats
SHOT_COUNT = 2
READY_FROM = 3  # the first step in which the level may be ready
WATCHED_SHOT = 4  # the shot whose first contact ends the rollout, counted from 1; 0 for none
STOP_AFTER = 5  # steps from the last shot's release on after which the rollout may stop, or WHEN_AT_REST
SHOT_INTS = 6  # where those of shots begin
WAIT = 0  # steps from the last release to this one, or WHEN_AT_REST
TAP = 1  # steps from the release to the tap; 0 for none
INTS_PER_SHOT = 2
WHEN_AT_REST = -1
# float parameters
PULL_X = 0
PULL_Y = 1
FLOATS_PER_SHOT = 2

# outputs of a world
RELEASED = 0  # birds released
FLYING = 1  # body of the bird in flight, counted from 1; 0 for none
LAST_RELEASE = 2  # step of the last release, or in which the level was ready
TURN_ENDED = 3  # step in which the last bird's turn ended
PIGS = 4  # alive
CLEARED = 5  # step in which the last pig died
SCORE = 6
READY = 7  # 1 once the first bird may be shot
NEXT_READY = 8  # the first step in which a further bird could have been shot, with everything at rest
BODY_OUTPUTS = 9  # where those of bodies begin; after them those of shots
LAUNCHED = 0  # step in which a bird was launched
FIRST_CONTACT = 1  # step of a bird's or egg's first contact
REMOVED = 2  # step in which it died or left the world; what dies stays for DEAD_TIME
KILLED_BY = 3  # what ended its life: k + 1 for a contact with body k, -(k + 1) for its explosion, 0 for none
OUTPUTS_PER_BODY = 4
SHOT_AT = 0  # step of the release
TAPPED = 1  # step in which its power was used
LANDED = 2  # step in which the bird's turn ended
KILLS = 3  # pigs that died from its release until the next
OUTPUTS_PER_SHOT = 4

# verdicts
WON, LOST, OPEN, CAPPED, SETTLED, LANDING, STOPPED = 1, 2, 3, 4, 5, 6, 7

IMMORTAL_STEPS = steps_of(IMMORTAL_TIME)
VERDICT_STEPS = steps_of(VERDICT_PERIOD)


def output_count(bodies: int, shots: int) -> int:
    """The number of outputs of a world with this number of bodies and shots."""
    return BODY_OUTPUTS + bodies * OUTPUTS_PER_BODY + shots * OUTPUTS_PER_SHOT
