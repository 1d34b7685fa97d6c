"""What networks should answer in states from which many shots are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tumble.phyq.models.network_stack import NetworkStack
from tumble.phyq.models.q_config import QConfig
from tumble.phyq.models.shot_outcomes import CONTINUES, UNKNOWN, WON, ShotOutcomes

CHUNK = 256


@dataclass(frozen=True)
class OutcomeTargets:
    """For K networks with up to n states each, on a device."""

    states: Tensor
    """int [K, n]: the states of each network, those at the start of tasks first."""
    counts: Tensor
    """int [K, 2]: how many are at the start of tasks, and how many there are."""
    targets: Tensor
    """float [K, n, 180]."""
    known: Tensor
    """bool [K, n, 180]."""

    @classmethod
    def of(
        cls, stack: NetworkStack, outcomes: ShotOutcomes, states: Sequence[np.ndarray], config: QConfig
    ) -> "OutcomeTargets":
        """Targets of the states of each network; a shot after which birds are left is worth gamma times the best next.

        The networks have just been copied, so that the best by the copies is also that of double DQN.
        """
        device, most = outcomes.pictures.device, max(map(len, states))
        padded = np.stack([np.pad(own, (0, most - len(own)), mode="edge") for own in states])  # sorted: starts first
        found = outcomes.outcomes[padded]
        targets = torch.from_numpy(found == WON).to(device).float()
        later = np.nonzero(found == CONTINUES)
        if len(later[0]):
            values = _state_values(stack, outcomes, len(states), later[0], outcomes.next_states[padded][later])
            targets[tuple(torch.from_numpy(index).to(device) for index in later)] = config.gamma * values
        starts = [int((own < len(outcomes.tasks)).sum()) for own in states]
        counts = torch.tensor([[first, len(own)] for first, own in zip(starts, states, strict=True)], device=device)
        known = torch.from_numpy(found != UNKNOWN).to(device)
        return cls(torch.from_numpy(padded).to(device), counts, targets, known)

    def draw(self, steps: int, batch: int, generators: Sequence[torch.Generator]) -> Tensor:
        """int [steps, K, batch]: states of each network; half at the start of tasks, where there are others too."""
        device = self.states.device
        rows = []
        for k, generator in enumerate(generators):
            draws = torch.rand((2, steps, batch), generator=generator, device=device)
            starts, total = self.counts[k]
            at_start = (draws[1] < 0.5) | (starts == total)
            first = torch.where(at_start, 0, starts)
            room = torch.where(at_start, starts, total - starts)
            rows.append(torch.minimum(first + (draws[0] * room).long(), total - 1))
        return torch.stack(rows, dim=1)

    def batch(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """States [K, n], targets [K, n, 180] and what is known of them, for rows [K, n]."""
        network = torch.arange(len(rows), device=rows.device).unsqueeze(1)
        return self.states[network, rows], self.targets[network, rows], self.known[network, rows]


def _state_values(
    stack: NetworkStack, outcomes: ShotOutcomes, count: int, networks: np.ndarray, states: np.ndarray
) -> Tensor:
    """[n]: the greatest value that copies of networks [n] give to states [n], from 0 to 1."""
    device = outcomes.pictures.device
    pairs, row_of = np.unique(networks * len(outcomes) + states, return_inverse=True)
    lists = [pairs[pairs // len(outcomes) == k] % len(outcomes) for k in range(count)]
    most = max(map(len, lists))
    rows = np.stack([np.pad(own, (0, most - len(own))) for own in lists])
    all_rows = torch.from_numpy(rows).to(device)
    best = [
        stack.target_values(outcomes.pictures.floats(part)).amax(-1).clamp(0.0, 1.0)
        for part in torch.split(all_rows, CHUNK, dim=1)
    ]
    values = torch.cat(best, dim=1)
    inside = torch.cat([values[k, : len(own)] for k, own in enumerate(lists)])
    return inside[torch.from_numpy(row_of).to(device)]
