"""A trained ranker: chances of shots in a scene."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from tumble.learning.errors import TrainingError
from tumble.learning.hardware import torch_device
from tumble.learning.trainer import load_network
from tumble.phyq.models.ranker.features import scene_features, shot_features
from tumble.phyq.models.ranker.flights import outlines_of
from tumble.phyq.models.ranker.kinds import kind_tables
from tumble.phyq.models.ranker.scenes import Scenes
from tumble.phyq.models.ranker.training import RankerConfig

CHUNK = 128
"""Shots that the network scores together."""
_FIRST = 3
"""The column of the features of a shot with an object that says whether it is touched first."""


@dataclass(frozen=True)
class Ranked:
    """Predictions for n shots in one scene."""

    shots: np.ndarray
    """float32 [n, (angle, stretch, tap share)]."""
    log_chances: np.ndarray
    """float [n]: logarithms of the predicted chances to win."""
    targets: np.ndarray
    """int [n]: the object that is touched first, -1 for the ground."""


class Ranker:
    """Scores shots with the weights of a checkpoint."""

    def __init__(self, path: Path, device: str = "cpu") -> None:
        content = load_network(path, "shot-ranker")
        try:
            config = RankerConfig(**content["config"])
            self.network = config.network()
            self.network.load_state_dict({name: value.float() for name, value in content["network"].items()})
        except (TypeError, RuntimeError):
            raise TrainingError(f"{path}: weights of another version of the shot ranker") from None
        self.legs = config.legs
        self.device = torch_device(device)
        self.network.to(self.device).eval()
        self.tables = kind_tables(self.device)

    @torch.inference_mode()
    def rank(self, scene: Scenes, shots: np.ndarray) -> Ranked:
        """Predictions for shots [n, 3] in a scene, the only row of `scene`."""
        kinds = torch.from_numpy(scene.kinds).to(self.device, torch.long)
        poses, sizes, lives, rests = (
            torch.from_numpy(values).to(self.device) for values in (scene.poses, scene.sizes, scene.lives, scene.rests)
        )
        birds, left = (torch.from_numpy(v).to(self.device, torch.long) for v in (scene.birds, scene.birds_left))
        outlines = outlines_of(kinds, poses, sizes, self.tables)
        features = scene_features(kinds, outlines, lives, self.tables)
        given = torch.from_numpy(np.ascontiguousarray(shots, np.float32)).to(self.device)
        scene_of = torch.zeros(len(given), dtype=torch.long, device=self.device)
        seen = shot_features(given, scene_of, poses, outlines, birds, left, rests, self.tables, self.legs)
        parts = [
            self.network(features, seen.shots[None, k : k + CHUNK], seen.objects[None, k : k + CHUNK]).win[0]
            for k in range(0, len(given), CHUNK)
        ]
        first = seen.objects[..., _FIRST] > 0.5
        targets = torch.where(first.any(dim=1), first.int().argmax(dim=1), -1)
        chances = torch.nn.functional.logsigmoid(torch.cat(parts))
        return Ranked(shots, chances.double().cpu().numpy(), targets.cpu().numpy())
