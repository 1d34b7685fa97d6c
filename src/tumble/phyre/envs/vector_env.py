"""Many PHYRE episodes side by side, as `gymnasium.make_vec` makes them: each step is one call of the engine."""

from collections.abc import Sequence

import numpy as np
from gymnasium.vector import AutoresetMode

from tumble.envs import SideBySide
from tumble.phyre.envs.env import STRIDE, PhyreEnv
from tumble.phyre.envs.task_pool import Tasks
from tumble.phyre.simulation.actions import as_actions
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import MOST_ATTEMPTS, Task

FEW_TASKS = 64
"""So many tasks a simulator may have however few episodes there are."""


class PhyreVectorEnv(SideBySide):
    """`num_envs` episodes of `PhyreEnv` (see `SideBySide`); invalid actions count towards `max_episode_steps`."""

    def __init__(
        self,
        num_envs: int,
        tier: str,
        tasks: Tasks | None = None,
        attempts: int = MOST_ATTEMPTS,
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

    def _played(self, actions: np.ndarray, playing: np.ndarray) -> list[Attempt]:
        given = np.zeros(actions.shape)  # whatever the others were given, nobody asked for it
        given[playing] = actions[playing]
        chosen = as_actions(given, self._simulator.tier)
        tasks = [self.envs[k].playable_task() for k in playing]
        ids = [task.id for task in tasks]
        return self._simulator_of(tasks).attempts(ids, chosen[playing], STRIDE, want=self.envs[0].want)

    def _simulator_of(self, tasks: Sequence[Task]) -> Simulator:
        """The simulator we have, if it has the tasks; else one that keeps what it had, unless that grows too much.

        Making one costs a fraction of a rollout for each of its tasks.
        """
        known = {task.id: task for task in self._simulator.tasks}
        lacking = {task.id: task for task in tasks if task.id not in known}
        if lacking:
            kept = known | lacking
            few = len(kept) <= max(FEW_TASKS, 2 * self.num_envs)
            self._simulator = self.envs[0].simulator(kept.values() if few else {t.id: t for t in tasks}.values())
        return self._simulator
