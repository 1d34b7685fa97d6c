"""Training in rounds of choosing actions, simulating them and updating: what the bandit and the policies share.

Every round draws its random numbers from the seed and its own number.
"""

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor, nn

from tumble import engine
from tumble.learning.harness import Training, TrainingOptions, step_seed
from tumble.learning.networks import ResNet18, torch_device
from tumble.learning.settings import TrainingError
from tumble.phyre.catalogue.task import Task
from tumble.phyre.models.network import check_network_settings, colour_shares, planes_of
from tumble.phyre.models.training import task_digest
from tumble.phyre.observation.view import COLOURS
from tumble.phyre.simulation.simulator import Simulator
from tumble.runs.participant import AgentError, Given

MAX_GRADIENT = 1.0
"""Largest norm of a gradient."""


@dataclass
class RoundLearner(TrainingOptions):
    """An agent that learns in rounds; subclasses define the network and what a round does."""

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
    optimizer: torch.optim.Optimizer = field(init=False, repr=False)
    pictures: Tensor = field(init=False, repr=False)
    """Planes of the training tasks' pictures, as in `planes_of`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("rounds", "tasks_per_round", "actions_per_task"):
            if getattr(self, name) < 1:
                raise AgentError(f"{name} must be 1 or more, not {getattr(self, name)}")
        check_network_settings(self.side, self.width)

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

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Takes over `state` from a checkpoint."""

    def given(self) -> Given:
        return Given(tasks=("picture",), attempts=("status",), training=("simulated actions",))

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        begun = time.monotonic()
        self.torch_device = torch_device(self.device)
        self.training = RoundTraining(self, tasks, simulator)
        self.network: Any = self.training.network
        self.train_network(self.training, self.rounds, self.seed, task_digest(tasks), begun)

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


class RoundTraining(Training):
    """The training of an agent that learns in rounds; a step is a round."""

    def __init__(self, learner: RoundLearner, tasks: Sequence[Task], simulator: Simulator) -> None:
        self.learner, self._tasks, self._simulator = learner, tasks, simulator
        self.name = type(learner).__name__.lower()
        options = {one.name for one in fields(TrainingOptions)}
        names = [one.name for one in fields(learner) if one.init and one.name not in options]
        self.config = {name: getattr(learner, name) for name in names}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(learner.seed)
            network = learner.new_network(simulator.tier.numbers)
        self.network = network.to(learner.torch_device, memory_format=torch.channels_last)  # type: ignore[call-overload]

    def start(self, device: torch.device, seed: int) -> None:
        self.learner.optimizer = torch.optim.Adam(self.network.parameters(), fused=device.type == "cuda")
        self.learner.pictures = planes_of(self._tasks, self.learner.side, device)
        self.learner.start(self._tasks, self._simulator)
        self.network.train()

    def state(self) -> dict[str, Any]:
        optimizer = self.learner.optimizer.state_dict()
        return {"physics": engine.physics_id(), "optimizer": optimizer, "rounds": self.learner.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        if state["physics"] != engine.physics_id():
            raise TrainingError(f"{self.path} was made with physics {state['physics']}, and this is other physics")
        self.learner.optimizer.load_state_dict(state["optimizer"])
        self.learner.restore(state["rounds"])

    def step(self, number: int, share: float) -> dict[str, Tensor]:
        learner = self.learner
        for group in learner.optimizer.param_groups:
            group["lr"] = learner.learning_rate * (1.0 - share)
        generator = torch.Generator(learner.torch_device).manual_seed(step_seed(learner.seed, number))
        return {"solved": learner.run_round(number, generator)}

    def note(self) -> str:
        return f"{100.0 * self.progress.latest():.1f} % solve"


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
