"""Policies of Stable-Baselines3 (PPO, A2C) as agents: trained on a part's training tasks, or loaded from files.

They choose one of the paper's 180 angles at full stretch, and make the same shot in every attempt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tumble.phyq.agents.agent import Agent, AttemptState, SettingError
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.envs.env import PhyQEnv, PhyQVectorEnv
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.participant import Given

POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "objects": ("MultiInputPolicy", {"net_arch": [256, 256]}),
    "symbolic_float": ("CnnPolicy", {"normalize_images": False}),
}
"""Policy and its settings for each observation that Stable-Baselines3 takes as it is."""
ALGORITHMS: dict[str, dict[str, Any]] = {
    "ppo": {"n_steps": 4, "n_epochs": 4, "ent_coef": 0.01, "learning_rate": 3e-4},
    "a2c": {"n_steps": 2, "ent_coef": 0.01, "learning_rate": 7e-4},
}
"""Settings of each algorithm; rollouts are short, because most episodes have one shot."""


@dataclass
class StableBaselines(Agent):
    """A policy for each part of a run, from training or from a checkpoint."""

    algorithm: str = "ppo"
    """ppo or a2c."""
    observation: str = "objects"
    """objects (a table) or symbolic_float (planes of the paper's tensor), both with platforms."""
    checkpoint: str = ""
    """A policy's file (.zip), or a folder with one for each scenario (3.zip) or template (6.4.zip); empty: trains."""
    train_on: str = ""
    """The scenario whose policy of a folder is used for all tasks; empty: that of the task's template or scenario."""
    steps: int = 100_000
    """Shots of training for each part."""
    envs: int = 256
    """Episodes that are played together in training."""
    seed: int = 0
    device: str = "cpu"
    """Where the network and the training's physics run."""
    uses_past = False

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise SettingError(f"algorithm must be {' or '.join(ALGORITHMS)}, not {self.algorithm!r}")
        if self.observation not in POLICIES:
            raise SettingError(f"observation must be {' or '.join(POLICIES)}, not {self.observation!r}")
        if self.checkpoint and not Path(self.checkpoint).exists():
            raise SettingError(f"{self.checkpoint}: no such file or folder of policies")
        self._policies: dict[Path, Any] = {}
        self._trained: Any = None

    def given(self) -> Given:
        return Given(tasks=("boxes", "platforms and masses"), training=("simulated actions",))

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        """Trains a policy, unless there is a checkpoint."""
        if not self.checkpoint:
            self._trained = self.trained_policy(tasks)

    def trained_policy(self, tasks: Sequence[Task]) -> Any:
        """A new policy, trained on tasks."""
        from tumble.envs.stable_baselines import StableBaselinesEnv

        env = PhyQVectorEnv(
            self.envs, autoreset_mode="SameStep", tasks=tasks, observation=self.observation, device=self.device
        )
        policy, settings = POLICIES[self.observation]
        batches = {"batch_size": self.envs} if self.algorithm == "ppo" else {}
        model = self._algorithm()(
            policy,
            StableBaselinesEnv(env),
            policy_kwargs=settings,
            seed=self.seed,
            device=self.device,
            gamma=1.0,
            **ALGORITHMS[self.algorithm],
            **batches,
        )
        return model.learn(self.steps)

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        policy = self._trained if self._trained is not None else self._loaded(self._file(task))
        action, _ = policy.predict(self._observation(task, state), deterministic=True)
        return Shot(DISCRETE_ANGLES[int(action)])

    def _observation(self, task: Task, state: AttemptState) -> Any:
        """What the environment shows after the shots of this attempt."""
        env = PhyQEnv(tasks=[task], observation=self.observation)
        observation, _ = env.reset()
        for shot in state.current.shots if state.current else ():
            observation, *_ = env.step(np.int64(DISCRETE_ANGLES.index(shot.angle)))
        return observation

    def _file(self, task: Task) -> Path:
        """The policy's file for a task."""
        place = Path(self.checkpoint)
        if not self.checkpoint or place.is_file():
            return place
        template = task.id.partition(":")[0]
        names = [f"{template}.zip", f"{template.partition('.')[0]}.zip"]
        names = [f"{self.train_on}.zip"] if self.train_on else names
        found = next((place / name for name in names if (place / name).is_file()), None)
        if found is None:
            raise SettingError(f"{place} has no policy for task {task.id}: neither {' nor '.join(names)}")
        return found

    def _loaded(self, path: Path) -> Any:
        if not path.name:
            raise SettingError("no policy: give checkpoint=FILE.zip, or run a setting that trains (broad or local)")
        if path not in self._policies:
            try:
                self._policies[path] = self._algorithm().load(path, device=self.device)
            except (ValueError, KeyError, AttributeError, RuntimeError) as error:
                raise SettingError(f"{path} is no policy of {self.algorithm}: {error}") from error
        return self._policies[path]

    def _algorithm(self) -> Any:
        try:
            import stable_baselines3
        except ModuleNotFoundError:
            raise SettingError('agent sb3 needs Stable-Baselines3: pip install "tumble[rl]"') from None
        return getattr(stable_baselines3, self.algorithm.upper())
