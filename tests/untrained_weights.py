"""Checkpoints of networks with random weights."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch import nn

from tumble.learning.checkpoint import write_checkpoint


def write_untrained(path: Path, name: str, config: Any, network: nn.Module) -> Path:
    """Writes a checkpoint, and returns its path."""
    made = {"name": name, "config": asdict(config), "seed": 0, "data": "", "budget": {"steps": 1, "minutes": None}}
    state = {"step": 0, "seconds": 0.0, "finished": True}
    write_checkpoint(path, {**made, "network": network.state_dict(), "extra": {}, **state})
    return path
