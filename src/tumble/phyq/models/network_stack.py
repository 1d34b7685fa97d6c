"""Networks of one kind that are evaluated and updated together, each with its own weights, data and optimiser state.

Small dense networks run as one with stacked weights, which fills a GPU; with one network it runs as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from tumble.learning.hardware import full_precision, mixed_precision
from tumble.phyq.models.q_config import QConfig

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
