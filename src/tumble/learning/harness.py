"""The training of networks, for all benchmarks: data, budget, progress, curve and checkpoint.

A model gives its settings, its network and what a step does (`Training`); most only give the losses of a step
(`LossTraining`). The harness calls the steps, of one or of several trainings together, and writes checkpoints.
Training that was killed, at any moment, resumes from the last checkpoint, and with a number of steps it ends with the
same weights and curve: a step depends on the checkpoint, the seed and its own number only. With minutes instead, the
number of steps depends on the machine.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tumble.learning.checkpoint import load_network, write_checkpoint
from tumble.learning.networks import deterministic, full_precision, mixed_precision, torch_device
from tumble.learning.settings import PausedError, TrainingError
from tumble.progress import bar_with_note

CHECKPOINT_SECONDS = 60.0
"""Between two checkpoints; more where writing them takes more than a tenth of that."""
CURVE_POINTS = 400
"""A curve has fewer points: each is the mean over as many steps as that takes."""
SHOW_EVERY = 20
"""Steps after which the bar moves, at the latest."""


@dataclass(frozen=True)
class Budget:
    """When training ends: after some steps, or after some minutes."""

    steps: int | None = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        given = [value for value in (self.steps, self.minutes) if value is not None]
        if len(given) != 1 or given[0] <= 0:
            raise TrainingError("give training either a number of steps or a number of minutes, above 0")

    @property
    def total(self) -> float:
        """Steps or seconds."""
        return self.steps if self.steps is not None else 60.0 * (self.minutes or 0.0)


@dataclass
class Progress:
    """How far training is, and the curve of the values that its steps returned."""

    step: int = 0
    """Steps that are done."""
    seconds: float = 0.0
    """Duration, pauses excluded."""
    finished: bool = False
    curve: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    """For each value, (step, mean since the point before)."""
    interval: int = 1
    """Steps of which a point of the curve is the mean; the last point may be that of fewer."""
    pending: dict[str, tuple[Any, int]] = field(default_factory=dict)
    """For each value, the sum since the last point, and the number of steps."""

    def restore(self, content: Mapping[str, Any]) -> None:
        """Takes over what a checkpoint holds."""
        self.step, self.seconds, self.finished = content["step"], content["seconds"], content["finished"]
        curve = content.get("curve", {})
        self.curve = {name: [(int(step), float(mean)) for step, mean in points] for name, points in curve.items()}
        self.interval, self.pending = content.get("interval", 1), dict(content.get("pending", {}))

    def add(self, values: Mapping[str, Tensor | float]) -> bool:
        """Counts a step and the values that it returned; returns whether the curve got a point."""
        self.step += 1
        for name, value in values.items():
            total, count = self.pending.get(name, (0.0, 0))
            self.pending[name] = total + value, count + 1
        if self.step % self.interval:
            return False
        self.add_point()
        return True

    def add_point(self) -> None:
        """Adds the mean of the values since the last point to the curve, if there are any."""
        for name, (total, count) in self.pending.items():
            self.curve.setdefault(name, []).append((self.step, float(total) / count))
        self.pending = {}
        if any(len(points) >= CURVE_POINTS for points in self.curve.values()):
            self.interval *= 2
            self.curve = {name: _halved_curve(points) for name, points in self.curve.items()}

    def latest(self) -> float:
        """The sum of the last points of all values."""
        return sum(points[-1][1] for points in self.curve.values() if points)


def _halved_curve(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Two neighbouring points as one."""
    pairs = zip(points[::2], points[1::2], strict=False)
    return [(second[0], (first[1] + second[1]) / 2.0) for first, second in pairs]


class Training(ABC):
    """The training of a network, or of several with one checkpoint, on some data; a model defines its steps."""

    name: str
    """Of the model."""
    config: Any
    """A dataclass, or values by name: all that the weights depend on besides data, seed and budget."""
    network: nn.Module

    @abstractmethod
    def start(self, device: torch.device, seed: int) -> None:
        """Prepares steps, once, if training is not finished: optimiser and data."""

    @abstractmethod
    def step(self, number: int, share: float) -> Mapping[str, Tensor | float]:
        """Updates the network; returns the values that the curve is made of. `share` is that of the training done."""

    def state(self) -> dict[str, Any]:
        """What steps depend on besides weights, data and seed, such as the optimiser's state."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:  # noqa: B027 (many trainings have nothing to restore)
        """Takes over `state` from a checkpoint."""

    def extra(self) -> dict[str, Any]:
        """What else a trained model needs, such as a vocabulary: plain values and tensors."""
        return {}

    def weights(self) -> dict[str, Tensor]:
        """The weights that the checkpoint gets."""
        return self.network.state_dict()

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Takes over `weights` from a checkpoint."""
        self.network.load_state_dict(weights)

    def is_early_done(self) -> bool:
        """Whether training ends before its budget is used up."""
        return False

    def note(self) -> str:
        """What the bar shows of the latest point of the curve."""
        return f"loss {self.progress.latest():.3f}"

    def open(self, path: Path | None, budget: Budget, seed: int = 0, data: str = "") -> None:
        """Takes over the checkpoint at `path`, if there is one; it must be of the same settings, data and budget.

        `data` is a digest. Without a path there is no checkpoint.
        """
        self.path, self.budget, self.progress = path, budget, Progress()
        config = dict(self.config) if isinstance(self.config, Mapping) else asdict(self.config)
        self.identity: dict[str, Any] = {"config": config, "seed": seed, "data": data, "budget": asdict(budget)}
        self._loaded_state: Mapping[str, Any] | None = None
        if path is None or not path.exists():
            return
        content = load_network(path, self.name)
        difference = _difference(content, self.identity)
        if difference is not None:
            raise TrainingError(f"{path} was made with {difference}; use another file, or delete it")
        self.load_weights(content["network"])
        self.progress.restore(content)
        self._loaded_state = content.get("state")

    def begin(self, device: torch.device) -> None:
        """Prepares steps, and resumes from the checkpoint that was opened."""
        self.start(device, self.identity["seed"])
        if self._loaded_state is not None:
            self.restore(self._loaded_state)
            self._loaded_state = None

    def advance(self, values: Mapping[str, Tensor | float], seconds: float) -> bool:
        """Counts a step, the values that it returned and its duration; returns whether the curve got a point."""
        has_point = self.progress.add(values)
        self.progress.seconds += seconds
        if self.share >= 1.0 or self.is_early_done():
            self.progress.add_point()
            self.progress.finished = True
        return has_point

    @property
    def done(self) -> float:
        """Steps or seconds of the budget."""
        if self.progress.finished:
            return self.budget.total
        return self.progress.step if self.budget.steps is not None else self.progress.seconds

    @property
    def share(self) -> float:
        """The share of the training that is done."""
        return self.done / self.budget.total

    def save(self) -> None:
        """Writes the checkpoint; once finished, without what only training needs."""
        if self.path is None:
            return
        progress = {name: getattr(self.progress, name) for name in ("step", "seconds", "finished", "curve", "interval")}
        content = {"name": self.name, **self.identity, "network": self.weights(), "extra": self.extra(), **progress}
        if not self.progress.finished:
            pending = {name: (float(total), count) for name, (total, count) in self.progress.pending.items()}
            content |= {"pending": pending, "state": self.state()}
        write_checkpoint(self.path, content)


def _difference(content: Mapping[str, Any], expected: Mapping[str, Any]) -> str | None:
    """The first value of a checkpoint that is not the expected one, in words."""
    for name, value in expected.items():
        stored = content.get(name)
        if isinstance(value, dict) and isinstance(stored, dict):
            found = _difference(stored, value)
            if found is not None:
                return found if name == "config" else f"{name} {found}"
        elif stored != value:
            return f"{name} {_shortened(stored)}, and this is {_shortened(value)}"
    return None


def _shortened(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:200] + "…"


def train(
    training: Training,
    path: Path | None,
    budget: Budget,
    device: torch.device,
    seed: int = 0,
    data: str = "",
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Trains, or resumes from the checkpoint at `path`, and writes it there; a finished one is only loaded.

    `data` is a digest of the data. If `stop` is true after a step, training ends with a checkpoint to resume from.
    """
    training.open(path, budget, seed, data)
    if not training.progress.finished:
        training.begin(device)
        run_steps([training], lambda _: [training.step(training.progress.step, training.share)], training.name, stop)


def save_all(trainings: Sequence[Training]) -> None:
    """Writes the checkpoints of trainings."""
    for training in trainings:
        training.save()


def run_steps(
    trainings: Sequence[Training],
    step: Callable[[Sequence[Training]], Sequence[Mapping[str, Tensor | float]]],
    name: str,
    stop: Callable[[], bool] = lambda: False,
    save: Callable[[Sequence[Training]], None] = save_all,
) -> None:
    """Calls `step` with the trainings that have done the fewest steps, until all are finished or `stop` is true.

    `step` returns the values of each. Their progress is up to date whenever `save` is called with some of them: those
    that have just finished, and from time to time all of them.
    """
    saved_at = lap = time.monotonic()
    wait = CHECKPOINT_SECONDS
    total = sum(round(one.budget.total) for one in trainings)
    with deterministic(), bar_with_note(f"Training {name}", total, _done(trainings)) as show:
        while unfinished := [one for one in trainings if not one.progress.finished]:
            fewest = min(one.progress.step for one in unfinished)
            active = [one for one in unfinished if one.progress.step == fewest]
            values = step(active)
            now = time.monotonic()
            has_point = [one.advance(own, now - lap) for one, own in zip(active, values, strict=True)]
            lap = now
            if has_point[0] or active[0].progress.step % SHOW_EVERY == 0:
                show(_done(trainings), active[0].note() if active[0].progress.curve else "")
            is_over = stop()
            if is_over or now - saved_at >= wait:
                save(unfinished)
                saved_at = time.monotonic()
                wait = CHECKPOINT_SECONDS * max(1.0, (saved_at - now) / 6.0)
            elif finished := [one for one in active if one.progress.finished]:
                save(finished)
            if is_over:
                return


@dataclass
class TrainingOptions:
    """Where and for how long an agent trains its network; the weights do not depend on it."""

    device: str = "auto"
    """Of the network: auto, cpu or cuda."""
    checkpoint: str = ""
    """A file to resume from and to write to; by default there is none."""
    minutes: float = 0.0
    """Time after which training stops with a checkpoint to resume from; 0 for no limit."""

    def __post_init__(self) -> None:
        if self.minutes and not self.checkpoint:
            raise TrainingError("minutes needs a checkpoint to resume from")

    def train_network(self, training: Training, steps: int, seed: int, data: str, begun: float) -> None:
        """Trains, resumes or loads; a PausedError if the minutes since `begun` are over before all steps are done."""
        path = Path(self.checkpoint) if self.checkpoint else None

        def is_over() -> bool:
            return bool(self.minutes) and time.monotonic() - begun >= 60.0 * self.minutes

        train(training, path, Budget(steps=steps), torch_device(self.device), seed, data, is_over)
        training.network.eval()
        if not training.progress.finished:
            raise PausedError(
                f"training stopped after {self.minutes:g} minutes at step {training.progress.step} of {steps}; "
                f"the same call resumes from {path}"
            )


def _done(trainings: Sequence[Training]) -> int:
    return sum(round(min(one.done, one.budget.total)) for one in trainings)


def step_seed(seed: int, step: int) -> int:
    """The seed of the random numbers of a step."""
    return int.from_bytes(sha256(f"{seed} {step}".encode()).digest()[:7], "big")


@dataclass(frozen=True)
class Optimisation:
    """How weights are updated by the losses of a step."""

    learning_rate: float = 1e-3
    """At its highest; it rises during the warm-up and then falls to 0 along a half cosine."""
    weight_decay: float = 1e-4
    warm_up: float = 0.03
    """Share of the training."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    bfloat16: bool = False
    """Whether networks run in mixed precision on a GPU."""


class LossTraining(Training):
    """A training whose steps minimise the sum of some losses with AdamW."""

    optimisation: Optimisation = Optimisation()

    @abstractmethod
    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        """The losses of a batch, of which the sum is minimised; `progress` is the share of the training that is done.

        The batch may depend on the step and the seed only. PyTorch's generators are seeded before each call.
        """

    def groups(self) -> list[dict[str, Any]]:
        """Parameters for the optimiser; a group's "scale" multiplies the learning rate."""
        return [{"params": [value for value in self.network.parameters() if value.requires_grad]}]

    def start(self, device: torch.device, seed: int) -> None:
        self._seed, self._device = seed, device
        settings = self.optimisation
        self._optimiser = torch.optim.AdamW(
            self.groups(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )

    def state(self) -> dict[str, Any]:
        return {"optimiser": self._optimiser.state_dict()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._optimiser.load_state_dict(state["optimiser"])

    def step(self, number: int, share: float) -> Mapping[str, Tensor]:
        torch.manual_seed(step_seed(self._seed, number))
        settings = self.optimisation
        rate = settings.learning_rate * _schedule(share, settings.warm_up)
        for group in self._optimiser.param_groups:
            group["lr"] = rate * group.get("scale", 1.0)
        self.network.train()
        with mixed_precision(self._device) if settings.bfloat16 else full_precision(self._device):
            losses = dict(self.losses(number, share))
        self._optimiser.zero_grad(set_to_none=True)
        total: Any = sum(losses.values())
        total.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), settings.clip)
        self._optimiser.step()
        return {name: loss.detach() for name, loss in losses.items()}


def _schedule(progress: float, warm_up: float) -> float:
    """The learning rate, relative to its highest."""
    if progress < warm_up:
        return (progress + 1e-3) / (warm_up + 1e-3)
    return 0.5 * (1.0 + math.cos(math.pi * min((progress - warm_up) / (1.0 - warm_up), 1.0)))
