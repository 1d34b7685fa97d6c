"""Which draw of a task was accepted, where it wasn't the first."""

from functools import cache
from importlib import resources

FILE = "accepted_tries.txt"


def accepted_try(task_id: str) -> int:
    """The number of the draw that is the task's level."""
    return _accepted().get(task_id, 0)


@cache
def _accepted() -> dict[str, int]:
    text = resources.files("tumble.phyq").joinpath(FILE).read_text(encoding="ascii")
    return {task_id: int(number) for task_id, number in map(str.split, text.splitlines())}
