"""A contextual bandit: the context is the picture of a task, the arms are the actions of a fixed set.

The expected reward of an arm is a linear function of the picture's features, and its weights are a small network's
encoding of the action, so that what is learned of an arm also holds for those like it:

    logit = features(picture) . weights(action) + bias(action)

Each round it chooses arms of some training tasks by Boltzmann exploration, sees which of these solve their task and
nothing else, and updates the network on rounds drawn from all so far. At test time it ranks the arms by their logit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.learning.networks import full_precision, mixed_precision
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import NO_ACTIONS, Agent, AttemptedAction
from tumble.phyre.catalogue.task import Task
from tumble.phyre.models.network import flipped_actions, flipped_planes, planes_of
from tumble.phyre.models.round_learner import PictureEncoder, RoundLearner
from tumble.phyre.simulation.actions import action_set, valid
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.progress import bar

UNITS = 512
"""Of each hidden layer of the action encoder."""
FIRST_LOGIT = -4.0
"""Of all arms before training: about 2 % of random actions solve a task."""


class ArmNetwork(nn.Module):
    """Logits of arms, given the features of pictures."""

    def __init__(self, numbers: int, width: float) -> None:
        super().__init__()
        self.encoder = PictureEncoder(width)
        self.action_encoder = nn.Sequential(
            nn.Linear(numbers, UNITS),
            nn.ReLU(),
            nn.Linear(UNITS, UNITS),
            nn.ReLU(),
            nn.Linear(UNITS, 1 + self.channels),
        )

    @property
    def channels(self) -> int:
        return self.encoder.channels

    def score(self, features: Tensor, actions: Tensor) -> Tensor:
        """Logits [n, m] of actions [n, m, numbers], or [m, numbers] for the same ones everywhere."""
        with full_precision(features.device):
            encoded = self.action_encoder(2.0 * actions - 1.0)
            bias, weights = encoded[..., 0], encoded[..., 1:] / self.channels**0.5
            products = features @ weights.T if actions.dim() == 2 else (weights @ features.unsqueeze(2)).squeeze(2)
        logits: Tensor = FIRST_LOGIT + bias + products
        return logits


@dataclass
class Bandit(RoundLearner, Agent):
    """Ranks actions by the success that it expects from its own choices on training tasks."""

    rounds: int = 500
    """Rounds of choosing arms, simulating them and updating the network."""
    tasks_per_round: int = 256
    """Training tasks on which a round chooses arms, drawn without repetition."""
    actions_per_task: int = 16
    """Arms that a round chooses on each of its tasks."""
    temperature: float = 1.0
    """An arm is chosen with a probability proportional to exp(logit / temperature)."""
    updates_per_round: int = 16
    """Steps of gradient descent after each round."""
    tasks_per_batch: int = 64
    """Choices on a task, `actions_per_task` arms each, in a batch; drawn from all rounds so far."""
    learning_rate: float = 1e-3
    """At the start; it falls to 0 linearly."""
    ranked: int = 10_000
    """Arms: actions in the fixed set."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ranked < self.actions_per_task:
            raise AgentError(f"ranked must be at least actions_per_task, {self.actions_per_task}, not {self.ranked}")
        if not self.temperature > 0.0:
            raise AgentError(f"temperature must be above 0, not {self.temperature}")

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        self.arms = action_set(simulator.tier, self.ranked)
        super().train(tasks, simulator)

    def new_network(self, numbers: int) -> ArmNetwork:
        return ArmNetwork(numbers, self.width)

    def start(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        self.simulator, self.ids = simulator, [task.id for task in tasks]
        self.points = torch.tensor(self.arms, dtype=torch.float32, device=self.torch_device)
        placeable = np.zeros((len(tasks), len(self.arms)), bool)
        with bar("Finding valid actions", len(tasks)) as advance:
            for row, task in enumerate(tasks):
                placeable[row] = valid(task.scene, self.arms)
                advance(1)
        self.placeable = torch.from_numpy(placeable).to(self.torch_device)
        count = min(self.tasks_per_round, len(tasks))
        self.chosen_tasks = torch.zeros((self.rounds, count), dtype=torch.int32, device=self.torch_device)
        self.chosen_arms = torch.zeros(
            (self.rounds, count, self.actions_per_task), dtype=torch.int32, device=self.torch_device
        )
        self.outcomes = torch.zeros(self.chosen_arms.shape, dtype=torch.bool, device=self.torch_device)
        self.rounds_made = 0

    def state(self) -> dict[str, Tensor]:
        made = slice(self.rounds_made)
        return {"tasks": self.chosen_tasks[made], "arms": self.chosen_arms[made], "outcomes": self.outcomes[made]}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        self.rounds_made = len(state["tasks"])
        made = slice(self.rounds_made)
        self.chosen_tasks[made], self.chosen_arms[made] = state["tasks"], state["arms"]
        self.outcomes[made] = state["outcomes"]

    def run_round(self, number: int, generator: torch.Generator) -> Tensor:
        tasks = self.draw_tasks(generator)
        arms = self._choose(tasks, generator)
        ids = [self.ids[task] for task in tasks.tolist() for _ in range(self.actions_per_task)]
        status, _ = self.simulator.outcomes(ids, self.arms[arms.flatten().cpu().numpy()])
        solved = torch.from_numpy(status == SOLVED).to(self.torch_device).view(arms.shape)
        self.chosen_tasks[number], self.chosen_arms[number], self.outcomes[number] = tasks, arms, solved
        self.rounds_made = number + 1
        for _ in range(self.updates_per_round):
            self._update(generator)
        return solved.float().mean()

    @torch.no_grad()
    def _choose(self, tasks: Tensor, generator: torch.Generator) -> Tensor:
        """int64 [tasks, actions_per_task]: different arms of each task, drawn by the network's logits."""
        self.network.eval()
        with mixed_precision(self.torch_device):
            parts = torch.split(tasks, self.tasks_per_batch)
            features = torch.cat([self.network.encoder(self.pictures[part]) for part in parts])
        self.network.train()
        logits: Tensor = self.network.score(features, self.points) / self.temperature
        # The arms with the largest sums of logit and Gumbel noise are a draw without repetition.
        noise = -torch.empty_like(logits).exponential_(generator=generator).log()
        return (logits + noise).masked_fill(~self.placeable[tasks], -torch.inf).topk(self.actions_per_task).indices

    def _update(self, generator: torch.Generator) -> None:
        """One step of gradient descent on choices of all rounds so far."""
        per_round = self.chosen_tasks.shape[1]
        count = self.rounds_made * per_round
        row = torch.randint(count, (self.tasks_per_batch,), generator=generator, device=self.torch_device)
        task = self.chosen_tasks.view(-1)[row].long()
        actions = self.points[self.chosen_arms.flatten(0, 1)[row].long()]
        solved = self.outcomes.flatten(0, 1)[row].float()
        pictures = self.pictures[task]
        if self.mirrored:
            flip = torch.rand(len(task), generator=generator, device=self.torch_device) < 0.5
            pictures, actions = flipped_planes(pictures, flip), flipped_actions(actions, flip)
        with mixed_precision(self.torch_device):
            features = self.network.encoder(pictures)
        self.descend(functional.binary_cross_entropy_with_logits(self.network.score(features, actions), solved))

    @torch.inference_mode()
    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        if past:
            return NO_ACTIONS
        arms = self.arms[valid(task.scene, self.arms)]
        with mixed_precision(self.torch_device):
            features = self.network.encoder(planes_of([task], self.side, self.torch_device))
        points = torch.tensor(arms, dtype=torch.float32, device=self.torch_device)
        logits = self.network.score(features, points)[0].cpu().numpy()
        return np.asarray(arms[np.argsort(-logits, kind="stable")])
