"""The vector environment of `gymnasium.make_vec`: each step plays all episodes in one call of the engine."""

import numpy as np
from gymnasium.vector import AutoresetMode

from tumble.envs import BatchedVectorEnv
from tumble.phyq.envs.env import STRIDE, PhyQEnv, PlayedShot
from tumble.phyq.envs.task_pool import Tasks
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.level import Level

FEW_LEVELS = 64
"""Up to this number of levels, one simulator is prepared for all tasks of the pool."""


class PhyQVectorEnv(BatchedVectorEnv):
    """`num_envs` episodes of `PhyQEnv` (see `BatchedVectorEnv`)."""

    def __init__(
        self,
        num_envs: int,
        scenario: int | None = None,
        template: str | None = None,
        tasks: Tasks | None = None,
        observation: str = "symbolic",
        actions: str = "angles",
        platforms: bool = True,
        render_mode: str | None = None,
        device: str = "cpu",
        threads: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
    ) -> None:
        first = PhyQEnv(scenario, template, tasks, observation, actions, platforms, render_mode, device, threads)
        super().__init__(first, num_envs, autoreset_mode, max_episode_steps)
        self._levels: dict[Level, int] = {}
        self._simulator = first.simulator([])

    def _simulate(self, actions: np.ndarray, active: np.ndarray) -> list[PlayedShot]:
        envs = [self.envs[k] for k in active]
        decoded = [env.decode(actions[k]) for env, k in zip(envs, active, strict=True)]
        levels = [env.task.level for env in envs]
        simulator = self._simulator_of(levels)
        shots = [[*env.shots, action.shot] for env, action in zip(envs, decoded, strict=True)]
        episodes = simulator.play([self._levels[level] for level in levels], shots, envs[0].want, STRIDE)
        return [PlayedShot(action, episodes, row) for row, action in enumerate(decoded)]

    def _simulator_of(self, levels: list[Level]) -> Simulator:
        """The current simulator if it has all levels; else a new one, of the whole pool if that is small."""
        if any(level not in self._levels for level in levels):
            pool = self.envs[0].pool
            prepared = [pool[task_id].level for task_id in pool.ids] if len(pool) <= FEW_LEVELS else levels
            self._levels = {level: k for k, level in enumerate(dict.fromkeys(prepared))}
            self._simulator = self.envs[0].simulator(list(self._levels))
        return self._simulator
