"""Trains the shot ranker from a file of shots to a checkpoint, and exports its weights."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from tumble.learning.settings import configured
from tumble.learning.trainer import Budget, export_weights, train
from tumble.phyq.models.ranker.data_file import read_shots
from tumble.phyq.models.ranker.training import RankerConfig, RankerTraining


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
    training = RankerTraining(configured("shot-ranker", RankerConfig, settings or {}), shots, device, seed)
    train(training, out, budget, device, seed, shots.digest, out.with_suffix(".html"))
    if export is not None:
        export_weights(out, export)
    return out
