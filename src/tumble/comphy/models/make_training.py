"""Makes a training by name, with settings that differ from its defaults."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import torch

from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.registry import entry
from tumble.learning.errors import TrainingError
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
    given = {**found.settings, **(settings or {})}
    config: Any = training_class.config_class()
    known = {field.name: type(getattr(config, field.name)) for field in fields(config)}
    for setting, value in given.items():
        if setting not in known:
            raise TrainingError(f"{name} has no setting {setting!r}; it has {', '.join(known)}")
        if not isinstance(value, known[setting]) and not (known[setting] is float and isinstance(value, int)):
            raise TrainingError(f"{name}: {setting} must be {known[setting].__name__}, not {value!r}")
    torch.manual_seed(seed)
    training = training_class(replace(config, **given), sets, device, seed)
    training.name = name
    return training
