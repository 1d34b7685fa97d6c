"""Settings that all learners of Q values share: how much they play, and how they are updated."""

from abc import abstractmethod
from dataclasses import dataclass

from torch import nn

PRESETS: dict[str, dict[str, object]] = {
    "paper": {},
    "sweep": {
        "learn_from": "outcomes",
        "sweep": True,
        "rounds": 20,
        "steps": 60,
        "batch": 64,
        "cosine": True,
        "stop_rate": 1.0,
        "memory": 500_000,
    },
}
"""The paper's amount of training; and training on the outcomes of all angles at the training tasks."""
DEFAULT_PRESET = "sweep"


@dataclass(frozen=True)
class QConfig:
    """All that the weights depend on besides tasks and seed; the defaults are the paper's."""

    platforms: bool = True
    """Whether platforms are seen in the symbolic tensor."""
    learn_from: str = "shots"
    """What a batch is of: "shots", drawn from the replay, or "outcomes", states with all shots known from them."""
    sweep: bool = False
    """Whether the first round plays all 180 angles as first shots at each task, instead of `first_attempts` ones."""
    first_attempts: int = 10
    """Episodes at each task in the first round."""
    players: int = 10
    """Tasks that are drawn in a later round."""
    attempts: int = 10
    """Episodes at each of them."""
    rounds: int = 0
    """Rounds of playing and updating; 0 for a fifth of the number of tasks."""
    epochs: int = 10
    """Passes over as many shots as the replay has, in a round."""
    shrinking_epochs: bool = False
    """Whether the epochs shrink by the number of the round, down to 1, as in the released code (from 32)."""
    steps: int = 0
    """Updates in a round, instead of `epochs`; 0 for none given."""
    batch: int = 32
    shift: int = 0
    """Cells by which observations are moved at random, each way, in batches of outcomes; physics does not change."""
    memory: int = 100_000
    """Shots that the replay keeps."""
    first_epsilon: float = 0.95
    """Chance of a random angle in the first round; it falls by equal amounts in nine tenths of the rounds."""
    last_epsilon: float = 0.05
    gamma: float = 0.99
    double: bool = True
    """Double DQN: the network chooses the next shot that its copy values; the released code has the copy choose."""
    learning_rate: float = 3e-4
    cosine: bool = False
    """Whether the learning rate falls to 0 along a half cosine."""
    weight_decay: float = 0.01
    clamp: float = 1.0
    """Largest component of a gradient."""
    stop_rate: float = 0.99
    """Training ends when a round's episodes are won at more than this rate."""

    observation = "symbolic"
    """What the network sees: "symbolic" or "image"."""
    bfloat16 = True
    """Whether the network runs in mixed precision on a GPU."""
    stacked = False
    """Whether networks with the same number of tasks are updated together."""

    @abstractmethod
    def network(self) -> nn.Module:
        """An untrained network: observations [n, channels, 120, 160] to Q values [n, 180]."""

    def round_count(self, tasks: int) -> int:
        """Rounds for this number of training tasks."""
        return self.rounds or (tasks // 5 if tasks >= 5 else 50)

    def epsilon(self, progress: float) -> float:
        """The chance of a random angle at a share of the training."""
        return max(self.last_epsilon, self.first_epsilon - 0.99 * progress / 0.9)

    def update_count(self, round_number: int, tasks: int) -> int:
        """Updates in a round."""
        if self.steps:
            return self.steps
        epochs = max(1, self.epochs - round_number) if self.shrinking_epochs else self.epochs
        first = 180 if self.sweep else self.first_attempts
        shots = min(self.memory, first * tasks + self.players * self.attempts * round_number)
        return max(1, epochs * shots // self.batch)
