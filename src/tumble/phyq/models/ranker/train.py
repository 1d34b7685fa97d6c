"""Trains the shot ranker from a file of shots to a checkpoint, and exports its weights."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import torch

from tumble.learning.errors import TrainingError
from tumble.learning.trainer import Budget, export_weights, train
from tumble.phyq.models.ranker.data_file import read_shots
from tumble.phyq.models.ranker.training import RankerConfig, RankerTraining


def config_with(settings: Mapping[str, Any]) -> RankerConfig:
    """The default settings with some changed."""
    known = {field.name: type(getattr(RankerConfig(), field.name)) for field in fields(RankerConfig)}
    for name, value in settings.items():
        if name not in known:
            raise TrainingError(f"the shot ranker has no setting {name!r}; it has {', '.join(known)}")
        if type(value) is not known[name] and not (known[name] is float and type(value) is int):
            raise TrainingError(f"{name} must be {known[name].__name__}, not {value!r}")
    return replace(RankerConfig(), **settings)


def train_ranker(
    data: Path,
    out: Path,
    budget: Budget,
    device: torch.device,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    export: Path | None = None,
) -> Path:
    """Trains, or resumes, and writes the checkpoint and the page of its losses; `export` gets the weights to ship."""
    shots = read_shots(data)
    training = RankerTraining(config_with(settings or {}), shots, device, seed)
    train(training, out, budget, device, seed, shots.digest, out.with_suffix(".html"))
    if export is not None:
        export_weights(out, export)
    return out
