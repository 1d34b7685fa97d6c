"""The trainings by name, made with settings, and the checkpoints of models that come with the package."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, Protocol

import torch

from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.learning.harness import LossTraining
from tumble.learning.settings import TrainingError, configured, shipped_checkpoint


class TrainingClass(Protocol):
    """A class of `LossTraining` with the dataclass of its settings."""

    config_class: type

    def __call__(self, config: Any, sets: PackedSets, device: torch.device, seed: int) -> LossTraining: ...


@dataclass(frozen=True)
class Entry:
    """A training: module and class, and settings that differ from the defaults."""

    place: str
    settings: Mapping[str, object] = field(default_factory=dict)
    rendered: bool = False
    """Whether it trains on pictures that are rendered from the motion of the sets."""

    def load(self) -> TrainingClass:
        """Its class."""
        module, name = self.place.split(":")
        found: TrainingClass = getattr(import_module(f"tumble.comphy.models.{module}"), name)
        return found


TRAININGS = {
    "perceiver": Entry("perceiver.training:PerceiverTraining", rendered=True),
    "parser": Entry("learned_parser:ParserTraining"),
    "pcr": Entry("pcr.training:PcrTraining"),
    "pcr-without-references": Entry("pcr.training:PcrTraining", {"references": False}),
    "pcr-without-imagination": Entry("pcr.training:PcrTraining", {"imagination": False}),
    "pcr-without-curriculum": Entry("pcr.training:PcrTraining", {"curriculum": False}),
    "cpl": Entry("graph.cpl:CplTraining"),
    "cpl-dpi": Entry("graph.cpl:CplTraining", {"property_blind": True}),
    "cnn-lstm": Entry("baselines.cnn_lstm:CnnLstmTraining", rendered=True),
    "cnn-lstm-ref": Entry("baselines.cnn_lstm:CnnLstmTraining", {"references": True, "versions": 1}, rendered=True),
    "hcrn": Entry("baselines.hcrn:HcrnTraining", rendered=True),
    "mac": Entry("baselines.mac:MacTraining", rendered=True),
    "mac-ref": Entry("baselines.mac:MacTraining", {"references": True, "versions": 1}, rendered=True),
    "aloe": Entry("baselines.aloe:AloeTraining", rendered=True),
    "aloe-ref": Entry("baselines.aloe:AloeTraining", {"references": True, "versions": 1}, rendered=True),
}
"""By the names of the models."""


def entry(name: str) -> Entry:
    """The training of a name."""
    if name not in TRAININGS:
        raise TrainingError(f"no model {name!r} to train; there are {', '.join(TRAININGS)}")
    return TRAININGS[name]


def make_training(
    name: str, sets: PackedSets, device: torch.device, seed: int = 0, settings: Mapping[str, Any] | None = None
) -> LossTraining:
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


checkpoint_path = partial(shipped_checkpoint, "tumble.comphy")
