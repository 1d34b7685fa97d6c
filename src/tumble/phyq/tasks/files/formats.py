"""Level files of all formats, by the suffix of their name."""

from pathlib import Path

from tumble.phyq.tasks.files import own_json, science_birds_xml
from tumble.phyq.tasks.level import Level, LevelError

FORMATS = {".json": own_json, ".xml": science_birds_xml}


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
