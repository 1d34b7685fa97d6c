"""Many episodes side by side, as `gymnasium.make_vec` makes them: each step is one call of the engine."""

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any, Protocol

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from tumble.envs.task_pool import TaskPool

Outcome = tuple[float, bool, bool, dict[str, Any]]
"""Reward, whether terminated, whether truncated, and info."""


class Episode(Protocol):
    """An environment whose steps are played elsewhere."""

    metadata: dict[str, Any]
    action_space: Any
    observation_space: Any
    render_mode: str | None
    seen: Any
    """The current observation."""

    @property
    def pool(self) -> TaskPool[Any]: ...

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]: ...

    def record(self, played: Any) -> Outcome: ...

    def render(self) -> Any: ...


class SideBySide(VectorEnv[Any, np.ndarray, np.ndarray]):
    """Copies of one environment, with the results that Gymnasium's SyncVectorEnv would give, only faster.

    As there, an episode that is over begins anew at the next step, whose action it ignores; other ways are
    `autoreset_mode` "SameStep" and "Disabled". `max_episode_steps` ends episodes after so many actions; None never
    does.
    """

    def __init__(
        self,
        first: Episode,
        num_envs: int,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs must be 1 or more, not {num_envs}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps must be 1 or more, or None for no limit, not {max_episode_steps}")
        self.envs: list[Any] = [first, *(copy(first) for _ in range(num_envs - 1))]  # they share tasks and spaces
        self.num_envs = num_envs
        self.render_mode = first.render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_action_space = first.action_space
        self.single_observation_space = first.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._most_actions = np.inf if max_episode_steps is None else max_episode_steps
        self._actions_made = np.zeros(num_envs, int)
        self._over = np.zeros(num_envs, bool)
        self._seen: list[Any] = [None] * num_envs
        self._batch: Any = create_empty_array(self.single_observation_space, num_envs)
        self._batch_is_old = True

    @abstractmethod
    def _played(self, actions: np.ndarray, playing: np.ndarray) -> Sequence[Any]:
        """What came of the actions [envs, …] of those environments whose numbers are `playing`, to be recorded."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin all episodes, or those of `options["reset_mask"]`, with the seeds seed, seed + 1, … or those given.

        `options["task"]` is the id of the task for all, or a list with one for each.
        """
        seeds = self._seeds(seed)
        wanted = self._wanted_tasks(options or {})
        infos: dict[str, Any] = {}
        for k in np.flatnonzero(self._reset_mask(options or {})).tolist():
            infos = self._add_info(infos, self._begin(k, seeds[k], wanted[k]), k)
        self._require_begun()
        return self._observations(), infos

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Act in all episodes that go on."""
        self._require_begun()
        if self.autoreset_mode == AutoresetMode.DISABLED and self._over.any():
            over = np.flatnonzero(self._over).tolist()
            raise ResetNeeded(f"episodes {over} are over: begin them with reset(options={{'reset_mask': ...}})")
        given = np.array(actions)
        if given.shape != self.action_space.shape:
            raise ValueError(f"actions must have the shape {self.action_space.shape}, not {given.shape}")
        playing = np.flatnonzero(~self._over)
        played = dict(zip(playing.tolist(), self._played(given, playing), strict=True)) if len(playing) else {}
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), bool)
        infos: dict[str, Any] = {}
        for k, env in enumerate(self.envs):
            if k not in played:
                infos = self._add_info(infos, self._begin(k), k)
                continue
            rewards[k], terminated[k], truncated[k], info = env.record(played[k])
            self._see(k)
            self._actions_made[k] += 1
            truncated[k] |= self._actions_made[k] >= self._most_actions
            if self.autoreset_mode == AutoresetMode.SAME_STEP and (terminated[k] or truncated[k]):
                infos = self._add_info(infos, {"final_obs": deepcopy(self._seen[k]), "final_info": info}, k)
                info = self._begin(k)
            infos = self._add_info(infos, info, k)
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            self._over = terminated | truncated
        return self._observations(), rewards, terminated, truncated, infos

    def render(self) -> tuple[Any, ...]:
        """The picture or text of each episode."""
        return tuple(env.render() for env in self.envs)

    def _begin(self, k: int, seed: int | None = None, task_id: str | None = None) -> dict[str, Any]:
        """Begins an episode; returns its info."""
        info: dict[str, Any] = self.envs[k].reset(seed=seed, options={"task": task_id})[1]
        self._see(k)
        self._actions_made[k] = 0
        self._over[k] = False
        return info

    def _see(self, k: int) -> None:
        self._batch_is_old |= self.envs[k].seen is not self._seen[k]
        self._seen[k] = self.envs[k].seen

    def _require_begun(self) -> None:
        waiting = [k for k, seen in enumerate(self._seen) if seen is None]
        if waiting:
            raise ResetNeeded(f"episodes {waiting} have not begun: call reset() first")

    def _observations(self) -> Any:
        if self._batch_is_old:
            self._batch = concatenate(self.single_observation_space, self._seen, self._batch)
            self._batch_is_old = False
        return deepcopy(self._batch)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + k for k in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments: give one number, or one for each")
        return list(seed)

    def _wanted_tasks(self, options: dict[str, Any]) -> list[str | None]:
        wanted: Any = options.get("task")
        several = isinstance(wanted, Sequence) and not isinstance(wanted, str)
        ids = list(wanted) if several else [wanted] * self.num_envs
        if len(ids) != self.num_envs:
            raise ValueError(f"{len(ids)} tasks for {self.num_envs} environments: give one id, or one for each")
        for task_id in ids:
            if task_id is not None:
                self.envs[0].pool[task_id]  # refuses unknown ones before any episode begins
        return ids

    def _reset_mask(self, options: dict[str, Any]) -> np.ndarray:
        """Which episodes to begin."""
        if "reset_mask" not in options:
            return np.ones(self.num_envs, bool)
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ValueError(f"reset_mask must be {self.num_envs} booleans, one of them True at least")
        return mask
