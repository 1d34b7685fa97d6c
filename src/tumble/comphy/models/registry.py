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
    rendered: bool = False
    """Whether it trains on pictures that are rendered from the motion of the sets."""

    def load(self) -> TrainingClass:
        """Its class."""
        module, name = self.place.split(":")
        found: TrainingClass = getattr(import_module(f"tumble.comphy.models.{module}"), name)
        return found


TRAININGS = {
    "perceiver": Entry("perceiver.training:PerceiverTraining", rendered=True),
    "parser": Entry("parser.training:ParserTraining"),
    "pcr": Entry("pcr.training:PcrTraining"),
    "pcr-without-references": Entry("pcr.training:PcrTraining", {"references": False}),
    "pcr-without-imagination": Entry("pcr.training:PcrTraining", {"imagination": False}),
    "pcr-without-curriculum": Entry("pcr.training:PcrTraining", {"curriculum": False}),
    "cpl": Entry("cpl.training:CplTraining"),
    "cpl-dpi": Entry("cpl.training:CplTraining", {"property_blind": True}),
    "cnn-lstm": Entry("baselines.cnn_lstm:CnnLstmTraining", rendered=True),
    "cnn-lstm-ref": Entry("baselines.cnn_lstm:CnnLstmTraining", {"references": True}, rendered=True),
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
