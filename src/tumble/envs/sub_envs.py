"""A vector environment that keeps its episodes in single environments, and simulates their steps together."""

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any, ClassVar, Protocol

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import concatenate, create_empty_array

from tumble.envs.simulator_cache import SimulatorCache
from tumble.envs.task_pool import TaskPool
from tumble.envs.vector_env import BatchedVectorEnv

StepResult = tuple[float, bool, bool, dict[str, Any]]
"""Reward, whether terminated, whether truncated, and info."""


class SubEnv(Protocol):
    """A single environment whose steps are simulated by the vector environment."""

    metadata: dict[str, Any]
    action_space: Any
    observation_space: Any
    render_mode: str | None
    current_observation: Any

    @property
    def pool(self) -> TaskPool[Any]: ...

    def simulator(self, tasks: Any) -> Any:
        """A simulator of some tasks."""
        ...

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]: ...

    def record(self, simulated: Any) -> StepResult:
        """Takes over a step that was simulated elsewhere."""
        ...

    def render(self) -> Any: ...


class SubEnvVectorEnv(BatchedVectorEnv):
    """Copies of `env_class` (see `BatchedVectorEnv`); `settings` are its arguments."""

    env_class: ClassVar[type[Any]]

    def __init__(
        self,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(num_envs, autoreset_mode=autoreset_mode, max_episode_steps=max_episode_steps)
        first: SubEnv = self.env_class(**settings)
        self.simulators: SimulatorCache[Any] = SimulatorCache(first.simulator, first.pool, num_envs)
        self.envs: list[Any] = [first, *(copy(first) for _ in range(num_envs - 1))]  # they share tasks and spaces
        self._use_spaces_of(first)
        self._last_infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self._observations: list[Any] = [None] * num_envs
        self._batch: Any = create_empty_array(self.single_observation_space, num_envs)
        self._batch_outdated = True

    @property
    def pool(self) -> TaskPool[Any]:
        pool: TaskPool[Any] = self.envs[0].pool
        return pool

    @abstractmethod
    def _simulate(self, actions: np.ndarray, active: np.ndarray) -> Sequence[Any]:
        """What `record` of each environment in `active` (int [n], indices) takes, for actions [envs, …]."""

    def render(self) -> tuple[Any, ...]:
        """The picture or text of each episode."""
        return tuple(env.render() for env in self.envs)

    def _start(self, rows: np.ndarray, seeds: Sequence[int | None], task_ids: Sequence[str | None]) -> None:
        for k, seed, task_id in zip(rows.tolist(), seeds, task_ids, strict=True):
            self._last_infos[k] = self.envs[k].reset(seed=seed, options={"task": task_id})[1]
            self._update_observation(k)

    def _act(self, rows: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rewards, (terminated, truncated) = np.zeros(len(rows)), np.zeros((2, len(rows)), bool)
        for n, (k, simulated) in enumerate(zip(rows.tolist(), self._simulate(actions, rows), strict=True)):
            rewards[n], terminated[n], truncated[n], self._last_infos[k] = self.envs[k].record(simulated)
            self._update_observation(k)
        return rewards, terminated, truncated

    def _final(self, rows: np.ndarray) -> dict[int, dict[str, Any]]:
        return {
            k: {"final_obs": deepcopy(self._observations[k]), "final_info": self._last_infos[k]} for k in rows.tolist()
        }

    def _infos(self, rows: np.ndarray, ended: np.ndarray, final: Any) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for k in rows.tolist():
            if final and k in final:
                infos = self._add_info(infos, final[k], k)
            infos = self._add_info(infos, self._last_infos[k], k)
        return infos

    def _update_observation(self, k: int) -> None:
        self._batch_outdated |= self.envs[k].current_observation is not self._observations[k]
        self._observations[k] = self.envs[k].current_observation

    def _batched_observations(self) -> Any:
        if self._batch_outdated:
            self._batch = concatenate(self.single_observation_space, self._observations, self._batch)
            self._batch_outdated = False
        return deepcopy(self._batch)
