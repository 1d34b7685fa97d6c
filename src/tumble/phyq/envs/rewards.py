"""The rewards of the original's environment, by name."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tumble.envs.errors import EnvError


@dataclass(frozen=True)
class ShotResults:
    """What shots changed, from the observation before each until the one after it; arrays [n]."""

    won: np.ndarray
    """bool: the level was won by this shot."""
    pigs_killed: np.ndarray
    points: np.ndarray
    """Points of the game that were gained, with those for unused birds if the level was won."""
    pigs: np.ndarray
    """Pigs of the level at its start."""
    birds: np.ndarray
    """Birds of the level at its start."""


def _passing(shots: ShotResults) -> np.ndarray:
    """1 for the shot that wins the level, else 0: the reward of the paper."""
    return shots.won.astype(float)


def _num_pigs(shots: ShotResults) -> np.ndarray:
    """Pigs killed by this shot."""
    return shots.pigs_killed.astype(float)


def _num_pigs_normalised(shots: ShotResults) -> np.ndarray:
    """1 for the shot that wins, else the share of the level's pigs killed by this shot, less 1 / birds of the level."""
    share = shots.pigs_killed / np.maximum(shots.pigs, 1) - 1.0 / np.maximum(shots.birds, 1)
    return np.where(shots.won, 1.0, share)


def _score(shots: ShotResults) -> np.ndarray:
    """Points gained by this shot."""
    return shots.points.astype(float)


REWARDS: dict[str, Callable[[ShotResults], np.ndarray]] = {
    "passing": _passing,
    "num_pigs": _num_pigs,
    "num_pigs_normalised": _num_pigs_normalised,
    "score": _score,
}


def reward_function(name: str) -> Callable[[ShotResults], np.ndarray]:
    """The function of a reward: rewards float [n] of shots."""
    if name not in REWARDS:
        raise EnvError(f"no reward {name!r}; there are {', '.join(REWARDS)}")
    return REWARDS[name]
