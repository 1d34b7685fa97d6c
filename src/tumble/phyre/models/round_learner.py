"""Training in rounds of choosing actions, simulating them and updating: what the bandit and the policies share.

Every round draws its random numbers from the seed and its own number, so training that was killed resumes from its
last checkpoint and ends with the same weights. A finished checkpoint is only loaded.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tumble import engine
from tumble.learning import harness
from tumble.learning.harness import Budget, Pause, Progress, read_checkpoint, run_steps, write_checkpoint
from tumble.learning.resnet import ResNet18
from tumble.learning.trainer import step_seed
from tumble.phyre.catalogue.task import Task
from tumble.phyre.models.network import check_network_settings, colour_shares, planes_of
from tumble.phyre.models.training import check_checkpoint_matches
from tumble.phyre.observation.view import COLOURS
from tumble.phyre.simulation.simulator import Simulator
from tumble.runs.participant import AgentError, Given

FORMAT = "tumble-round-learner-1"
PARTS: dict[str, type] = {"settings": dict, "data": dict, "network": dict, "step": int}
"""What every checkpoint holds."""
NO_EFFECT = ("device", "checkpoint", "minutes", "save_every", "log_every")
"""The settings that the weights do not depend on; a checkpoint made with other values of the rest is rejected."""
MAX_GRADIENT = 1.0
"""Largest norm of a gradient."""


@dataclass
class RoundLearner:
    """Learns in rounds; subclasses define the network and what a round does."""

    rounds: int = 1000
    """Rounds of training."""
    tasks_per_round: int = 64
    """Training tasks on which a round chooses actions, drawn without repetition."""
    actions_per_task: int = 16
    """Actions that a round simulates on each of its tasks."""
    learning_rate: float = 3e-4
    """At the start; it falls to 0 linearly."""
    mirrored: bool = True
    """Whether to train on mirror images of tasks as well."""
    side: int = 128
    """Pixels to which pictures are averaged down."""
    width: float = 1.0
    """Channels, as a share of those of a ResNet-18."""
    seed: int = 0
    device: str = "auto"
    """Of the network; rollouts run on the device of the simulator."""
    checkpoint: str = ""
    """A file to resume from and to write to; by default there is none."""
    minutes: float = 0.0
    """Time after which training stops with a checkpoint to resume from; 0 for no limit."""
    save_every: float = 60.0
    """Seconds between checkpoints."""
    log_every: int = 10
    """Rounds over which the share of solving actions is averaged; checkpoints are written only after these."""
    progress: Progress = field(default_factory=Progress, init=False, repr=False)
    """Of the training."""

    @property
    def solved(self) -> list[tuple[int, float]]:
        """Number of rounds, and the share of actions of the last ones that solved their task."""
        return self.progress.curve.get("solved", [])

    @property
    def seconds(self) -> float:
        """Duration of training, pauses excluded."""
        return self.progress.seconds

    def __post_init__(self) -> None:
        for name in ("rounds", "tasks_per_round", "actions_per_task", "log_every"):
            if getattr(self, name) < 1:
                raise AgentError(f"{name} must be 1 or more, not {getattr(self, name)}")
        if self.minutes and not self.checkpoint:
            raise AgentError("minutes needs a checkpoint to resume from")
        check_network_settings("global", (1,), self.side, self.width)

    @abstractmethod
    def new_network(self, numbers: int) -> nn.Module:
        """The network for actions [n, numbers]; PyTorch's generator is seeded before the call."""

    @abstractmethod
    def start(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        """Prepares rounds on these tasks."""

    @abstractmethod
    def run_round(self, number: int, generator: torch.Generator) -> Tensor:
        """One round; returns the share of its actions that solved their task. `learning_rate` has been applied."""

    def state(self) -> dict[str, Tensor]:
        """What the rest of training depends on besides weights and optimizer; for subclasses to override."""
        return {}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Takes over `state` from a checkpoint."""

    def given(self) -> Given:
        return Given(tasks=("picture",), attempts=("status",), training=("simulated actions",))

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        begun = time.monotonic()
        self.progress = Progress(self.log_every)
        self.torch_device = harness.torch_device(self.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            network = self.new_network(simulator.tier.numbers)
        self.network: Any = network.to(self.torch_device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.optimizer = torch.optim.Adam(self.network.parameters(), fused=self.torch_device.type == "cuda")
        identity = self._identity(tasks, simulator)
        content = self._load_checkpoint(identity)
        if self.progress.step < self.rounds:
            self.pictures = planes_of(tasks, self.side, self.torch_device)
            self.start(tasks, simulator)
            if content is not None:
                check_checkpoint_matches(self.checkpoint, content, {"data": {"physics": engine.physics_id()}})
                self.optimizer.load_state_dict(content["optimizer"])
                self.restore(content["state"])
            self._run_rounds(identity, begun)
        self.network.eval()

    def _identity(self, tasks: Sequence[Task], simulator: Simulator) -> dict[str, dict[str, Any]]:
        names = [one.name for one in fields(self) if one.init and one.name not in NO_EFFECT]
        ids = "\n".join(task.id for task in tasks)
        return {
            "settings": {"agent": type(self).__name__, **{name: getattr(self, name) for name in names}},
            "data": {"tier": simulator.tier.name, "training tasks": sha256(ids.encode()).hexdigest()[:16]},
        }

    def _load_checkpoint(self, identity: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
        """The checkpoint, after its weights and history are restored; None if there is none."""
        if not self.checkpoint or not Path(self.checkpoint).exists():
            return None
        content = read_checkpoint(self.checkpoint, FORMAT, PARTS, AgentError)
        check_checkpoint_matches(self.checkpoint, content, identity)
        self.network.load_state_dict(content["network"])
        self.progress.restore(content, {"solved": content["solved"]})
        return content

    def _run_rounds(self, identity: dict[str, Any], begun: float) -> None:
        self.network.train()

        def run_round(number: int) -> dict[str, Tensor]:
            for group in self.optimizer.param_groups:
                group["lr"] = self.learning_rate * (1.0 - number / self.rounds)
            generator = torch.Generator(self.torch_device).manual_seed(step_seed(self.seed, number))
            return {"solved": self.run_round(number, generator)}

        run_steps(
            self.progress,
            Budget(steps=self.rounds),
            run_round,
            partial(self._save, identity),
            self.save_every,
            note=lambda share: f"{100.0 * share:.1f} % solve",
            pause=Pause(self.minutes, begun, "round", self.checkpoint),
        )

    def _save(self, identity: dict[str, Any]) -> None:
        if not self.checkpoint:
            return
        content = {
            "format": FORMAT,
            "settings": identity["settings"],
            "data": {**identity["data"], "physics": engine.physics_id()},
            "network": self.network.state_dict(),
            "step": self.progress.step,
            "solved": self.solved,
            "seconds": self.seconds,
        }
        if not self.progress.finished:
            content |= {"optimizer": self.optimizer.state_dict(), "state": self.state()}
        write_checkpoint(self.checkpoint, content)

    def draw_tasks(self, generator: torch.Generator) -> Tensor:
        """int64 [tasks]: the numbers of different training tasks; all of them if there are fewer than a round has."""
        order = torch.randperm(len(self.pictures), generator=generator, device=self.torch_device)
        return order[: self.tasks_per_round]

    def descend(self, loss: Tensor) -> None:
        """One step of gradient descent."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT)
        self.optimizer.step()


class PictureEncoder(nn.Module):
    """Features [n, channels] of pictures, as in `planes_of`: those of a ResNet-18, max-pooled over the picture.

    `width` scales the number of channels.
    """

    def __init__(self, width: float = 1.0) -> None:
        super().__init__()
        self.resnet = ResNet18(COLOURS, width)
        self.channels = self.resnet.channels

    def forward(self, pictures: Tensor) -> Tensor:
        features: Tensor = self.resnet(colour_shares(pictures))
        return features.amax((2, 3)).float()
