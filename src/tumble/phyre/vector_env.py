"""Many PHYRE episodes side by side, as `gymnasium.make_vec` makes them: each step is one call of the engine."""

from collections.abc import Sequence
from copy import copy, deepcopy
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from tumble.phyre.actions import as_actions
from tumble.phyre.attempt import Attempt
from tumble.phyre.envs import STRIDE, PhyreEnv
from tumble.phyre.metrics import MOST_ATTEMPTS
from tumble.phyre.simulate import Simulator
from tumble.phyre.task_pool import Tasks
from tumble.phyre.tasks import Task

FEW_TASKS = 64
"""So many tasks a simulator may have however few episodes there are."""


class PhyreVectorEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """`num_envs` episodes of `PhyreEnv`, with the results that Gymnasium's SyncVectorEnv would give, only faster.

    As there, an episode that is over begins anew at the next step, whose action it ignores; other ways are
    `autoreset_mode` "SameStep" and "Disabled". `max_episode_steps` ends episodes after so many actions, invalid ones
    included; None never does. All else is as in `PhyreEnv`.
    """

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
        if num_envs < 1:
            raise ValueError(f"num_envs must be 1 or more, not {num_envs}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps must be 1 or more, or None for no limit, not {max_episode_steps}")
        first = PhyreEnv(tier, tasks, attempts, observation, intermediate, render_mode, device, threads)
        self.envs = [first, *(copy(first) for _ in range(num_envs - 1))]  # they share tasks and spaces
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**PhyreEnv.metadata, "autoreset_mode": self.autoreset_mode}
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
        self._simulator = first.simulator([])

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
        """Attempt all tasks whose episode goes on."""
        self._require_begun()
        if self.autoreset_mode == AutoresetMode.DISABLED and self._over.any():
            over = np.flatnonzero(self._over).tolist()
            raise ResetNeeded(f"episodes {over} are over: begin them with reset(options={{'reset_mask': ...}})")
        attempts = self._attempts(actions, ~self._over)
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), bool)
        infos: dict[str, Any] = {}
        for k, (env, attempt) in enumerate(zip(self.envs, attempts, strict=True)):
            if attempt is None:
                infos = self._add_info(infos, self._begin(k), k)
                continue
            rewards[k], terminated[k], truncated[k], info = env.record(attempt)
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
        """What `PhyreEnv.render` gives, of each episode."""
        return tuple(env.render() for env in self.envs)

    def _begin(self, k: int, seed: int | None = None, task_id: str | None = None) -> dict[str, Any]:
        """Begins an episode; returns its info."""
        self._seen[k], info = self.envs[k].reset(seed=seed, options={"task": task_id})
        self._batch_is_old = True
        self._actions_made[k] = 0
        self._over[k] = False
        return info

    def _require_begun(self) -> None:
        waiting = [k for k, seen in enumerate(self._seen) if seen is None]
        if waiting:
            raise ResetNeeded(f"episodes {waiting} have not begun: call reset() first")

    def _observations(self) -> Any:
        if self._batch_is_old:
            self._batch = concatenate(self.single_observation_space, self._seen, self._batch)
            self._batch_is_old = False
        return deepcopy(self._batch)

    def _attempts(self, actions: np.ndarray, wanted: np.ndarray) -> list[Attempt | None]:
        """The attempt of each episode, or None where none is wanted."""
        given = np.array(actions, float)
        if given.shape != self.action_space.shape:
            raise ValueError(f"actions must have the shape {self.action_space.shape}, not {given.shape}")
        given[~wanted] = 0.0  # whatever it was, nobody asked for it
        chosen = as_actions(given, self._simulator.tier)
        attempts: list[Attempt | None] = [None] * self.num_envs
        playing = np.flatnonzero(wanted)
        if len(playing):
            tasks = [self.envs[k].playable_task() for k in playing]
            ids = [task.id for task in tasks]
            done = self._simulator_of(tasks).attempts(ids, chosen[playing], STRIDE, want=self.envs[0].want)
            for k, attempt in zip(playing, done, strict=True):
                attempts[k] = attempt
        return attempts

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
