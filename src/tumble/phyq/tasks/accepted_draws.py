"""Which draw of a task was accepted, where it wasn't the first."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from tumble.scene.files import whole_file

FILE = "accepted_draws.txt"


def accepted_try(task_id: str) -> int:
    """The number of the draw that is the task's level."""
    return _accepted().get(task_id, 0)


@cache
def _accepted() -> Mapping[str, int]:
    return from_text(resources.files("tumble.phyq").joinpath("data", FILE).read_text(encoding="ascii"))


def from_text(text: str) -> dict[str, int]:
    """Tries by task, as the file has them: an id and a number on each line."""
    return {task_id: int(number) for task_id, number in map(str.split, text.splitlines())}


def read(package: Path) -> dict[str, int]:
    """The tries of a folder's file, if there is one."""
    path = package / FILE
    return from_text(path.read_text(encoding="ascii")) if path.exists() else {}


def write(package: Path, accepted: Mapping[str, int]) -> None:
    """Writes the file into a folder."""
    with whole_file(package / FILE) as partial:
        partial.write_text("".join(f"{task_id} {number}\n" for task_id, number in accepted.items()), encoding="ascii")
