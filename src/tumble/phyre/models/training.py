"""Training of networks that predict whether an action solves a task, with checkpoints to resume from.

They are trained by the cross entropy of their logits, on batches in which half of the actions solve their task, and
if wanted by that of dense outcomes, which they then predict as well. Training that was killed resumes from its last
checkpoint and ends with the same weights; a finished checkpoint is only loaded.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tumble import engine
from tumble.learning import harness
from tumble.learning.harness import (
    Budget,
    CapturedStep,
    Pause,
    Progress,
    capturable_adam,
    half_precision,
    load_optimizer_state,
    parallel_branches,
    read_checkpoint,
    run_steps,
    set_learning_rate,
    write_checkpoint,
)
from tumble.phyre.catalogue.task import Task
from tumble.phyre.generation import dense_pool, training_pool
from tumble.phyre.models.labels import LabelledActions, dense_loss, label_pool, mirrored_batch
from tumble.phyre.models.network import Ensemble, QNetwork, check_network_settings, planes_of
from tumble.phyre.simulation.simulator import Simulator
from tumble.runs.participant import AgentError

CHECKPOINT_FORMAT = "tumble-dqn-3"
FORMER_CHECKPOINT_FORMAT = "tumble-dqn-2"
"""Of networks that were not yet members of an ensemble."""
LATER_SETTINGS = {"pooled": False, "dense": 0.0, "pairs": False}
"""Settings that earlier checkpoints don't have, and what these were made with."""
FORMER_SETTINGS = {"ordered": False, "mined": 0}
"""Settings that only earlier checkpoints have, and the only value that networks can still be made with."""
CHECKPOINT_PARTS: dict[str, type] = {"settings": dict, "network": dict, "step": int}
"""What every checkpoint holds."""


def save_checkpoint(path: str | Path, content: dict[str, Any]) -> None:
    """Writes a checkpoint."""
    write_checkpoint(path, {"format": CHECKPOINT_FORMAT, **content})


def load_checkpoint(path: str | Path) -> dict[str, Any]:
    """Reads a checkpoint; its tensors are on the CPU."""
    content = read_checkpoint(path, (CHECKPOINT_FORMAT, FORMER_CHECKPOINT_FORMAT), CHECKPOINT_PARTS, AgentError)
    content = _upgraded_checkpoint(content) if content["format"] == FORMER_CHECKPOINT_FORMAT else content
    check_checkpoint_matches(
        path, {"settings": {**FORMER_SETTINGS, **content["settings"]}}, {"settings": FORMER_SETTINGS}
    )
    settings = {name: value for name, value in content["settings"].items() if name not in FORMER_SETTINGS}
    return {**content, "settings": {**LATER_SETTINGS, **settings}}


def _upgraded_checkpoint(content: dict[str, Any]) -> dict[str, Any]:
    """A checkpoint of the former format as one of this."""
    if "generator" in content:
        raise AgentError("training of an earlier version of Tumble can't be resumed; use another checkpoint")
    network = {f"members.0.{name}": value for name, value in content["network"].items()}
    settings = {**content["settings"], "members": 1, "mutated": 0}
    return {**content, "format": CHECKPOINT_FORMAT, "settings": settings, "network": network}


def checkpoint_settings(path: str | Path) -> dict[str, Any]:
    """The settings of the agent that wrote a checkpoint."""
    settings: dict[str, Any] = load_checkpoint(path)["settings"]
    return settings


def check_checkpoint_matches(path: str | Path, content: dict[str, Any], expected: dict[str, dict[str, Any]]) -> None:
    """Raises an AgentError that names the first difference between a checkpoint and what is expected of it."""
    for part, values in expected.items():
        for name, value in values.items():
            stored = content[part].get(name)
            if stored != value:
                raise AgentError(f"{path} was made with {name} {stored}, and this is {value}; use another checkpoint")


def export_checkpoint_in_half_precision(path: str | Path, target: str | Path) -> None:
    """Writes a checkpoint of finished training in half precision, small enough to ship."""
    content = load_checkpoint(path)
    if content["step"] < content["settings"]["updates"]:
        raise AgentError(f"{path}: training has not finished; finish it before exporting")
    save_checkpoint(target, {**content, "network": half_precision(content["network"])})


TRAINING_SETTINGS = (
    "updates",
    "tasks_per_batch",
    "actions_per_task",
    "learning_rate",
    "trained_on",
    "mutated",
    "pooled",
    "pairs",
    "balanced",
    "mirrored",
    "fusion",
    "hidden",
    "side",
    "width",
    "dense",
    "members",
    "seed",
)
"""The settings that the weights depend on; a checkpoint made with others is rejected."""


@dataclass
class NetworkTraining:
    """An agent with networks that predict whether an action solves a task."""

    updates: int = 10_000
    """Steps of gradient descent."""
    tasks_per_batch: int = 64
    actions_per_task: int = 8
    """Actions of each task in a batch; they share its encoded picture."""
    learning_rate: float = 1e-3
    """At the start; it falls to 0 along a half cosine."""
    trained_on: int = 10_000
    """Random actions on each training task to learn from, beside variations of those that solve it."""
    mutated: int = 0
    """Mutations of each training task, at most, to learn from as well."""
    pooled: bool = False
    """Whether to take all this from a file, which has its own number of random actions, instead of simulating it."""
    pool: str = ""
    """That file, a training pool made by benchmarks/phyre_pool.py; by default the package's."""
    pairs: bool = False
    """Whether a batch has single pairs of a task and a random action, drawn from all pairs, as in the paper.

    There are no variations of actions then, and no stored solutions."""
    balanced: bool = True
    """Whether half of a task's actions in a batch solve it; with `pairs`, half of all pairs."""
    mirrored: bool = True
    """Whether to train on mirror images of tasks as well."""
    fusion: str = "last"
    """Where the action is fused: before conv5 ("last"), conv2 ("first"), conv2 to conv5 ("all"), or after ("global").

    Beyond the paper: as "last", with the balls drawn into the features before conv3 ("drawn"). "published" is the
    paper's network to the last layer: "last" with 3 x 3 max pooling, and without a scout."""
    hidden: tuple[int, ...] = (512,)
    """Units of the action encoder's hidden layers."""
    side: int = 128
    """Pixels to which pictures are averaged down."""
    width: float = 1.0
    """Channels, as a share of those of a ResNet-18."""
    dense: float = 0.0
    """The weight, in the loss, of the dense outcomes of actions, which the network then predicts beside its logit.

    Needs `pooled`, and a file of dense outcomes beside the pool's, made by benchmarks/phyre_pool.py --dense. Which
    actions were measured there changes the weights."""
    members: int = 1
    """Networks, with the seeds `seed`, `seed` + 1, …; an action's score is the mean of their logits."""
    seed: int = 0
    device: str = "auto"
    checkpoint: str = ""
    """A file to resume from and to write to; by default there is none."""
    loaded: bool = False
    """Whether to take the training settings from the checkpoint, whatever else is given."""
    minutes: float = 0.0
    """Time after which training stops with a checkpoint to resume from; 0 for no limit."""
    save_every: float = 60.0
    """Seconds between checkpoints."""
    log_every: int = 100
    """Updates over which the loss is averaged; checkpoints are written only after a multiple of these."""
    progress: Progress = field(default_factory=Progress, init=False, repr=False)
    """Of the training."""

    @property
    def losses(self) -> list[tuple[int, float]]:
        """Number of updates, and the mean loss of the last ones."""
        return self.progress.curve.get("loss", [])

    @property
    def seconds(self) -> float:
        """Duration of training, pauses excluded."""
        return self.progress.seconds

    def __post_init__(self) -> None:
        if self.loaded:
            if not self.checkpoint:
                raise AgentError("loaded needs a checkpoint to take settings from")
            for name, value in checkpoint_settings(self.checkpoint).items():
                setattr(self, name, value)
        self.hidden = tuple(self.hidden)
        for name in ("updates", "tasks_per_batch", "actions_per_task", "trained_on", "members", "log_every"):
            if getattr(self, name) < 1:
                raise AgentError(f"{name} must be 1 or more, not {getattr(self, name)}")
        if self.minutes and not self.checkpoint:
            raise AgentError("minutes needs a checkpoint to resume from")
        if self.pairs and (self.pooled or self.mutated or self.actions_per_task != 1):
            raise AgentError("pairs needs pooled=false, mutated=0 and actions_per_task=1")
        if self.dense < 0.0 or (self.dense and not self.pooled):
            raise AgentError(f"dense must be 0, or above 0 together with pooled, not {self.dense}")
        check_network_settings(self.fusion, self.hidden, self.side, self.width)

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        start = time.monotonic()
        self.progress = Progress(self.log_every)
        self.torch_device = harness.torch_device(self.device)
        self.network = self._new_network(simulator.tier.numbers)
        identity = {
            "settings": {name: getattr(self, name) for name in TRAINING_SETTINGS} | {"hidden": list(self.hidden)},
            "data": {
                "tier": simulator.tier.name,
                "training tasks": sha256("\n".join(sorted(task.id for task in tasks)).encode()).hexdigest()[:16],
            },
        }
        loaded = self._load_checkpoint(identity)
        if self.progress.step < self.updates:
            self._optimise(self._training_data(tasks, simulator), identity, loaded, start)
        self.network.eval()

    def _training_data(self, tasks: Sequence[Task], simulator: Simulator) -> LabelledActions:
        if not self.pooled:
            counts = training_pool.counts_with(self.trained_on, self.mutated, varied=not self.pairs)
            return label_pool(training_pool.make(tasks, simulator, counts), self.see)
        path = self._pool_path(simulator.tier.name)
        pool = training_pool.load(path, tasks, self.mutated)
        dense = dense_pool.load(dense_pool.dense_path(path), pool) if self.dense else None
        return label_pool(pool, self.see, dense)

    def _pool_path(self, tier: str) -> str | Path:
        return self.pool or training_pool.shipped(tier, self.mutated)

    def _new_network(self, numbers: int) -> Ensemble:
        networks = []
        for seed in self._seeds():
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                sizes = (self.fusion, self.hidden, self.side, self.width)
                networks.append(QNetwork(numbers, *sizes, self.dense > 0.0))
        new = Ensemble(networks)
        return new.to(self.torch_device, memory_format=torch.channels_last)  # type: ignore[call-overload, no-any-return]

    def see(self, tasks: Sequence[Task]) -> Tensor:
        """[tasks, …]: what the network sees of tasks at the start, on its device."""
        return planes_of(tasks, self.side, self.torch_device)

    def _seeds(self) -> range:
        """The seed of each member."""
        return range(self.seed, self.seed + self.members)

    def _load_checkpoint(self, identity: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
        """The checkpoint, after its weights and losses are restored; None if there is none."""
        if not self.checkpoint or not Path(self.checkpoint).exists():
            return None
        content = load_checkpoint(self.checkpoint)
        check_checkpoint_matches(self.checkpoint, content, identity)
        if self.fusion == "drawn" and not any(".scout." in name for name in content["network"]):
            self.network.drop_scouts()  # the network of an earlier version, which had none
        self.network.load_state_dict(content["network"])
        self.progress.restore(content, {"loss": content["losses"]})
        return content

    def _optimise(
        self, labels: LabelledActions, identity: dict[str, Any], loaded: dict[str, Any] | None, start: float
    ) -> None:
        """Gradient descent up to the last update, resuming from a loaded checkpoint."""
        self._optimizer = capturable_adam(self.network.parameters(), self.learning_rate, self.torch_device)
        generators = self._generators()
        data = {"physics": engine.physics_id(), "outcomes": labels.digest()}
        if loaded is not None:
            check_checkpoint_matches(self.checkpoint, loaded, {"data": data})
            load_optimizer_state(self._optimizer, loaded["optimizer"])
            for generator, state in zip(generators, loaded["generators"], strict=True):
                generator.set_state(state)
        self.network.train()
        captured_update = CapturedStep(self._update, self.torch_device)

        def update(number: int) -> dict[str, Tensor]:
            rate = 0.5 * self.learning_rate * (1.0 + math.cos(math.pi * number / self.updates))
            set_learning_rate(self._optimizer, rate)
            return {"loss": captured_update(*self._draw(labels, generators))}

        save = partial(self._save, {**identity, "data": {**identity["data"], **data}}, generators)
        pause = Pause(self.minutes, start, "update", self.checkpoint)
        run_steps(self.progress, Budget(steps=self.updates), update, save, self.save_every, pause=pause)

    def _generators(self) -> list[torch.Generator]:
        """Of the batches of each member."""
        return [torch.Generator(self.torch_device).manual_seed(seed) for seed in self._seeds()]

    def _draw(self, labels: LabelledActions, generators: Sequence[torch.Generator]) -> list[Tensor]:
        """Inputs, actions, outcomes and dense outcomes, if there are any, [member, …].

        That is a batch for each member, drawn by its own generator.
        """
        batches = []
        for generator in generators:
            if self.pairs:
                batch = labels.pairs(self.tasks_per_batch, self.balanced, generator)
            else:
                batch = labels.batch(self.tasks_per_batch, self.actions_per_task, self.balanced, generator)
            batches.append(mirrored_batch(batch, generator) if self.mirrored else batch)
        names = ("inputs", "actions", "solved", *(("dense",) if labels.dense is not None else ()))
        return [torch.stack([getattr(one, name) for one in batches]) for name in names]

    def _save(self, identity: dict[str, Any], generators: Sequence[torch.Generator]) -> None:
        if not self.checkpoint:
            return
        history = {"step": self.progress.step, "losses": self.losses, "seconds": self.seconds}
        content = {**identity, **history, "network": self.network.state_dict()}
        if not self.progress.finished:
            content["optimizer"] = self._optimizer.state_dict()
            content["generators"] = [generator.get_state() for generator in generators]
        save_checkpoint(self.checkpoint, content)

    def _update(self, inputs: Tensor, actions: Tensor, solved: Tensor, dense: Tensor | None = None) -> Tensor:
        """One step of gradient descent on a batch for each member [member, …]; returns the mean loss before it."""
        self._optimizer.zero_grad()
        losses = []
        with parallel_branches(self.torch_device) as branch:
            given = (inputs, actions, solved) if dense is None else (inputs, actions, solved, dense)
            for member in zip(self.network.networks, *given, strict=True):
                with branch():
                    loss, other_losses = self._losses(*member)
                    (loss + other_losses).backward()  # type: ignore[no-untyped-call]
                losses.append(loss.detach())
        self._optimizer.step()
        return torch.stack(losses).mean()

    def repeated_update(self, tasks: Sequence[Task], simulator: Simulator) -> Callable[[], Tensor]:
        """An update of trained networks, to be measured: every call of it is one on the same batch of these tasks."""
        batch = self._draw(self._training_data(tasks, simulator), self._generators())
        self._optimizer = capturable_adam(self.network.parameters(), self.learning_rate, self.torch_device)
        self.network.train()
        return partial(self._update, *batch)

    def _losses(
        self, network: QNetwork, inputs: Tensor, actions: Tensor, solved: Tensor, dense: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The cross entropy of a network; and that of its scout, and of dense outcomes if they are given."""
        actions, solved = actions.flatten(0, 1), solved.flatten()
        with harness.mixed_precision(self.torch_device):
            features = network.encode(inputs)
            others = torch.zeros((), device=self.torch_device)
            if dense is None:
                logits = network.score(features, actions)
            else:
                logits, predicted = network.score_and_dense(features, actions)
                others = self.dense * dense_loss(predicted, dense.flatten(0, 1))
            loss = functional.binary_cross_entropy_with_logits(logits, solved)
            if network.scout is not None:
                scouted = network.prerank(features, actions)
                others = others + functional.binary_cross_entropy_with_logits(scouted, solved)
            return loss, others
