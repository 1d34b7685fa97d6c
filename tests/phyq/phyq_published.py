"""The published levels as ours, for tests that have the reference data."""

import json
import re
from pathlib import Path
from typing import Any

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform


def templates(shared_data: Path) -> dict[str, Any]:
    """The published records of the 75 templates by id."""
    return dict(everything(shared_data)["templates"])


def everything(shared_data: Path) -> dict[str, Any]:
    """All of the published levels' file."""
    return dict(json.loads((shared_data / "phyq" / "levels.json").read_text(encoding="utf-8")))


def snake(name: str) -> str:
    """The published name of a shape as ours."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def level(record: dict[str, Any]) -> Level:
    """A published level as ours; a mirrored platform is the same box."""
    return Level(
        tuple(bird.removeprefix("Bird").lower() for bird in record["birds"]),
        tuple(Pig(kind.removeprefix("Basic").lower(), *place) for kind, *place in record["pigs"]),
        tuple(Block(snake(shape), *rest) for shape, *rest in record["blocks"]),
        tuple(Platform(x, y, turn, abs(width), abs(height)) for x, y, turn, width, height in record["platforms"]),
    )
