"""The trained ranker: candidate shots, their chances in a scene, and what a failed shot says of others.

Shots are arrays [n, (angle, stretch, tap share)].
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from tumble.learning.checkpoint import load_network
from tumble.learning.networks import torch_device
from tumble.learning.settings import TrainingError
from tumble.phyq.models.ranker.collect import ANGLES, NEAR, SHORTEST, TAPS
from tumble.phyq.models.ranker.flights import kind_tables, outlines_of
from tumble.phyq.models.ranker.network import scene_features, shot_features
from tumble.phyq.models.ranker.scenes import Scenes
from tumble.phyq.models.ranker.training import RankerConfig

SHOTS_TOGETHER = 128
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
            self.network(
                features, seen.shots[None, k : k + SHOTS_TOGETHER], seen.objects[None, k : k + SHOTS_TOGETHER]
            ).win[0]
            for k in range(0, len(given), SHOTS_TOGETHER)
        ]
        first = seen.objects[..., _FIRST] > 0.5
        targets = torch.where(first.any(dim=1), first.int().argmax(dim=1), -1)
        chances = torch.nn.functional.logsigmoid(torch.cat(parts))
        return Ranked(shots, chances.double().cpu().numpy(), targets.cpu().numpy())


SHORT_CANDIDATES = 0.2
"""Share of the candidates that are not at full stretch."""
REFINED = 8
"""The best candidates, around which more are tried."""
REFINED_SPREAD = 0.4
"""Spread of these, relative to that of training shots near winning ones."""
_GOLDEN = 0.6180339887498949


def candidate_shots(count: int, has_power: bool, offset: float = 0.5) -> np.ndarray:
    """float32 [count, 3]: angles, and taps or stretches, spread evenly; `offset` from 0 to 1 shifts the angles."""
    place = np.arange(count)
    angle = ANGLES[0] + (ANGLES[1] - ANGLES[0]) * (place + offset) / count
    spread = np.modf((place + 1) * _GOLDEN)[0]  # far from that of neighbouring angles
    if has_power:
        tap = TAPS[0] + (TAPS[1] - TAPS[0]) * spread
        return np.stack([angle, np.ones(count), tap], axis=-1).astype(np.float32)
    stretch = np.where(spread < SHORT_CANDIDATES, SHORTEST + (1.0 - SHORTEST) * spread / SHORT_CANDIDATES, 1.0)
    return np.stack([angle, stretch, np.full(count, np.nan)], axis=-1).astype(np.float32)


def refined_shots(shots: np.ndarray, scores: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """float32 [count, 3]: random shots near the best ones."""
    best = np.argsort(-scores, kind="stable")[:REFINED]
    chosen = shots[best[np.arange(count) % len(best)]]
    moved = chosen + REFINED_SPREAD * np.array(NEAR) * rng.standard_normal((count, 3))
    moved[:, 1] = np.where(chosen[:, 1] < 1.0, moved[:, 1], 1.0)
    low, high = (ANGLES[0], SHORTEST, TAPS[0]), (ANGLES[1], 1.0, TAPS[1])
    return np.clip(moved, low, high).astype(np.float32)


@dataclass(frozen=True)
class RetryRule:
    """By how much a failed shot lowers the chances of others; fitted on training templates."""

    angle: float = 1.0
    """Degrees over which shots become unlike each other, by a factor e."""
    tap: float = 0.15
    """The same for taps, as shares of flights."""
    stretch: float = 0.05
    """The same for stretches."""
    strength: float = 0.95
    """The share by which the chance of an equal shot is lowered."""
    same_target: float = 0.1
    """The share by which the chance of a shot is lowered that touches the same object first."""
    early: float = 0.5
    """Factor on both shares for a shot after which birds were left: a later one may have been the wrong one."""

    def log_factors(
        self, shots: np.ndarray, targets: np.ndarray, failed: np.ndarray, failed_target: int, is_last: bool = True
    ) -> np.ndarray:
        """float [n]: to be added to log chances of shots [n, 3] that touch `targets` int [n] first (-1: the ground)."""
        factor = 1.0 if is_last else self.early
        apart = np.abs(shots - failed) / np.array([self.angle, self.stretch, self.tap])
        alike = np.exp(-np.nan_to_num(apart, nan=0.0).sum(axis=-1))
        same = (targets == failed_target) & (failed_target >= 0)
        lowered = np.log1p(-factor * self.strength * alike)
        return np.asarray(lowered + np.where(same, np.log1p(-factor * self.same_target), 0.0))


RETRIES = RetryRule()
"""The rule with the fitted constants."""
