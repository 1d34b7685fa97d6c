"""How networks of Q values are updated: networks as a stack, what they learn from, their targets and losses.

The networks of a stack are of one kind, each with its own weights, data and optimiser state. Small dense networks
run as one with stacked weights, which fills a GPU; a single network runs as it is. Batches are shots from a replay,
with as many solved as failed ones, or states from which many shots are known.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional

from tumble.learning.networks import full_precision, mixed_precision
from tumble.phyq.models.q_networks import QConfig
from tumble.phyq.models.shot_outcomes import CONTINUES, NO_STATE, UNKNOWN, WON, ShotOutcomes
from tumble.phyq.models.state_pictures import StatePictures

NetworkState = dict[str, Any]
"""The weights of one network ("network"), and the state of its optimiser ("optimiser") or None at the start."""


class NetworkStack:
    """K networks, with copies of them that value what comes next; arrays begin with an axis of K."""

    def __init__(self, config: QConfig, states: Sequence[NetworkState], device: torch.device) -> None:
        self._config, self._device = config, device
        self._networks = [config.network().to(device) for _ in states]
        for network, state in zip(self._networks, states, strict=True):
            network.load_state_dict(state["network"])
        self._names = [name for name, _ in self._networks[0].named_parameters()]
        self._single = len(states) == 1
        if self._single:
            if device.type == "cuda":  # faster convolutions
                self._networks[0].to(memory_format=torch.channels_last)  # type: ignore[call-overload]
            self._parameters = dict(self._networks[0].named_parameters())
        else:
            if any(True for _ in self._networks[0].buffers()):
                raise ValueError("networks with buffers can't be stacked")
            stacked, _ = stack_module_state(self._networks)
            self._parameters = {name: value.detach().requires_grad_() for name, value in stacked.items()}
            self._networks = self._networks[:1]  # only its structure is used from here on
        self._optimiser = torch.optim.AdamW(
            list(self._parameters.values()),
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            fused=device.type == "cuda",
        )
        self._restore([state.get("optimiser") for state in states])
        self.copy_target()

    def copy_target(self) -> None:
        """Copies the networks; `target_values` are those of the copies from now on."""
        if self._single:
            self._target_network = deepcopy(self._networks[0]).eval()
        self._target = {name: value.detach().clone() for name, value in self._parameters.items()}

    def values(self, x: Tensor, training: bool = False) -> Tensor:
        """Q values float32 [K, n, 180] of observations [K, n, …]; without gradients unless in `training`."""
        if self._single:
            self._networks[0].train(training)
            with torch.set_grad_enabled(training), self._precision():
                values: Tensor = self._networks[0](_channels_last(x[0])).float().unsqueeze(0)
            return values
        with torch.set_grad_enabled(training):
            return self._stacked_values(self._parameters, x)

    def values_of(self, k: int, x: Tensor) -> Tensor:
        """Q values [n, 180] of network k alone, for observations [n, …], without gradients."""
        if self._single:
            return self.values(x.unsqueeze(0))[0]
        with torch.no_grad():
            own = {name: value[k] for name, value in self._parameters.items()}
            found: Tensor = functional_call(self._networks[0], own, (x,))
        return found

    def target_values(self, x: Tensor) -> Tensor:
        """Q values [K, n, 180] of the copies."""
        with torch.no_grad():
            if self._single:
                with self._precision():
                    values: Tensor = self._target_network(_channels_last(x[0])).float().unsqueeze(0)
                return values
            return self._stacked_values(self._target, x)

    def _stacked_values(self, parameters: Mapping[str, Tensor], x: Tensor) -> Tensor:
        structure = self._networks[0]

        def one(own: Mapping[str, Tensor], observations: Tensor) -> Tensor:
            result: Tensor = functional_call(structure, dict(own), (observations,))
            return result

        values: Tensor = vmap(one)(dict(parameters), x)
        return values

    def update(self, losses: Callable[[], Tensor], learning_rate: float) -> Tensor:
        """One step of gradient descent for all networks; returns their losses [K]."""
        for group in self._optimiser.param_groups:
            group["lr"] = learning_rate
        found = losses()
        self._optimiser.zero_grad(set_to_none=True)
        found.sum().backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_value_(list(self._parameters.values()), self._config.clamp)
        self._optimiser.step()
        return found.detach()

    def _precision(self) -> torch.autocast:
        mixed = self._config.bfloat16 and self._device.type == "cuda"
        return mixed_precision(self._device) if mixed else full_precision(self._device)

    def states(self) -> list[NetworkState]:
        """The weights and optimiser states of each network, on the CPU."""
        if self._single:
            weights = [{name: value.detach().cpu().clone() for name, value in self._networks[0].state_dict().items()}]
        else:
            weights = _unstacked({name: value.detach().cpu() for name, value in self._parameters.items()})
        moments = [self._optimiser.state[value] for value in self._parameters.values()]
        if not all(moments):
            return [{"network": own, "optimiser": None} for own in weights]
        step = float(moments[0]["step"])
        parts = {
            kind: {name: moment[kind].detach().cpu() for name, moment in zip(self._names, moments, strict=True)}
            for kind in ("exp_avg", "exp_avg_sq")
        }
        by_kind = {kind: [own] if self._single else _unstacked(own) for kind, own in parts.items()}
        return [
            {"network": own, "optimiser": {"step": step, **{kind: by_kind[kind][k] for kind in by_kind}}}
            for k, own in enumerate(weights)
        ]

    def _restore(self, moments: Sequence[Mapping[str, Any] | None]) -> None:
        """Sets the optimiser's state from those of the networks."""
        known = [own for own in moments if own is not None]
        if len(known) < len(moments):
            return
        state = {}
        for number, name in enumerate(self._names):
            values = {
                kind: known[0][kind][name].clone() if self._single else torch.stack([own[kind][name] for own in known])
                for kind in ("exp_avg", "exp_avg_sq")
            }
            state[number] = {"step": torch.tensor(known[0]["step"]), **values}
        self._optimiser.load_state_dict({**self._optimiser.state_dict(), "state": state})


def _unstacked(values: Mapping[str, Tensor]) -> list[dict[str, Tensor]]:
    """Values [K, …] by name as K dictionaries."""
    count = len(next(iter(values.values())))
    return [{name: value[k].clone() for name, value in values.items()} for k in range(count)]


def _channels_last(x: Tensor) -> Tensor:
    return x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x


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
        chosen = [_drawn_from_pool(pool, draws[0]) for pool in (self._solved, self._failed) if len(pool)]
        return torch.where(draws[1] < 0.5, chosen[0], chosen[-1])


def _drawn_from_pool(pool: Tensor, draws: Tensor) -> Tensor:
    """Elements of a pool for uniform draws from 0 to 1."""
    return pool[(draws * len(pool)).long().clamp(max=len(pool) - 1)]


STATES_TOGETHER = 256


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
        for part in torch.split(all_rows, STATES_TOGETHER, dim=1)
    ]
    values = torch.cat(best, dim=1)
    inside = torch.cat([values[k, : len(own)] for k, own in enumerate(lists)])
    return inside[torch.from_numpy(row_of).to(device)]


def shot_losses(
    stack: NetworkStack, pictures: StatePictures, shots: Shots, gamma: float, double: bool, later: bool
) -> Tensor:
    """[K]: Huber losses of shots [K, n]; `later` says whether some lead to a further state.

    The target of a shot is its reward, or gamma times the value of the next state: that which the copies give to the
    shot that the networks choose there (`double`), or to their own best.
    """
    targets = shots.rewards
    if later:
        goes_on = shots.next_states >= 0
        seen = pictures.floats(shots.next_states.clamp(min=0))
        following = stack.target_values(seen)
        best = (stack.values(seen) if double else following).argmax(-1, keepdim=True)
        targets = targets + gamma * torch.where(goes_on, following.gather(-1, best).squeeze(-1), 0.0)
    values = stack.values(pictures.floats(shots.states), training=True)
    chosen = values.gather(-1, shots.angles.unsqueeze(-1)).squeeze(-1)
    return functional.smooth_l1_loss(chosen, targets, reduction="none").mean(-1)


def outcome_losses(values: Tensor, targets: Tensor, known: Tensor) -> Tensor:
    """[K]: Huber losses of values [K, n, 180] of states, where known bool [K, n, 180].

    The solved shots of a state weigh as much as the failed ones together.
    """
    solved = known & (targets > 0.5)
    failed = known & ~solved
    weights = sum(part / part.sum(-1, keepdim=True).clamp(min=1) for part in (solved, failed))
    errors = functional.smooth_l1_loss(values, targets, reduction="none")
    return 0.5 * (errors * weights).sum(-1).mean(-1)
