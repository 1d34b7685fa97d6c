"""REINFORCE and PPO: policies over continuous actions that learn from one-step episodes on training tasks.

A round is one step of PHYRE's vector environment: some actions of the policy on each of some tasks. The reward is 1
for an action that solves the task and 0 for any other, also for invalid ones. An action's advantage is how much
better it did than the task's other actions:

    return    = reward - entropy * log(density of the action)
    advantage = (return - mean return of the task's other actions) / standard deviation of these differences

The policy is a mixture of normal distributions whose points u are in all of space; an action is their logistic
function. Each component starts at a random place with a wide spread, the same for all pictures, so that the first
actions cover the scene. At test time actions are drawn from the policy and tried in the order drawn.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.learning.networks import full_precision, mixed_precision
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import Agent, AttemptedAction
from tumble.phyre.catalogue.task import Task
from tumble.phyre.envs.env import PhyreVectorEnv
from tumble.phyre.models.network import flipped_actions, flipped_planes, planes_of
from tumble.phyre.models.round_learner import PictureEncoder, RoundLearner
from tumble.phyre.simulation.actions import valid
from tumble.phyre.simulation.simulator import Simulator

UNITS = 256
"""Of the hidden layer."""
FIRST_SPREAD = -0.4
"""The logarithm of the standard deviations before training."""
SPREADS = (-3.5, 0.5)
"""The smallest and largest logarithm of a standard deviation."""


@dataclass(frozen=True)
class Mixture:
    """A mixture of normal distributions for each of n pictures."""

    logits: Tensor
    """[n, components]."""
    mean: Tensor
    """[n, components, numbers]."""
    log_spread: Tensor
    """[n, components, numbers]: logarithms of standard deviations."""

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Points [n, count, numbers]."""
        chosen = torch.multinomial(self.logits.softmax(1), count, replacement=True, generator=generator)
        index = chosen.unsqueeze(2).expand(-1, -1, self.mean.shape[2])
        mean, spread = self.mean.gather(1, index), self.log_spread.gather(1, index).exp()
        return mean + spread * torch.randn(mean.shape, generator=generator, device=mean.device)

    def log_density(self, points: Tensor) -> Tensor:
        """[n, m]: of points [n, m, numbers], up to a constant."""
        z = (points.unsqueeze(2) - self.mean.unsqueeze(1)) * (-self.log_spread).exp().unsqueeze(1)
        each = (-0.5 * z.square() - self.log_spread.unsqueeze(1)).sum(3)
        return torch.logsumexp(self.logits.log_softmax(1).unsqueeze(1) + each, dim=2)

    def cpu(self) -> "Mixture":
        return Mixture(self.logits.cpu(), self.mean.cpu(), self.log_spread.cpu())


def log_volume(points: Tensor) -> Tensor:
    """[n, m]: the logarithm of the volume of actions that a unit of volume at points [n, m, numbers] becomes."""
    return (functional.logsigmoid(points) + functional.logsigmoid(-points)).sum(2)


class PolicyNetwork(nn.Module):
    """The mixture of each picture."""

    def __init__(self, numbers: int, components: int, width: float) -> None:
        super().__init__()
        self.encoder = PictureEncoder(width)
        self.hidden = nn.Linear(self.encoder.channels, UNITS)
        self.output = nn.Linear(UNITS, components * (1 + 2 * numbers))
        self._shape = (components, 1 + 2 * numbers)
        with torch.no_grad():
            self.output.weight.mul_(0.1)
            bias = self.output.bias.view(self._shape)
            bias[:, 0] = 0.0
            bias[:, 1 : 1 + numbers] = torch.logit(0.1 + 0.8 * torch.rand(components, numbers))
            bias[:, 1 + numbers :] = FIRST_SPREAD

    def forward(self, pictures: Tensor) -> Mixture:
        """The mixtures of pictures, as in `planes_of`."""
        with mixed_precision(pictures.device):
            features = self.encoder(pictures)
        with full_precision(pictures.device):
            values = self.output(functional.relu(self.hidden(features))).view(-1, *self._shape)
        mean, log_spread = values[..., 1:].chunk(2, dim=2)
        return Mixture(values[..., 0], mean, log_spread.clamp(*SPREADS))


DRAWN = 1000
"""Actions that are drawn for a test task at once."""
MAX_LOG_RATIO = 10.0
"""The largest change of a log density that counts, so that no ratio becomes infinite."""


@dataclass
class PolicyGradient(RoundLearner, Agent):
    """A policy with the settings that REINFORCE and PPO share."""

    components: int = 16
    """Normal distributions in the policy's mixture."""
    entropy: float = 0.01
    """The weight of the policy's entropy beside the reward."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.actions_per_task < 2:
            raise AgentError("actions_per_task must be 2 or more: an action is compared with the task's others")
        if self.components < 1:
            raise AgentError(f"components must be 1 or more, not {self.components}")

    @abstractmethod
    def loss(self, log_density: Tensor, before: Tensor, advantage: Tensor) -> Tensor:
        """What an update minimises, given log densities now and `before` the round's first update, all [n, m]."""

    @abstractmethod
    def batches(self, count: int) -> tuple[int, int]:
        """Into how many batches the `count` tasks of a round are split, and how often it updates on each."""

    def new_network(self, numbers: int) -> PolicyNetwork:
        return PolicyNetwork(numbers, self.components, self.width)

    def start(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        self.ids = [task.id for task in tasks]
        self.env = PhyreVectorEnv(
            min(self.tasks_per_round, len(tasks)) * self.actions_per_task,
            tier=simulator.tier.name,
            tasks=tasks,
            attempts=1,
            max_episode_steps=1,
            observation="objects",  # the smaller one; pictures are on the network's device already
            autoreset_mode="Disabled",
            device=simulator.options.device,
            threads=simulator.options.threads,
        )

    def run_round(self, number: int, generator: torch.Generator) -> Tensor:
        tasks = self.draw_tasks(generator)
        flip = torch.rand(len(tasks), generator=generator, device=self.torch_device) < 0.5 * self.mirrored
        pictures = flipped_planes(self.pictures[tasks], flip)
        count, epochs = self.batches(len(tasks))
        # Batch normalisation makes densities depend on the batch, which is therefore the same in all passes.
        parts = torch.arange(len(tasks), device=self.torch_device).chunk(count)
        with torch.no_grad():
            mixtures = [self.network(pictures[part]) for part in parts]
            points = torch.cat([mixture.draw(self.actions_per_task, generator) for mixture in mixtures])
            before = torch.cat(
                [mixture.log_density(points[part]) for mixture, part in zip(mixtures, parts, strict=True)]
            )
        reward = self._rewards(tasks, flipped_actions(points.sigmoid(), flip))
        advantage = advantages(reward - self.entropy * (before - log_volume(points)))
        for _ in range(epochs):
            for part in parts:
                log_density = self.network(pictures[part]).log_density(points[part])
                self.descend(self.loss(log_density, before[part], advantage[part]))
        return reward.mean()

    def _rewards(self, tasks: Tensor, actions: Tensor) -> Tensor:
        """float [n, m]: the rewards of actions [n, m, numbers] on tasks [n], by one step of the environment."""
        ids = [self.ids[task] for task in tasks.tolist() for _ in range(self.actions_per_task)]
        self.env.reset(options={"task": ids})
        _, rewards, _, _, _ = self.env.step(actions.flatten(0, 1).double().cpu().numpy())
        return torch.from_numpy(rewards).to(self.torch_device, torch.float32).view(actions.shape[:2])

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        digest = sha256(f"{self.seed}/{task.id}/{len(past)}".encode()).digest()
        generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))
        actions = self.policy(task).draw(DRAWN, generator)[0].double().sigmoid().numpy()
        return np.asarray(actions[valid(task.scene, actions)])

    @torch.inference_mode()
    def policy(self, task: Task) -> Mixture:
        """The mixture from which actions on a task are drawn; on the CPU, whose draws are the same everywhere."""
        mixture: Mixture = self.network(planes_of([task], self.side, self.torch_device))
        return mixture.cpu()


@dataclass
class Reinforce(PolicyGradient):
    """One update on each round: the gradient of the log density, weighted by the advantage."""

    rounds: int = 600
    """Rounds, each with one step of gradient descent."""
    tasks_per_round: int = 128
    """Training tasks on which a round acts, drawn without repetition."""
    actions_per_task: int = 16
    """Actions of the policy on each of a round's tasks."""
    learning_rate: float = 1e-3
    """At the start; it falls to 0 linearly."""

    def batches(self, count: int) -> tuple[int, int]:
        return 1, 1

    def loss(self, log_density: Tensor, before: Tensor, advantage: Tensor) -> Tensor:
        return -(advantage * log_density).mean()


@dataclass
class Ppo(PolicyGradient):
    """Several updates on each round, clipped where the policy has moved far from the one that acted."""

    rounds: int = 300
    """Rounds of acting and updating."""
    tasks_per_round: int = 256
    """Training tasks on which a round acts, drawn without repetition."""
    actions_per_task: int = 16
    """Actions of the policy on each of a round's tasks."""
    learning_rate: float = 5e-4
    """At the start; it falls to 0 linearly."""
    tasks_per_batch: int = 64
    """Tasks of a round in a batch, with all of their actions."""
    epochs: int = 4
    """Updates on each batch of a round."""
    clip: float = 0.2
    """By how much the density may change, relative to before, until its gradient is cut off."""

    def batches(self, count: int) -> tuple[int, int]:
        return max(1, round(count / self.tasks_per_batch)), self.epochs

    def loss(self, log_density: Tensor, before: Tensor, advantage: Tensor) -> Tensor:
        ratio = (log_density - before).clamp(max=MAX_LOG_RATIO).exp()
        clipped = ratio.clamp(1.0 - self.clip, 1.0 + self.clip)
        return -torch.minimum(ratio * advantage, clipped * advantage).mean()


def advantages(returns: Tensor) -> Tensor:
    """[n, m]: returns [n, m] less the mean of the others in their row, in standard deviations of these differences."""
    others = (returns.sum(1, keepdim=True) - returns) / (returns.shape[1] - 1)
    difference = returns - others
    return difference / difference.std().clamp(min=1e-6)
