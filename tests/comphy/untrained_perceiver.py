"""Checkpoints of perceivers with random weights, for models that use the perceiver's features."""

from dataclasses import asdict
from pathlib import Path

import torch

from tumble.comphy.models.perceiver.training import PerceiverConfig
from tumble.learning.harness import write_checkpoint
from tumble.learning.trainer import FORMAT


def untrained_perceiver(path: Path, hidden: int = PerceiverConfig().hidden) -> Path:
    """Writes a checkpoint, and returns its path."""
    torch.manual_seed(0)
    config = PerceiverConfig(hidden=hidden)
    content = {"name": "perceiver", "config": asdict(config), "network": config.network().state_dict(), "step": 0}
    write_checkpoint(path, {"format": FORMAT, **content})
    return path
