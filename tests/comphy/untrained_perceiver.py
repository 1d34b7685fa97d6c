"""Checkpoints of perceivers with random weights, for models that use the perceiver's features."""

from pathlib import Path

import torch

from tumble.comphy.models.perceiver.training import PerceiverConfig
from untrained_weights import write_untrained


def untrained_perceiver(path: Path, hidden: int = PerceiverConfig().hidden) -> Path:
    """Writes a checkpoint, and returns its path."""
    torch.manual_seed(0)
    config = PerceiverConfig(hidden=hidden)
    return write_untrained(path, "perceiver", config, config.network())
