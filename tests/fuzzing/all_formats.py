"""All formats of inputs."""

from collections.abc import Sequence

import comphy_formats
import log_formats
import phyq_formats
import phyre_formats
import scene_formats
from formats import Format

FORMATS: tuple[Format, ...] = (
    *scene_formats.FORMATS,
    *log_formats.FORMATS,
    *phyre_formats.FORMATS,
    *phyq_formats.FORMATS,
    *comphy_formats.FORMATS,
)


def format_named(name: str) -> Format:
    """A format by its name."""
    return next(one for one in FORMATS if one.name == name)


def chosen(names: Sequence[str]) -> list[Format]:
    """The formats of the given names, or all."""
    unknown = set(names) - {one.name for one in FORMATS}
    if unknown:
        raise SystemExit(f"no format {unknown}; there are {', '.join(one.name for one in FORMATS)}")
    return [one for one in FORMATS if not names or one.name in names]
