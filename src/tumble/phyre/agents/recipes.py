"""Recommended settings of the agents with networks, by setting of PHYRE, and the package's trained DQNs.

Results: docs/reference/phyre-results.md.

>>> recommended("ball_within_template", "dqn")
{'fusion': 'drawn', 'updates': 5000, 'width': 0.5, 'members': 2, 'pooled': True, 'symmetric': True, 'ranked': 10000}
"""

from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tumble.phyre.agents import AgentError

NETWORK_AGENTS = ("dqn", "dqn-o", "explorer", "explorer-o")
"""Agents that can share a trained network."""

POOLED = {"pooled": True, "mutated": 4}
POOLED_DENSE = {**POOLED, "dense": 1.0}
TRAINING: dict[str, dict[str, Any]] = {
    "ball_cross_template": {"fusion": "last", "updates": 4000, "width": 0.5, "members": 2, **POOLED},
    "ball_within_template": {"fusion": "drawn", "updates": 5000, "width": 0.5, "members": 2, "pooled": True},
    "two_balls_cross_template": {"fusion": "last", "updates": 12000, "width": 0.5, "members": 2, **POOLED_DENSE},
    "two_balls_within_template": {"fusion": "drawn", "updates": 5000, "width": 0.5, "members": 2, "pooled": True},
}
"""What the weights of the network depend on, by setting, where `EVALUATION` has nothing else."""

ONE_BALL = {"symmetric": True, "ranked": 10_000}
ONE_BALL_PRIORS = {"prior": 1.25, "prior_alike": 2.8}
TWO_BALLS = {"symmetric": True, "ranked": 100_000, "refined": 4000}
TWO_BALLS_PRIORS = {"prior": 2.5, "prior_alike": 6.0}
SEARCH = {
    "view": 10.0,
    "reach": 8.0,
    "hope": 16.0,
    "offspring": 60,
    "transferred": 2500,
    "transferred_by_kind": 2500,
    "typical": 0.3,
}
"""How explorers search on templates that their networks have not seen."""
TWO_BALLS_SEARCH = {**SEARCH, "hope": 24.0, "doubt": 3.0, "cost": 0.25, "typical": 0.1}
"""The same for two balls, with more weight on what attempts have shown."""
ONLINE_TRAINING = {"updates": 4000, "members": 3}
"""Of the agents that learn online, which were measured on all ten folds with these networks only."""
NOT_ONLINE = {"updates_online": 0}
"""Within templates, as published: DQN-O then makes the attempts of DQN …"""
LEARNS_NOTHING = {**NOT_ONLINE, "remembers": False}
"""… and `explorer-o` those of the explorer."""
EVALUATION: dict[str, dict[str, dict[str, Any]]] = {
    "ball_cross_template": {
        "dqn": {"symmetric": True, "ranked": 1000},
        "dqn-o": {"symmetric": True, "ranked": 1000},
        "explorer": {**ONE_BALL, **ONE_BALL_PRIORS, **SEARCH, "cost": 0.2, "transfer": 0.5, "prior": 2.0},
        "explorer-o": {**ONE_BALL, **ONE_BALL_PRIORS},
    },
    "ball_within_template": {
        "dqn": ONE_BALL,
        "dqn-o": {**ONE_BALL, **NOT_ONLINE},
        "explorer": {**ONE_BALL, **ONE_BALL_PRIORS},
        "explorer-o": {**ONE_BALL, **ONE_BALL_PRIORS, **LEARNS_NOTHING},
    },
    "two_balls_cross_template": {
        "dqn": TWO_BALLS,
        "dqn-o": {**TWO_BALLS, **ONLINE_TRAINING},
        "explorer": {**TWO_BALLS, **TWO_BALLS_PRIORS, **TWO_BALLS_SEARCH, "transfer": 0.4, "prior": 4.0},
        "explorer-o": {**TWO_BALLS, **TWO_BALLS_PRIORS, **SEARCH, **ONLINE_TRAINING, "transfer": 1.0, "prior": 4.0},
    },
    "two_balls_within_template": {
        "dqn": TWO_BALLS,
        "dqn-o": {**TWO_BALLS, **NOT_ONLINE},
        "explorer": {**TWO_BALLS, **TWO_BALLS_PRIORS},
        "explorer-o": {**TWO_BALLS, **TWO_BALLS_PRIORS, **LEARNS_NOTHING},
    },
}
"""How agents use the network, and what in their training differs, by setting and agent."""

PAPER: dict[str, Any] = {
    "fusion": "published",
    "pairs": True,
    "trained_on": 100_000,
    "updates": 100_000,
    "tasks_per_batch": 64,
    "actions_per_task": 1,
    "learning_rate": 3e-4,
    "mirrored": False,
    "refined": 0,
}
"""DQN as the paper has it: one ResNet-18, batches of 64 pairs of which half solve, 100,000 random actions on each
training task, no stored solutions. Pictures are averaged from 256 to 128 pixels across, as everywhere here: at 256,
training takes four times as long."""
PAPER_RANKED = {"cross": 1_000, "within": 10_000}
"""How many actions the published DQN ranks on B, by the kind of setting."""


def as_published(setting: str) -> dict[str, Any]:
    """The settings of DQN as the paper has it."""
    kind = "within" if setting.endswith("within_template") else "cross"
    return {**PAPER, "ranked": PAPER_RANKED[kind] if setting.startswith("ball") else 100_000}


def recommended(setting: str, agent: str) -> dict[str, Any]:
    """The settings of an agent; an AgentError if there are none for it."""
    if setting not in EVALUATION:
        raise AgentError(f"no recommended settings for {setting!r}; there are some for {', '.join(EVALUATION)}")
    if agent not in EVALUATION[setting]:
        raise AgentError(f"no recommended settings of {agent!r}; there are some of {', '.join(EVALUATION[setting])}")
    return {**TRAINING[setting], **EVALUATION[setting][agent]}


def shipped_dqn(setting: str, fold: int) -> dict[str, Any] | None:
    """The settings that make a trained DQN; None if none is shipped for the fold, or PyTorch is not installed."""
    folder = Path(str(resources.files("tumble.phyre"))) / "data" / "checkpoints"
    checkpoint = folder / f"dqn-{setting}-{fold}.pt"
    if not checkpoint.exists() or find_spec("torch") is None:
        return None
    return {"checkpoint": str(checkpoint), "loaded": True}
