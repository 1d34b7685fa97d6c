"""Levels by what people type: an id, a template, or a file."""

from pathlib import Path

from tumble.phyq import level_json, science_birds_xml
from tumble.phyq.level import Level
from tumble.phyq.tasks import Task
from tumble.phyq.tasks import task as task_of_id
from tumble.phyq.templates import template, templates

FORMATS = {".json": level_json, ".xml": science_birds_xml}


def find_task(text: str) -> Task:
    """The task of an id like "6.4:003", the level of a template like "6.4", or the level of a file."""
    path = Path(text)
    if path.is_file() or path.suffix.lower() in FORMATS or len(path.parts) > 1:
        return Task(path.name, load_level(path))
    if text in templates():
        design = template(text)
        return Task(design.id, design.base, design.id, design.scenario)
    return task_of_id(text)


def load_level(path: Path) -> Level:
    """The level of a file."""
    level: Level = FORMATS[level_suffix(path)].load(path)
    return level


def level_suffix(path: Path) -> str:
    """Which of the forms of a level a file has, by its name."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"{path}: the name of a level file must end in {' or '.join(FORMATS)}")
    return suffix
