"""Levels that people bring: read from the text of a file, with limits, by the readers of level files."""

from collections.abc import Sequence
from typing import Any

from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.files import own_json, science_birds_xml
from tumble.phyq.tasks.level import Level, LevelError
from tumble.phyq.web.level_data import level_data

MOST_CHARACTERS = 200_000
MOST_PIECES = 200
MOST_BIRDS = 10
"""More would keep the server busy for long; the commands of `tumble phyq` take larger levels."""


def read_level(text: str) -> Level:
    """The level of a text in Science Birds' XML or in our JSON; a LevelError in words where it is invalid."""
    body = text.lstrip("\ufeff \t\r\n")
    if not body:
        raise LevelError("this file is empty")
    level = science_birds_xml.from_xml(body) if body.startswith("<") else own_json.from_json(body)
    if len(level.pieces) > MOST_PIECES:
        raise LevelError(f"a level on this page can have {MOST_PIECES} pieces, this one has {len(level.pieces)}")
    if len(level.birds) > MOST_BIRDS:
        raise LevelError(f"a level on this page can have {MOST_BIRDS} birds, this one has {len(level.birds)}")
    return level


def own_levels_data(levels: Sequence[Level]) -> list[dict[str, Any]]:
    """The levels for the page, as they are at rest; `text` is a level's JSON, which attempts at it send."""
    found = []
    for level in levels:
        (settled,) = Simulator([level], threads=1).settled_levels()
        found.append({"text": own_json.to_json(level), **level_data(level, settled)})
    return found
