"""What is wrong with a task that a person makes in an editor."""

from dataclasses import dataclass

ERROR, WARNING = "error", "warning"


@dataclass(frozen=True)
class Finding:
    """Something that the person should know: an error makes the task useless, a warning may be intended."""

    level: str
    text: str
    bodies: tuple[int, ...] = ()
    """Their numbers in the editor."""
