"""A batch of PHYRE episodes, as `gymnasium.make_vec` makes them: each step is one call of the engine."""

from collections.abc import Sequence

import numpy as np
from gymnasium.vector import AutoresetMode

from tumble.envs import BatchedVectorEnv
from tumble.phyre.envs.env import STRIDE, PhyreEnv
from tumble.phyre.envs.task_pool import Tasks
from tumble.phyre.simulation.actions import as_actions
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import MAX_ATTEMPTS, Task

MIN_CACHED_TASKS = 64
"""Tasks that a simulator may have even if there are fewer episodes."""


class PhyreVectorEnv(BatchedVectorEnv):
    """`num_envs` episodes of `PhyreEnv` (see `BatchedVectorEnv`); invalid actions count towards `max_episode_steps`."""

    def __init__(
        self,
        num_envs: int,
        tier: str,
        tasks: Tasks | None = None,
        attempts: int = MAX_ATTEMPTS,
        observation: str = "pixels",
        intermediate: bool = False,
        render_mode: str | None = None,
        device: str = "cpu",
        threads: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
    ) -> None:
        first = PhyreEnv(tier, tasks, attempts, observation, intermediate, render_mode, device, threads)
        super().__init__(first, num_envs, autoreset_mode, max_episode_steps)
        self._simulator = first.simulator([])

    def _simulate(self, actions: np.ndarray, active: np.ndarray) -> list[Attempt]:
        checked = np.zeros(actions.shape)  # actions of episodes that have ended are not checked
        checked[active] = actions[active]
        table = as_actions(checked, self._simulator.tier)
        tasks = [self.envs[k].active_task() for k in active]
        ids = [task.id for task in tasks]
        return self._simulator_of(tasks).attempts(ids, table[active], STRIDE, want=self.envs[0].want)

    def _simulator_of(self, tasks: Sequence[Task]) -> Simulator:
        """The current simulator if it has the tasks; else a new one with its tasks as well, unless these are too many.

        Making a simulator costs a fraction of a rollout for each of its tasks.
        """
        cached = {task.id: task for task in self._simulator.tasks}
        missing = {task.id: task for task in tasks if task.id not in cached}
        if missing:
            merged = cached | missing
            few = len(merged) <= max(MIN_CACHED_TASKS, 2 * self.num_envs)
            self._simulator = self.envs[0].simulator(merged.values() if few else {t.id: t for t in tasks}.values())
        return self._simulator
