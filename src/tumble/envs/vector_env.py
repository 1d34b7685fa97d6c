"""The base class of vector environments: a batch of episodes, each step of which is one call of the engine."""

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any, ClassVar, Protocol

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from tumble.envs.errors import EnvError
from tumble.envs.simulator_cache import SimulatorCache
from tumble.envs.task_pool import TaskPool

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


class BatchedVectorEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """Copies of one environment that are stepped together, with the results of Gymnasium's SyncVectorEnv.

    As there, an episode that has ended is reset at the next step, which ignores its action; `autoreset_mode`
    "SameStep" and "Disabled" change that. Episodes are truncated after `max_episode_steps` actions; None for no limit.
    The other arguments are those of `env_class`.
    """

    env_class: ClassVar[type[Any]]

    def __init__(
        self,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        **settings: Any,
    ) -> None:
        if num_envs < 1:
            raise EnvError(f"num_envs must be 1 or more, not {num_envs}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise EnvError(f"max_episode_steps must be 1 or more, or None for no limit, not {max_episode_steps}")
        first: SubEnv = self.env_class(**settings)
        self.simulators: SimulatorCache[Any] = SimulatorCache(first.simulator, first.pool, num_envs)
        self.envs: list[Any] = [first, *(copy(first) for _ in range(num_envs - 1))]  # they share tasks and spaces
        self.num_envs = num_envs
        self.render_mode = first.render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_action_space = first.action_space
        self.single_observation_space = first.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._max_actions = np.inf if max_episode_steps is None else max_episode_steps
        self._action_counts = np.zeros(num_envs, int)
        self._ended = np.zeros(num_envs, bool)
        self._observations: list[Any] = [None] * num_envs
        self._batch: Any = create_empty_array(self.single_observation_space, num_envs)
        self._batch_outdated = True

    @abstractmethod
    def _simulate(self, actions: np.ndarray, active: np.ndarray) -> Sequence[Any]:
        """What `record` of each environment in `active` (int [n], indices) takes, for actions [envs, …]."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts all episodes, or those of `options["reset_mask"]`; seeds are seed, seed + 1, … or a list of them.

        `options["task"]` is the id of the task for all, or a list with one for each.
        """
        seeds = self._seeds(seed)
        task_ids = self._task_ids(options or {})
        infos: dict[str, Any] = {}
        for k in np.flatnonzero(self._reset_mask(options or {})).tolist():
            infos = self._add_info(infos, self._reset_env(k, seeds[k], task_ids[k]), k)
        self._require_reset()
        return self._batched_observations(), infos

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Takes an action in every episode that has not ended."""
        self._require_reset()
        if self.autoreset_mode == AutoresetMode.DISABLED and self._ended.any():
            ended = np.flatnonzero(self._ended).tolist()
            raise ResetNeeded(f"episodes {ended} are over: call reset(options={{'reset_mask': ...}}) for them")
        batch = np.array(actions)
        if batch.shape != self.action_space.shape:
            raise EnvError(f"actions must have the shape {self.action_space.shape}, not {batch.shape}")
        active = np.flatnonzero(~self._ended)
        simulated = dict(zip(active.tolist(), self._simulate(batch, active), strict=True)) if len(active) else {}
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), bool)
        infos: dict[str, Any] = {}
        for k, env in enumerate(self.envs):
            if k not in simulated:
                infos = self._add_info(infos, self._reset_env(k), k)
                continue
            rewards[k], terminated[k], truncated[k], info = env.record(simulated[k])
            self._update_observation(k)
            self._action_counts[k] += 1
            truncated[k] |= self._action_counts[k] >= self._max_actions
            if self.autoreset_mode == AutoresetMode.SAME_STEP and (terminated[k] or truncated[k]):
                infos = self._add_info(infos, {"final_obs": deepcopy(self._observations[k]), "final_info": info}, k)
                info = self._reset_env(k)
            infos = self._add_info(infos, info, k)
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            self._ended = terminated | truncated
        return self._batched_observations(), rewards, terminated, truncated, infos

    def render(self) -> tuple[Any, ...]:
        """The picture or text of each episode."""
        return tuple(env.render() for env in self.envs)

    def _reset_env(self, k: int, seed: int | None = None, task_id: str | None = None) -> dict[str, Any]:
        """Starts an episode; returns its info."""
        info: dict[str, Any] = self.envs[k].reset(seed=seed, options={"task": task_id})[1]
        self._update_observation(k)
        self._action_counts[k] = 0
        self._ended[k] = False
        return info

    def _update_observation(self, k: int) -> None:
        self._batch_outdated |= self.envs[k].current_observation is not self._observations[k]
        self._observations[k] = self.envs[k].current_observation

    def _require_reset(self) -> None:
        missing = [k for k, observation in enumerate(self._observations) if observation is None]
        if missing:
            raise ResetNeeded(f"episodes {missing} have not begun: call reset() first")

    def _batched_observations(self) -> Any:
        if self._batch_outdated:
            self._batch = concatenate(self.single_observation_space, self._observations, self._batch)
            self._batch_outdated = False
        return deepcopy(self._batch)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """One seed for each environment."""
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + k for k in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise EnvError(f"{len(seed)} seeds for {self.num_envs} environments: give one number, or one for each")
        return list(seed)

    def _task_ids(self, options: dict[str, Any]) -> list[str | None]:
        """One task id for each environment; None for a random task."""
        option: Any = options.get("task")
        several = isinstance(option, Sequence) and not isinstance(option, str)
        ids = list(option) if several else [option] * self.num_envs
        if len(ids) != self.num_envs:
            raise EnvError(f"{len(ids)} tasks for {self.num_envs} environments: give one id, or one for each")
        for task_id in ids:
            if task_id is not None:
                self.envs[0].pool[task_id]  # raises for unknown ids before any episode is reset
        return ids

    def _reset_mask(self, options: dict[str, Any]) -> np.ndarray:
        """bool [envs]: which episodes to start."""
        if "reset_mask" not in options:
            return np.ones(self.num_envs, bool)
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise EnvError(f"reset_mask must be {self.num_envs} booleans, at least one of them True")
        return mask
