"""The paper's learners: a network gives a Q value to each of 180 angles, and the best is shot.

With `checkpoint`, a folder that `tumble phyq train` wrote, the network of the test task's scenario (broad) or template
(local) is loaded. Without it the agent trains in the run, which is slow on a CPU. On later attempts at a task it takes
the next best angle that it has not tried; it repeats one that won.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tumble.learning.networks import torch_device
from tumble.phyq.agents.agent import Agent, AttemptState, SettingError
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.models.learner import (
    OWN_TASKS,
    SETTINGS,
    Part,
    TrainedNetwork,
    load_trained,
    network_path,
    part_of_label,
    part_of_task,
    part_of_training,
)
from tumble.phyq.models.q_networks import DEFAULT_PRESET, make_config
from tumble.phyq.models.q_training import QTraining
from tumble.phyq.models.shot_outcomes import shot_of
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.participant import Given, OfTasks


@dataclass
class QLearner(Agent):
    """The base of the four learners, which differ in the network."""

    checkpoint: str = ""
    """The folder of checkpoints; without one the agent trains in the run."""
    part: str = ""
    """Of which network the checkpoint is: "broad" for that of a task's scenario, "local" for that of its template, or a
    label as in broad-03 for all tasks. By default that of the run's training tasks, or broad where it has none."""
    preset: str = DEFAULT_PRESET
    """How the agent trains, if it does: "paper" or "sweep"."""
    rounds: int = 0
    """Rounds of training, if it trains; 0 for the preset's."""
    minutes: float = 0.0
    """Minutes of training instead."""
    device: str = "auto"
    """Where the network runs: auto, cpu or cuda."""
    seed: int = 0
    _networks: dict[str, TrainedNetwork] = field(default_factory=dict, init=False, repr=False)
    _trained: TrainedNetwork | None = field(default=None, init=False, repr=False)

    learner = ""

    def __post_init__(self) -> None:
        if self.part and not self.checkpoint:
            raise SettingError("part names the network of a checkpoint; give one, as in checkpoint=FOLDER")
        if self.part and self.part not in SETTINGS:
            part_of_label(self.part)
        if self.rounds < 0 or self.minutes < 0 or (self.rounds and self.minutes):
            raise SettingError("give a number of rounds or of minutes, or neither; not below 0")

    def given(self) -> Given:
        seen: OfTasks = "picture" if self.learner.endswith("image") else "boxes"
        return Given(tasks=(seen,), attempts=("status",), training=("simulated actions",))

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        if self.checkpoint and (self.part or not tasks):
            return
        part = part_of_training([task.id for task in tasks])
        if self.checkpoint and part.setting == OWN_TASKS:
            raise SettingError(
                "no network of a checkpoint was trained on these tasks: its networks are of the broad and the local "
                "setting; leave out the checkpoint to train on them"
            )
        self._trained = self._load(part) if self.checkpoint else self._train(part)

    def _load(self, part: Part) -> TrainedNetwork:
        if part.label not in self._networks:
            path = network_path(self.checkpoint, self.learner, part)
            self._networks[part.label] = load_trained(path, self.learner, torch_device(self.device))
        return self._networks[part.label]

    def _train(self, part: Part) -> TrainedNetwork:
        device = torch_device(self.device)
        with tempfile.TemporaryDirectory() as folder:
            training = QTraining(
                self.learner,
                make_config(self.learner, self.preset),
                [part],
                Path(folder),
                device,
                self.seed,
                self.rounds or None,
                self.minutes or None,
            )
            training.run()
            return load_trained(network_path(folder, self.learner, part), self.learner, device)

    def _part_of(self, task: Task) -> Part:
        setting = self.part or "broad"
        return part_of_task(setting, task.id) if setting in SETTINGS else part_of_label(setting)

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        so_far = state.current.shots if state.current else ()
        same = [one for one in past if one.shots[: len(so_far)] == so_far and len(one.shots) > len(so_far)]
        won = next((one for one in same if one.won), None)
        if won is not None:
            return won.shots[len(so_far)]
        tried = [DISCRETE_ANGLES.index(one.shots[len(so_far)].angle) for one in same]
        network = self._trained or self._load(self._part_of(task))
        values = network.values_of_objects(state.objects, task.level.slingshot)
        if len(set(tried)) < len(DISCRETE_ANGLES):
            values[tried] = -np.inf
        return shot_of(int(values.argmax()))


@dataclass
class DddqnSymbolic(QLearner):
    """D-DDQN on the symbolic tensor."""

    learner = "dddqn-symbolic"


@dataclass
class DddqnImage(QLearner):
    """D-DDQN on small pictures."""

    learner = "dddqn-image"


@dataclass
class RelationalSymbolic(QLearner):
    """The relational agent on the symbolic tensor."""

    learner = "relational-symbolic"


@dataclass
class RelationalImage(QLearner):
    """The relational agent on small pictures."""

    learner = "relational-image"
