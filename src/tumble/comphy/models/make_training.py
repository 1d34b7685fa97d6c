"""Makes a training by name, with settings that differ from its defaults."""

from collections.abc import Mapping
from typing import Any

import torch

from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.registry import entry
from tumble.learning.errors import TrainingError
from tumble.learning.settings import configured
from tumble.learning.trainer import Training


def make_training(
    name: str, sets: PackedSets, device: torch.device, seed: int = 0, settings: Mapping[str, Any] | None = None
) -> Training:
    """The training of a model on some sets."""
    found = entry(name)
    if found.rendered and sets.from_tracks:
        raise TrainingError(
            f"{name} trains on pictures that are rendered from exact motion, and these sets only have tracks; "
            "train it on generated sets"
        )
    training_class = found.load()
    world = {"world": sets.world.name}
    given = {**found.settings, **(settings or {})}
    if given.get("world", sets.world.name) != sets.world.name:
        raise TrainingError(f"{name}: these sets are of the {sets.world.name} world, not of {given['world']}")
    config = configured(name, training_class.config_class, given | world)
    torch.manual_seed(seed)
    training = training_class(config, sets, device, seed)
    training.name = name
    return training
