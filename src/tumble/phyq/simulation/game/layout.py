"""Where numbers lie that the rule reads and keeps: parameters, tables of levels, notes."""

from tumble.phyq.tasks.constants import IMMORTAL_TIME, STEP, VERDICT_PERIOD
from tumble.phyq.tasks.pieces import BIRD_COLOURS, MATERIAL_NAMES


def steps_of(seconds: float) -> int:
    """The number of steps nearest to a time."""
    return round(seconds / STEP)


# what a body is
FIXED = 0
BLOCK = 1
PIG = 2
TNT = 3
BIRD = 4  # this and all that follow are on the birds' side
FLEDGLING = 5  # what a blue bird splits into
EGG = 6

MATERIAL_INDEX = {name: k for k, name in enumerate(MATERIAL_NAMES)}
BIRD_INDEX = {name: k for k, name in enumerate(BIRD_COLOURS)}
YELLOW, BLUE, WHITE, BLACK = (BIRD_INDEX[name] for name in ("yellow", "blue", "white", "black"))

# whole numbers of a level's table
BIRDS = 0
FIRST_BIRD = 1  # body of the first bird; the others follow, then fledglings and eggs
BODY_ROWS = 2
KIND = 0
TYPE = 1  # material of a block, colour of a bird
LINK = 2  # first fledgling of a blue bird, egg of a white one
COLLIDERS = 3
BODY_TABLE_INTS = 4

# real numbers of a level's table, after those that all levels share
REST_X = 0
REST_Y = 1
BODY_NUMBERS = 2
LIFE = 0
DEFENCE = 1
BODY_TABLE_FLOATS = 2
FACTORS = 0  # in the part that all levels share: how much harder each bird hits each material

# parameters of a world
TABLE = 0  # where its level's whole numbers begin
NUMBERS = 1  # and its real ones
GIVEN = 2  # shots that are given
READY_FROM = 3  # the first step in which the level may be ready
WATCHED = 4  # the shot whose first contact ends the run, counted from 1; 0 for none
SHOT_INTS = 5  # where the shots begin
WAIT = 0  # steps from the last release on; WHEN_AT_REST
TAP = 1  # steps from the release on; 0 for none
INTS_PER_SHOT = 2
WHEN_AT_REST = -1
PULL_X = 0
PULL_Y = 1
FLOATS_PER_SHOT = 2

# notes of a world
RELEASED = 0  # birds so far
FLYING = 1  # body of the bird in flight, counted from 1; 0 for none
LAST_RELEASE = 2  # step of the last release, or in which the level was ready
OFF_LIST = 3  # step in which the last bird was taken off the list
PIGS = 4  # alive
CLEARED = 5  # step in which the last pig died
SCORE = 6
READY = 7  # 1 once the first bird may be shot
BODY_NOTES = 8  # where those of bodies begin; after them those of shots
BORN = 0  # step in which a bird took off
MET = 1  # step of a bird's or egg's first contact
GONE = 2  # step in which it died or left
NOTES_PER_BODY = 3
SHOT_AT = 0  # step of the release
TAPPED = 1  # step in which its power was used, 0 if it wasn't
LANDED = 2  # step in which the bird was taken off the list
KILLS = 3  # pigs that died from its release until the next
NOTES_PER_SHOT = 4

# verdicts
WON, LOST, OPEN, CAPPED, SETTLED, LANDING = 1, 2, 3, 4, 5, 6

IMMORTAL_STEPS = steps_of(IMMORTAL_TIME)
VERDICT_STEPS = steps_of(VERDICT_PERIOD)


def notes_for(bodies: int, shots: int) -> int:
    """How many notes a world of so many bodies and shots needs."""
    return BODY_NOTES + bodies * NOTES_PER_BODY + shots * NOTES_PER_SHOT
