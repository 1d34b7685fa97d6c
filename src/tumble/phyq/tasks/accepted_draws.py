"""Which draw of its template became the level of a task, where it was not the first."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from tumble.scene.files import whole_file

FILE = "accepted_draws.txt"


def accepted_draw(task_id: str) -> int:
    """The number of the draw that is the task's level.

    >>> accepted_draw("1.4:000")
    0
    """
    return _shipped().get(task_id, 0)


@cache
def _shipped() -> Mapping[str, int]:
    return from_text(resources.files("tumble.phyq").joinpath("data", FILE).read_text(encoding="ascii"))


def from_text(text: str) -> dict[str, int]:
    """Draw numbers by task, from a text with an id and a number on each line.

    >>> from_text("3.2:004 1")
    {'3.2:004': 1}
    """
    return {task_id: int(number) for task_id, number in map(str.split, text.splitlines())}


def read(folder: Path) -> dict[str, int]:
    """The draw numbers of the file in a folder; empty if there is no file."""
    path = folder / FILE
    return from_text(path.read_text(encoding="ascii")) if path.exists() else {}


def write(folder: Path, accepted: Mapping[str, int]) -> None:
    """Writes the file into a folder."""
    with whole_file(folder / FILE) as partial:
        partial.write_text("".join(f"{task_id} {number}\n" for task_id, number in accepted.items()), encoding="ascii")
