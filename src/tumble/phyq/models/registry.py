"""The trainings by name: what `tumble phyq train` can train."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tumble.learning.errors import TrainingError


@dataclass(frozen=True)
class Entry:
    """A training: module and class, and settings that differ from the defaults."""

    place: str
    settings: Mapping[str, object] = field(default_factory=dict)

    def load(self) -> Any:
        """Its class."""
        module, name = self.place.split(":")
        return getattr(import_module(f"tumble.phyq.models.{module}"), name)


TRAININGS = {"shot-ranker": Entry("ranker.training:RankerTraining")}
"""By the names of the agents."""


def entry(name: str) -> Entry:
    """The training of a name."""
    if name not in TRAININGS:
        raise TrainingError(f"no agent {name!r} to train; there are {', '.join(TRAININGS)}")
    return TRAININGS[name]
