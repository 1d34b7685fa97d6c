"""The trainings by name: what `tumble comphy train` can train."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

import torch

from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.learning.errors import TrainingError
from tumble.learning.trainer import Training


class TrainingClass(Protocol):
    """A class of `Training` with the dataclass of its settings."""

    config_class: type

    def __call__(self, config: Any, sets: PackedSets, device: torch.device, seed: int) -> Training: ...


@dataclass(frozen=True)
class Entry:
    """A training: module and class, and settings that differ from the defaults."""

    place: str
    settings: Mapping[str, object] = field(default_factory=dict)

    def load(self) -> TrainingClass:
        """Its class."""
        module, name = self.place.split(":")
        found: TrainingClass = getattr(import_module(f"tumble.comphy.models.{module}"), name)
        return found


TRAININGS: dict[str, Entry] = {}
"""Filled below."""


def entry(name: str) -> Entry:
    """The training of a name."""
    if name not in TRAININGS:
        raise TrainingError(f"no model {name!r} to train; there are {', '.join(TRAININGS)}")
    return TRAININGS[name]
