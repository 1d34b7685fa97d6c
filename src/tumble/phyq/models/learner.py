"""One network of a learner: the tasks that it trains on, its weights and shots, and its checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tumble.learning import checkpoint
from tumble.learning.errors import TrainingError
from tumble.learning.trainer import FORMAT, load_network, step_seed
from tumble.phyq.models.network_stack import NetworkState
from tumble.phyq.models.q_config import QConfig
from tumble.phyq.models.replay import Replay
from tumble.phyq.simulation.simulator import physics_id


@dataclass
class Learner:
    """The training of one network."""

    name: str
    label: str
    path: Path
    task_ids: list[str]
    starts: np.ndarray
    """int [tasks]: the states in which its tasks start."""
    several_birds: bool
    replay: Replay
    state: NetworkState
    episodes: list[np.ndarray] = field(default_factory=list)
    """int16 [episodes, 1 + birds] of each round: the number of the task, and the angles that were shot, -1 for none."""
    round: int = 0
    """Rounds that are done."""
    updates: int = 0
    seconds: float = 0.0
    finished: bool = False
    curve: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    """Loss and win rate by round."""

    def seed(self, seed: int, purpose: str) -> int:
        """The seed of its random numbers for a purpose in this round; other networks have others."""
        text = f"{seed} {self.label} {self.round} {purpose}"
        return int.from_bytes(sha256(text.encode()).digest()[:7], "big")


def untrained(config: QConfig, seed: int, label: str) -> NetworkState:
    """The weights of a network before training."""
    torch.manual_seed(step_seed(seed, int.from_bytes(sha256(label.encode()).digest()[:4], "big")))
    return {"network": config.network().state_dict(), "optimiser": None}


def identity(config: QConfig, seed: int, budget: Mapping[str, Any], task_ids: Sequence[str]) -> dict[str, Any]:
    """All that the weights depend on."""
    data = sha256(" ".join([physics_id(), *task_ids]).encode()).hexdigest()
    return {"config": asdict(config), "seed": seed, "data": data, "budget": dict(budget)}


def save_learner(learner: Learner, own: Mapping[str, Any]) -> None:
    """Writes the checkpoint of a network; once finished, without what only training needs."""
    content = {
        "format": FORMAT,
        "name": learner.name,
        **own,
        "network": learner.state["network"],
        "extra": {"label": learner.label, "updates": learner.updates},
        "step": learner.round,
        "seconds": learner.seconds,
        "finished": learner.finished,
        "curve": learner.curve,
    }
    if not learner.finished:
        content["optimiser"] = learner.state["optimiser"]
        content["episodes"] = [torch.from_numpy(rows) for rows in learner.episodes]
    checkpoint.save(learner.path, content)


def load_learner(learner: Learner, own: Mapping[str, Any]) -> None:
    """Sets the learner to where its checkpoint is; a checkpoint of other settings, tasks or seed is an error."""
    content = load_network(learner.path, learner.name)
    for name, value in own.items():
        if content.get(name) != value:
            raise TrainingError(
                f"{learner.path} was made with another {name} than this training; use another folder, or delete it"
            )
    finished = bool(content.get("finished"))
    if not finished and "episodes" not in content:
        raise TrainingError(f"{learner.path}: exported weights, which can't be trained on; give another folder")
    learner.state = {"network": content["network"], "optimiser": content.get("optimiser")}
    learner.round, learner.seconds, learner.finished = content["step"], content["seconds"], finished
    learner.updates = content["extra"]["updates"]
    learner.curve = {name: [(int(at), float(y)) for at, y in points] for name, points in content["curve"].items()}
    learner.episodes = [rows.numpy() for rows in content.get("episodes", [])]
