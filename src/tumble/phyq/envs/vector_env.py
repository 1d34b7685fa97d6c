"""The vector environment of `gymnasium.make_vec`: each step plays all episodes in one call of the engine."""

import numpy as np

from tumble.envs import BatchedVectorEnv
from tumble.phyq.envs.env import STRIDE, PhyQEnv, PlayedShot


class PhyQVectorEnv(BatchedVectorEnv):
    """`num_envs` episodes of `PhyQEnv` (see `BatchedVectorEnv`)."""

    env_class = PhyQEnv

    def _simulate(self, actions: np.ndarray, active: np.ndarray) -> list[PlayedShot]:
        envs = [self.envs[k] for k in active]
        decoded = [env.decode(actions[k]) for env, k in zip(envs, active, strict=True)]
        tasks = [env.task for env in envs]
        simulator = self.simulators.simulator(tasks)
        shots = [[*env.shots, action.shot] for env, action in zip(envs, decoded, strict=True)]
        episodes = simulator.play([self.simulators.index(task) for task in tasks], shots, envs[0].want, STRIDE)
        return [PlayedShot(action, episodes, row) for row, action in enumerate(decoded)]
