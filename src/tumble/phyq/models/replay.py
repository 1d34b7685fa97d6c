"""Replay: the shots of one network, from which batches are drawn with as many solved as failed ones."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tumble.phyq.models.shot_outcomes import NO_STATE, WON


@dataclass(frozen=True)
class Shots:
    """Shots on a device, each array [*]: from a state, by an angle, with a reward, to a state or NO_STATE."""

    states: Tensor
    angles: Tensor
    rewards: Tensor
    next_states: Tensor

    def __getitem__(self, rows: Tensor) -> "Shots":
        return Shots(self.states[rows], self.angles[rows], self.rewards[rows], self.next_states[rows])


class Replay:
    """The latest `memory` shots of a network, on a device."""

    def __init__(self, memory: int, device: torch.device) -> None:
        self._memory, self._device = memory, device
        self._rows = np.zeros((0, 4), np.int64)
        self.shots: Shots | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def has_later_shots(self) -> bool:
        """Whether some shot leads to a further state."""
        return bool((self._rows[:, 3] != NO_STATE).any())

    def states(self) -> np.ndarray:
        """int: the states from which it has shots, each once."""
        return np.unique(self._rows[:, 0])

    def extend(self, states: np.ndarray, angles: np.ndarray, outcomes: np.ndarray, next_states: np.ndarray) -> None:
        """Adds shots [n] with their outcomes; the oldest are dropped."""
        added = np.stack([states, angles, outcomes == WON, next_states], axis=1)
        self._rows = np.concatenate([self._rows, added])[-self._memory :]
        states_, angles_, rewards, next_ = torch.from_numpy(self._rows).to(self._device).unbind(1)
        self.shots = Shots(states_, angles_, rewards.float(), next_)
        self._solved = torch.from_numpy(np.flatnonzero(self._rows[:, 2] == 1)).to(self._device)
        self._failed = torch.from_numpy(np.flatnonzero(self._rows[:, 2] == 0)).to(self._device)

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """int [count]: rows of shots; half of them, in expectation, are solved, where there are solved and failed."""
        draws = torch.rand((2, count), generator=generator, device=self._device)
        chosen = [_picked(pool, draws[0]) for pool in (self._solved, self._failed) if len(pool)]
        return torch.where(draws[1] < 0.5, chosen[0], chosen[-1])


def _picked(pool: Tensor, draws: Tensor) -> Tensor:
    """Elements of a pool for uniform draws from 0 to 1."""
    return pool[(draws * len(pool)).long().clamp(max=len(pool) - 1)]
