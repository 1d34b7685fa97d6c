"""What can come of an attempt."""

NOT_SOLVED = -1
INVALID = 0
SOLVED = 1
UNSTABLY_SOLVED = 2
STABLY_SOLVED = 3

WORDS = {
    NOT_SOLVED: "not solved",
    INVALID: "invalid",
    SOLVED: "solved",
    UNSTABLY_SOLVED: "solved, but not stably",
    STABLY_SOLVED: "stably solved",
}
