"""The statuses of attempts."""

NOT_SOLVED = -1
INVALID = 0
SOLVED = 1
UNSTABLY_SOLVED = 2
STABLY_SOLVED = 3

LABELS = {
    NOT_SOLVED: "not solved",
    INVALID: "invalid",
    SOLVED: "solved",
    UNSTABLY_SOLVED: "solved, but not stably",
    STABLY_SOLVED: "stably solved",
}
"""The statuses as text."""
