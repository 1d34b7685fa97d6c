"""A batch of PHYRE episodes, as `gymnasium.make_vec` makes them: each step is one call of the engine."""

import numpy as np

from tumble.envs import SubEnvVectorEnv
from tumble.phyre.envs.env import STRIDE, PhyreEnv
from tumble.phyre.simulation.actions import as_actions
from tumble.phyre.simulation.attempt import Attempt


class PhyreVectorEnv(SubEnvVectorEnv):
    """`num_envs` episodes of `PhyreEnv` (see `BatchedVectorEnv`); invalid actions count towards `max_episode_steps`."""

    env_class = PhyreEnv

    def _simulate(self, actions: np.ndarray, active: np.ndarray) -> list[Attempt]:
        checked = np.zeros(actions.shape)  # actions of episodes that have ended are not checked
        checked[active] = actions[active]
        tasks = [self.envs[k].active_task() for k in active]
        simulator = self.simulators.simulator(tasks)
        table = as_actions(checked, simulator.tier)
        ids, want = [task.id for task in tasks], self.envs[0].want
        if want:
            return list(simulator.attempts(ids, table[active], STRIDE, want=want))
        statuses, steps = simulator.outcomes(ids, table[active])  # quicker: no scenes with balls
        return [Attempt(*both) for both in zip(statuses.tolist(), steps.tolist(), strict=True)]
