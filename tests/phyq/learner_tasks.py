"""Small tasks and settings for tests of learners."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from tumble.phyq.catalogue.level import Level, Pig
from tumble.phyq.catalogue.tasks import Split, Task
from tumble.phyq.models.learner import Part
from tumble.phyq.models.q_networks import QConfig, make_config
from tumble.phyq.models.q_training import QTraining

ON_GROUND = -3.5 + 0.2377
"""Height of a small pig on the ground."""
CPU = torch.device("cpu")


def _near(k: int) -> Task:
    return Task(f"near:{k:03d}", Level(("red",), (Pig("small", -4.0 + 0.5 * k, ON_GROUND),)))


def _pair(k: int) -> Task:
    pigs = (Pig("small", 3.0, ON_GROUND), Pig("small", -5.0 + 0.5 * k, ON_GROUND))
    return Task(f"pair:{k:03d}", Level(("red", "red"), pigs))


TASKS = {task.id: task for k in range(4) for task in (_near(k), _pair(k))}
NEAR = [f"near:{k:03d}" for k in range(4)]
PAIR = [f"pair:{k:03d}" for k in range(3)]
SMALL: dict[str, Any] = {
    "dddqn-symbolic": {"first_units": 8, "second_units": 8, "head_units": 4},
    "dddqn-image": {"width": 0.05, "units": 8},
    "relational-symbolic": {"width": 0.05, "head_units": 4},
    "relational-image": {"width": 0.05, "head_units": 4},
}
QUICK = {"players": 2, "attempts": 2, "first_attempts": 3, "steps": 2, "batch": 4, "rounds": 3}


def small_config(name: str = "dddqn-symbolic", preset: str = "paper", **more: Any) -> QConfig:
    """Settings of a tiny network that trains in seconds."""
    return make_config(name, preset, {**SMALL[name], **QUICK, "sweep": False, **more})


def small_training(folder: Path, config: QConfig, name: str = "dddqn-symbolic", **more: Any) -> QTraining:
    """The training of two networks on single pigs, and of one on pairs of pigs."""
    parts = [
        Part("local", "1.1", Split(NEAR, [])),
        Part("local", "1.2", Split(NEAR[::-1], [])),
        Part("local", "2.1", Split(PAIR, [])),
    ]
    return QTraining(name, replace(config), parts, folder, CPU, threads=1, task_of=TASKS.__getitem__, **more)
