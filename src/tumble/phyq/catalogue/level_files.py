"""Level files of all formats by their suffix, folders of them as tasks, and one file with many levels by id.

The levels of a folder are tasks without a template. Beside a run log stands a file with all levels of the run:

    {"format": "tumble-phyq-levels", "levels": {"easy/level-003": {"version": 1, …}, …}}
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tumble.phyq.catalogue import level_json, science_birds_xml
from tumble.phyq.catalogue.level import Level, LevelError
from tumble.phyq.catalogue.level_json import from_json, to_json
from tumble.phyq.catalogue.tasks import Task

FORMATS = {".json": level_json, ".xml": science_birds_xml}


def load_level(path: Path) -> Level:
    """The level in a file."""
    level: Level = FORMATS[level_suffix(path)].load(path)
    return level


def level_suffix(path: Path) -> str:
    """The suffix of a level file; a LevelError for other suffixes."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise LevelError(f"{path}: the name of a level file must end in {' or '.join(FORMATS)}")
    return suffix


LEVELS_FORMAT = "tumble-phyq-levels"
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
    """The levels of a folder or file as tasks; an id is the name of the folder and of the file, as in levels/mine.

    Levels of a `to_level_file` have the ids that it says.
    """
    tasks = []
    for file in level_files(place):
        by_id = _levels_by_id(file)
        tasks += [Task(level_id(file), load_level(file))] if by_id is None else list(by_id)
    return tasks


def to_level_file(levels: Mapping[str, Level]) -> str:
    """Levels by id as the text of one file."""
    parts = [f"{json.dumps(name)}: {to_json(level).rstrip()}" for name, level in levels.items()]
    return f'{{"format": {json.dumps(LEVELS_FORMAT)}, "levels": {{\n' + ",\n".join(parts) + "\n}}\n"


def _levels_by_id(file: Path) -> list[Task] | None:
    """The levels of a file with many; None if it is another file."""
    try:
        with file.open("rb") as stream:
            if not stream.read(len(LEVELS_FORMAT) + 16).startswith(f'{{"format": "{LEVELS_FORMAT}"'.encode()):
                return None
        document: Any = json.loads(file.read_text(encoding="utf-8"))
        levels = document.get("levels")
        if not isinstance(levels, dict) or not levels:
            raise LevelError("it has no levels by id")
        return [Task(name, from_json(json.dumps(level))) for name, level in levels.items()]
    except (ValueError, RecursionError) as error:
        raise LevelError(f"{file}: {error}") from None


def level_id(file: Path) -> str:
    """The id of the task of a level file.

    >>> level_id(Path("sets/easy/level-003.json"))
    'easy/level-003'
    """
    return f"{file.resolve().parent.name}/{file.stem}"


def is_level_id(task_id: str) -> bool:
    """Whether a task is that of a level file."""
    return "/" in task_id
