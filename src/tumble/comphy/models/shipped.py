"""The checkpoints of models that come with the package, and the worlds that checkpoints are for."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from tumble.comphy.catalogue.world import PLAIN
from tumble.learning.shipped import shipped_checkpoint

checkpoint_path = partial(shipped_checkpoint, "tumble.comphy")


def world_in(content: Mapping[str, Any]) -> dict[str, Any]:
    """The setting `world` of a checkpoint; those without one are of the plain world."""
    return {"world": str(content["config"].get("world", PLAIN.name))}
