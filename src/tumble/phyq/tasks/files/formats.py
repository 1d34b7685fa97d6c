"""Level files by the ending of their name."""

from pathlib import Path

from tumble.phyq.tasks.files import own_json, science_birds_xml
from tumble.phyq.tasks.level import Level

FORMATS = {".json": own_json, ".xml": science_birds_xml}


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
