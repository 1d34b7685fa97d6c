"""DQN: a network that has seen which random actions solve training tasks ranks the actions of a fixed set.

It learns from the statuses of many actions, half of them solving ones, by the cross entropy between its logit and what
came of the action. Training goes on from its last checkpoint after a kill and ends with the same weights; a finished
checkpoint is only loaded.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble import engine
from tumble.phyre.agents import AgentError, checkpoint, hardware, network
from tumble.phyre.agents.agent import NOTHING, Agent, Try
from tumble.phyre.agents.labels import Batch, Labels, labels_of, pictures_of
from tumble.phyre.agents.network import QNetwork
from tumble.phyre.generation.mining import mine
from tumble.phyre.simulation.actions import action_set, valid
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import Task
from tumble.progress import bar_with_note

SCORED_TOGETHER = {"cpu": 1024, "cuda": 8192}
"""Actions that go through the network at once when it ranks, by device."""
KEPT_SOLVING = 20_000
"""Mined actions that solve training tasks that are kept for agents to rank."""
LEARNED_BY = (
    "updates",
    "tasks_per_batch",
    "actions_per_task",
    "learning_rate",
    "trained_on",
    "mined",
    "balanced",
    "mirrored",
    "fusion",
    "hidden",
    "side",
    "width",
    "seed",
)
"""The settings that decide what is learned; a checkpoint made with others is refused."""


class PausedError(AgentError):
    """Training that stopped because its time was over."""


@dataclass
class Dqn(Agent):
    """Ranks by a network's guess at what comes of an action."""

    updates: int = 10_000
    """Steps of gradient descent."""
    tasks_per_batch: int = 64
    actions_per_task: int = 8
    """Actions of each task in a batch; they share the work on its picture."""
    learning_rate: float = 1e-3
    """At the start; it falls to 0 along a half cosine."""
    trained_on: int = 10_000
    """Random actions of each training task to learn from."""
    mined: int = 0
    """Rounds of variations of what solves training tasks, 200 in each for each task, to learn from beside."""
    balanced: bool = True
    """Whether half of a task's actions in a batch solve it."""
    mirrored: bool = True
    """Whether to learn from the mirror images of tasks, too."""
    fusion: str = "last"
    """Where the action comes in: before conv5 ("last"), conv2 ("first"), conv2 to conv5 ("all"), or behind ("global").

    Beyond the paper: as "last", with the balls drawn into the features before conv3 ("drawn")."""
    hidden: tuple[int, ...] = (512,)
    """Units of the action encoder's hidden layers."""
    side: int = 128
    """Pixels to which pictures are averaged down."""
    width: float = 1.0
    """Channels, as a share of those of a ResNet-18."""
    seed: int = 0
    ranked: int = 10_000
    """Actions in the set."""
    action_set: int = 0
    """Which set."""
    refined: int = 1000
    """Only so many actions of a task, those that the scout likes best, get the network's own score; 0 for all.

    Networks whose action comes in earlier or later than at conv5 have no scout: they score all.
    """
    device: str = "auto"
    checkpoint: str = ""
    """A file to go on from and to write to; none is kept without."""
    loaded: bool = False
    """Whether the settings that decide what is learned are those of the checkpoint, whatever else is given."""
    minutes: float = 0.0
    """Stops training after so long, with a checkpoint to go on from; 0 for never."""
    save_every: float = 60.0
    """Seconds between checkpoints."""
    log_every: int = 100
    """Updates over which the loss is averaged; checkpoints are made at the end of such a stretch."""
    losses: list[tuple[int, float]] = field(default_factory=list, init=False, repr=False)
    """Updates done, and the mean loss of the last ones."""
    seconds: float = field(default=0.0, init=False, repr=False)
    """How long training took, all pieces together."""
    solving: np.ndarray = field(default_factory=lambda: NOTHING, init=False, repr=False)
    """float [n, numbers]: mined actions that solve training tasks, evenly over these."""

    def __post_init__(self) -> None:
        if self.loaded:
            if not self.checkpoint:
                raise ValueError("loaded needs a checkpoint to take settings from")
            for name, value in checkpoint.settings_of(self.checkpoint).items():
                setattr(self, name, value)
        self.hidden = tuple(self.hidden)
        for name in ("updates", "tasks_per_batch", "actions_per_task", "trained_on", "ranked", "log_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, not {getattr(self, name)}")
        if self.minutes and not self.checkpoint:
            raise ValueError("minutes needs a checkpoint to go on from")
        network.check(self.fusion, self.hidden, self.side, self.width)

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        start = time.monotonic()
        self.losses, self.seconds = [], 0.0
        self.solving = np.zeros((0, simulator.tier.numbers))
        self.place = hardware.chosen(self.device)
        self.actions = action_set(simulator.tier, self.ranked, self.action_set)
        self.network = self._new_network(simulator.tier.numbers)
        made = {
            "settings": {name: getattr(self, name) for name in LEARNED_BY} | {"hidden": list(self.hidden)},
            "data": {
                "tier": simulator.tier.name,
                "training tasks": sha256("\n".join(sorted(task.id for task in tasks)).encode()).hexdigest()[:16],
            },
        }
        found = self._found(made)
        if found is None or found["step"] < self.updates:
            self._learn(self._labels(tasks, simulator), made, found, start)
        self.network.eval()

    def _labels(self, tasks: Sequence[Task], simulator: Simulator) -> Labels:
        mined = None
        if self.mined:
            actions, ids = action_set(simulator.tier, self.trained_on), [task.id for task in tasks]
            mined = mine(simulator, ids, actions, simulator.sweep(actions, ids), self.mined, seed=self.seed)
            self.solving = mined.solving(KEPT_SOLVING, self.seed)
        return labels_of(tasks, simulator, self.trained_on, self.place, mined)

    def _new_network(self, numbers: int) -> QNetwork:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            made = QNetwork(numbers, self.fusion, self.hidden, self.side, self.width)
        return made.to(self.place, memory_format=torch.channels_last)  # type: ignore[call-overload, no-any-return]

    def _found(self, made: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
        """The checkpoint, if there is one; its weights and losses are taken over."""
        if not self.checkpoint or not Path(self.checkpoint).exists():
            return None
        found = checkpoint.load(self.checkpoint)
        checkpoint.refuse_foreign(self.checkpoint, found, made)
        self.network.load_state_dict(found["network"])
        self.losses, self.seconds = [(int(step), float(loss)) for step, loss in found["losses"]], found["seconds"]
        self.solving = found["solving"].numpy()
        return found

    def _learn(self, labels: Labels, made: dict[str, Any], found: dict[str, Any] | None, start: float) -> None:
        """Gradient descent up to the last update, from where the checkpoint left off."""
        optimizer = torch.optim.Adam(self.network.parameters(), fused=self.place.type == "cuda")
        generator = torch.Generator(self.place).manual_seed(self.seed)
        first = 0
        if found is not None:
            checkpoint.refuse_foreign(self.checkpoint, found, {"data": {"physics": engine.physics_id()}})
            optimizer.load_state_dict(found["optimizer"])
            generator.set_state(found["generator"])
            first = found["step"]
        self.network.train()
        began = saved = time.monotonic()
        recent = torch.zeros((), device=self.place)
        with hardware.repeatable(), bar_with_note("Training", self.updates, first) as show:
            for step in range(first, self.updates):
                batch = labels.batch(self.tasks_per_batch, self.actions_per_task, self.balanced, generator)
                for group in optimizer.param_groups:
                    group["lr"] = 0.5 * self.learning_rate * (1.0 + math.cos(math.pi * step / self.updates))
                recent += self._update(optimizer, mirrored(batch, generator) if self.mirrored else batch)
                done = step + 1
                if done % self.log_every and done < self.updates:
                    continue
                self.losses.append((done, float(recent) / ((done - 1) % self.log_every + 1)))
                recent.zero_()
                show(done, f"loss {self.losses[-1][1]:.3f}")
                now = time.monotonic()
                self.seconds, began = self.seconds + now - began, now
                over = bool(self.minutes) and now - start >= 60.0 * self.minutes
                if self.checkpoint and (done == self.updates or over or now - saved >= self.save_every):
                    saved = now
                    state = {"optimizer": optimizer.state_dict(), "generator": generator.get_state()}
                    self._save(made, done, state if done < self.updates else {})
                if over and done < self.updates:
                    raise PausedError(
                        f"training stopped after {self.minutes:g} minutes at update {done} of {self.updates}; "
                        f"the same call goes on from {self.checkpoint}"
                    )

    def _save(self, made: dict[str, Any], step: int, state: dict[str, Any]) -> None:
        data = {**made["data"], "physics": engine.physics_id()}
        history = {"step": step, "losses": self.losses, "seconds": self.seconds}
        state = {**state, "solving": torch.from_numpy(self.solving)}
        weights = self.network.state_dict()
        checkpoint.save(self.checkpoint, {**made, "data": data, **history, "network": weights, **state})

    def _update(self, optimizer: torch.optim.Optimizer, batch: Batch) -> Tensor:
        """One step downhill; the loss before it."""
        loss, of_scout = self._losses(batch)
        optimizer.zero_grad()
        (loss + of_scout).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return loss.detach()

    def _losses(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The cross entropy of the network and of its scout."""
        actions, solved = batch.actions.flatten(0, 1), batch.solved.flatten()
        with hardware.fast(self.place):
            features = self.network.encode(batch.pictures)
            loss = functional.binary_cross_entropy_with_logits(self.network.score(features, actions), solved)
            if self.network.scout is None:
                return loss, torch.zeros_like(loss)
            guessed = self.network.guess(features, actions)
            return loss, functional.binary_cross_entropy_with_logits(guessed, solved)

    def propose(self, task: Task, past: Sequence[Try]) -> np.ndarray:
        if past:
            return NOTHING
        actions = self.actions[valid(task.scene, self.actions)]
        best_first = np.argsort(-self.scores(self.look_at(task), actions), kind="stable")
        return np.asarray(actions[best_first])

    @torch.inference_mode()
    def look_at(self, task: Task) -> Tensor:
        """What the network makes of a task before it comes to actions."""
        with hardware.fast(self.place):
            return self.network.encode(pictures_of([task], self.place))

    @torch.inference_mode()
    def scores(self, features: Tensor, actions: np.ndarray) -> np.ndarray:
        """Of valid actions on the task of the features: the network's own, and below all those what the scout says."""
        if not len(actions):
            return np.zeros(0)
        points = torch.tensor(actions, dtype=torch.float32, device=self.place)
        with hardware.fast(self.place):
            if self.network.scout is None or not 0 < self.refined < len(points):
                return np.asarray(self._scored(features, points).cpu())
            scores = self.network.guess(features, points)
            order = scores.argsort(descending=True)
            best, rest = order[: self.refined], order[self.refined :]
            refined = self._scored(features, points[best])
            scores[rest] += refined.min() - scores[best[-1]]
            scores[best] = refined
        return np.asarray(scores.cpu())

    def _scored(self, features: Tensor, points: Tensor) -> Tensor:
        together = torch.split(points, SCORED_TOGETHER[self.place.type])
        return torch.cat([self.network.score(features, part) for part in together])


def mirrored(batch: Batch, generator: torch.Generator) -> Batch:
    """A batch with about half of its tasks mirrored, left to right, and their actions with them."""
    device = batch.pictures.device
    turned = torch.rand(len(batch.pictures), generator=generator, device=device) < 0.5
    pictures = torch.where(turned.view(-1, 1, 1), batch.pictures.flip(2), batch.pictures)
    across = torch.arange(batch.actions.shape[2], device=device) % 3 == 0
    actions = torch.where(turned.view(-1, 1, 1) & across, 256.0 / 255.0 - batch.actions, batch.actions)
    return Batch(pictures, actions, batch.solved)
