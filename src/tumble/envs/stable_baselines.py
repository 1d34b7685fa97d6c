"""Vector environments as Stable-Baselines3 takes them: all episodes are stepped in one call of the engine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from tumble.envs.vector_env import BatchedVectorEnv, EnvError


class StableBaselinesEnv(VecEnv):
    """A vector environment with `autoreset_mode` "SameStep", with the interface of Stable-Baselines3."""

    def __init__(self, env: BatchedVectorEnv) -> None:
        if env.autoreset_mode != AutoresetMode.SAME_STEP:
            raise EnvError('Stable-Baselines3 needs an environment with autoreset_mode="SameStep"')
        self.env = env
        self._actions = np.zeros(0)
        self._seed: int | None = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds the next reset."""
        self._seed = seed
        return [None if seed is None else seed + k for k in range(self.num_envs)]

    def reset(self) -> Any:
        observations, _ = self.env.reset(seed=self._seed)
        self._seed = None
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        observations, rewards, terminated, truncated, infos = self.env.step(self._actions)
        ended = terminated | truncated
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ended).tolist():
            end = infos["final_info"]
            each[row] = {
                "terminal_observation": infos["final_obs"][row],
                "TimeLimit.truncated": bool(truncated[row] and not terminated[row]),
                "is_success": end["status"][row] == "won" if "status" in end else bool(rewards[row] > 0.0),
            }
        return observations, rewards.astype(np.float32), ended, each

    def close(self) -> None:
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name, None) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise EnvError("the episodes of a vector environment have no attributes of their own")

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        raise EnvError("the episodes of a vector environment have no methods of their own")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]
