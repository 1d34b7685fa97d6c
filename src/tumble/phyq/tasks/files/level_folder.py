"""Folders of level files, whose levels are tasks without a template."""

from pathlib import Path

from tumble.phyq.tasks.files.formats import FORMATS, load_level
from tumble.phyq.tasks.level import LevelError
from tumble.phyq.tasks.task import Task

SET_FILE = "set.json"
"""The file in a folder that describes a level set; it is no level."""


def level_files(place: Path) -> list[Path]:
    """The level files in a folder, by name; or a single level file itself."""
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise LevelError(f"{place}: there is no such folder or level file")
    files = sorted(file for file in place.iterdir() if file.suffix.lower() in FORMATS and file.name != SET_FILE)
    visible = [file for file in files if not file.name.startswith(".")]
    if not visible:
        raise LevelError(f"{place}: this folder has no level files ({' or '.join(FORMATS)})")
    return visible


def level_tasks(place: Path) -> list[Task]:
    """The levels of a folder or file as tasks; an id is the name of the folder and of the file, as in levels/mine."""
    return [Task(level_id(file), load_level(file)) for file in level_files(place)]


def level_id(file: Path) -> str:
    """The id of the task of a level file.

    >>> level_id(Path("sets/easy/level-003.json"))
    'easy/level-003'
    """
    return f"{file.resolve().parent.name}/{file.stem}"


def is_level_id(task_id: str) -> bool:
    """Whether a task is that of a level file."""
    return "/" in task_id
