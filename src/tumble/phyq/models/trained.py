"""Trained networks of learners: loaded from their checkpoints, and their outputs for states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tumble.learning.errors import TrainingError
from tumble.learning.settings import configured
from tumble.learning.trainer import load_network
from tumble.phyq.models.parts import Part
from tumble.phyq.models.q_config import QConfig
from tumble.phyq.models.registry import entry
from tumble.phyq.models.shot_outcomes import CONTINUES, WON, ShotOutcomes
from tumble.phyq.models.state_pictures import StatePictures
from tumble.phyq.observation.batch import BatchPainter, scene_of
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.observation.sprites import SpriteTable
from tumble.scene import Vec

CHUNK = 256


@dataclass(frozen=True)
class TrainedNetwork:
    """A network in evaluation mode, and the settings it was made with."""

    config: QConfig
    network: nn.Module
    device: torch.device

    def values(self, observations: Tensor) -> Tensor:
        """Q values [n, 180] of observations [n, channels, 120, 160]."""
        with torch.no_grad():
            found: Tensor = self.network(observations).float()
        return found

    def values_of_objects(self, objects: Sequence[GameObject], slingshot: Vec) -> np.ndarray:
        """Q values [180] of the state in which these objects are seen."""
        platforms = self.config.platforms or self.config.observation == "image"
        seen = [one for one in objects if platforms or one.kind != "platform"]
        painter = BatchPainter(SpriteTable())
        pictures = StatePictures(self.config.observation, self.device)
        pictures.draw(painter, scene_of(painter.table, seen, slingshot))
        values = self.values(pictures.floats(torch.zeros(1, dtype=torch.long, device=self.device)))
        return np.asarray(values[0].cpu().numpy())


def network_path(folder: str | Path, name: str, part: Part) -> Path:
    """The checkpoint of a part's network."""
    return Path(folder) / f"{name}-{part.label}.pt"


def load_trained(path: Path, name: str, device: torch.device) -> TrainedNetwork:
    """Reads a network; training need not have finished."""
    if not path.exists():
        raise TrainingError(f"{path}: no such checkpoint; train it with tumble phyq train {name}")
    content = load_network(path, name)
    config: QConfig = configured(name, entry(name).load(), content["config"])
    return TrainedNetwork(config, restored(config, content["network"]).to(device), device)


def restored(config: QConfig, weights: Mapping[str, Any]) -> nn.Module:
    """The network with these weights, to be evaluated."""
    network = config.network()
    try:
        network.load_state_dict(weights)
    except RuntimeError as problem:
        raise TrainingError(f"weights that do not fit the network: {str(problem).splitlines()[0]}") from None
    return network.eval()


def play_greedily(
    networks: Sequence[TrainedNetwork], starts: Sequence[np.ndarray], outcomes: ShotOutcomes
) -> list[np.ndarray]:
    """For each network, which of its tasks bool [tasks] it wins by its best angles; all are played together."""
    won = [np.zeros(len(own), bool) for own in starts]
    rows, states = [np.arange(len(own)) for own in starts], list(starts)
    while any(map(len, rows)):
        angles = [_best(network, own, outcomes) for network, own in zip(networks, states, strict=True)]
        found, following = outcomes.play(np.concatenate(states), np.concatenate(angles))
        ends = np.cumsum([0, *map(len, rows)])
        for k in range(len(networks)):
            part = slice(ends[k], ends[k + 1])
            won[k][rows[k][found[part] == WON]] = True
            goes_on = found[part] == CONTINUES
            rows[k], states[k] = rows[k][goes_on], following[part][goes_on]
    return won


def _best(network: TrainedNetwork, states: np.ndarray, outcomes: ShotOutcomes) -> np.ndarray:
    rows = torch.from_numpy(np.asarray(states, np.int64)).to(network.device)
    best = [network.values(outcomes.pictures.floats(part)).argmax(-1) for part in torch.split(rows, CHUNK) if len(part)]
    return np.asarray(torch.cat(best).cpu().numpy()) if best else np.zeros(0, int)
