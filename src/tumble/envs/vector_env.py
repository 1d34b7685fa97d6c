"""The base class of vector environments: a batch of episodes, each step of which is one call of the engine."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tumble.envs.errors import EnvError
from tumble.envs.task_pool import TaskPool


class BatchedVectorEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """Copies of one environment that are stepped together, with the results of Gymnasium's SyncVectorEnv.

    As there, an episode that has ended is reset at the next step, which ignores its action; `autoreset_mode`
    "SameStep" and "Disabled" change that. Episodes are truncated after `max_episode_steps` actions; None for no limit.
    All episodes that have ended are reset together.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
    ) -> None:
        if num_envs < 1:
            raise EnvError(f"num_envs must be 1 or more, not {num_envs}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise EnvError(f"max_episode_steps must be 1 or more, or None for no limit, not {max_episode_steps}")
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self._max_actions = np.inf if max_episode_steps is None else max_episode_steps
        self._action_counts = np.zeros(num_envs, int)
        self._ended = np.zeros(num_envs, bool)
        self._begun = np.zeros(num_envs, bool)

    def _use_spaces_of(self, env: Any) -> None:
        """Sets spaces and metadata to those of copies of a single environment."""
        self.render_mode = env.render_mode
        self.metadata = {**env.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_action_space = env.action_space
        self.single_observation_space = env.observation_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    @property
    @abstractmethod
    def pool(self) -> TaskPool[Any]:
        """The tasks that episodes are at."""

    @abstractmethod
    def _start(self, rows: np.ndarray, seeds: Sequence[int | None], task_ids: Sequence[str | None]) -> None:
        """Starts the episodes `rows` (int [n], indices), each with a seed and a task id, or None for random ones."""

    @abstractmethod
    def _act(self, rows: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rewards, terminated and truncated [n] of the episodes `rows` (int [n], indices), for actions [envs, …]."""

    @abstractmethod
    def _final(self, rows: np.ndarray) -> Any:
        """What `_infos` needs to know of the ends of episodes that are about to start again."""

    @abstractmethod
    def _infos(self, rows: np.ndarray, ended: np.ndarray, final: Any) -> dict[str, Any]:
        """The infos of the episodes `rows`, in Gymnasium's form; with `final` of those that `ended` (int [n])."""

    @abstractmethod
    def _batched_observations(self) -> Any:
        """The current observations of all episodes."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts all episodes, or those of `options["reset_mask"]`; seeds are seed, seed + 1, … or a list of them.

        `options["task"]` is the id of the task for all, or a list with one for each.
        """
        seeds = self._seeds(seed)
        task_ids = self._task_ids(options or {})
        rows = np.flatnonzero(self._reset_mask(options or {}))
        self._start_rows(rows, [seeds[k] for k in rows.tolist()], [task_ids[k] for k in rows.tolist()])
        self._require_reset()
        return self._batched_observations(), self._infos(rows, rows[:0], None)

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Takes an action in every episode that has not ended."""
        self._require_reset()
        if self.autoreset_mode == AutoresetMode.DISABLED and self._ended.any():
            ended = np.flatnonzero(self._ended).tolist()
            raise ResetNeeded(f"episodes {ended} are over: call reset(options={{'reset_mask': ...}}) for them")
        batch = np.array(actions)
        if batch.shape != self.action_space.shape:
            raise EnvError(f"actions must have the shape {self.action_space.shape}, not {batch.shape}")
        active, over = np.flatnonzero(~self._ended), np.flatnonzero(self._ended)
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), bool)
        if len(active):
            rewards[active], terminated[active], truncated[active] = self._act(active, batch)
            self._action_counts[active] += 1
            truncated[active] |= self._action_counts[active] >= self._max_actions
        final = None
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            over = np.flatnonzero(terminated | truncated)
            final = self._final(over)
        if len(over):
            self._start_rows(over, [None] * len(over), [None] * len(over))
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            self._ended, over = terminated | truncated, over[:0]
        infos = self._infos(np.arange(self.num_envs), over, final)
        return self._batched_observations(), rewards, terminated, truncated, infos

    def _start_rows(self, rows: np.ndarray, seeds: Sequence[int | None], task_ids: Sequence[str | None]) -> None:
        self._start(rows, seeds, task_ids)
        self._action_counts[rows] = 0
        self._ended[rows] = False
        self._begun[rows] = True

    def _require_reset(self) -> None:
        missing = np.flatnonzero(~self._begun).tolist()
        if missing:
            raise ResetNeeded(f"episodes {missing} have not begun: call reset() first")

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
                self.pool[task_id]  # raises for unknown ids before any episode is reset
        return ids

    def _reset_mask(self, options: dict[str, Any]) -> np.ndarray:
        """bool [envs]: which episodes to start."""
        if "reset_mask" not in options:
            return np.ones(self.num_envs, bool)
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise EnvError(f"reset_mask must be {self.num_envs} booleans, at least one of them True")
        return mask
