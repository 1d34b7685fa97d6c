"""The vector environment of `gymnasium.make_vec`: each step plays all episodes in one call of the engine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode

from tumble.envs import BatchedVectorEnv
from tumble.phyq.envs.env import PhyQEnv, render_text
from tumble.phyq.envs.task_pool import TaskPool


class PhyQVectorEnv(BatchedVectorEnv):
    """`num_envs` episodes of `PhyQEnv` (see `BatchedVectorEnv`), whose arguments are `settings`.

    With `on_device`, observations are Warp arrays where they are drawn; `warp.to_torch` turns them into tensors without
    copying. Those of "objects" are always NumPy arrays.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        on_device: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(num_envs, autoreset_mode=autoreset_mode, max_episode_steps=max_episode_steps)
        single = PhyQEnv(**settings)
        self._use_spaces_of(single)
        self._pool, self._on_device = single.pool, on_device
        self.episodes = single.episode_batch(num_envs)
        self._generators: list[np.random.Generator | None] = [None] * num_envs
        self._all = np.arange(num_envs)

    @property
    def pool(self) -> TaskPool:
        return self._pool

    def render(self) -> tuple[Any, ...]:
        """The picture or text of each episode."""
        self._require_reset()
        if self.render_mode == "rgb_array":
            return tuple(self.episodes.pictures(self._all))
        return render_text(self.render_mode, self.episodes.infos(self._all))

    def _start(self, rows: np.ndarray, seeds: Sequence[int | None], task_ids: Sequence[str | None]) -> None:
        tasks = []
        for row, seed, task_id in zip(rows.tolist(), seeds, task_ids, strict=True):
            generator = self._generators[row]
            if generator is None or seed is not None:
                generator = self._generators[row] = np_random(seed)[0]
            tasks.append(self._pool.draw(generator) if task_id is None else self._pool[task_id])
        self.episodes.start(rows, tasks)

    def _act(self, rows: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rewards, terminated = self.episodes.shoot(rows, actions[rows])
        return rewards, terminated, np.zeros(len(rows), bool)

    def _final(self, rows: np.ndarray) -> tuple[Any, dict[str, np.ndarray]]:
        return (self.episodes.observe(rows) if len(rows) else None), self.episodes.infos(rows)

    def _infos(self, rows: np.ndarray, ended: np.ndarray, final: Any) -> dict[str, Any]:
        infos = self._spread(self.episodes.infos(rows), rows)
        if final is not None and len(ended):
            observations, last = final
            kept = np.full(self.num_envs, None, object)
            for n, row in enumerate(ended.tolist()):
                kept[row] = _row(observations, n)
            infos |= {"final_obs": kept, "_final_obs": self._mask(ended)}
            infos |= {"final_info": self._spread(last, ended), "_final_info": self._mask(ended)}
        return infos

    def _batched_observations(self) -> Any:
        return self.episodes.observe(self._all, self._on_device)

    def _spread(self, values: dict[str, np.ndarray], rows: np.ndarray) -> dict[str, Any]:
        """Infos in Gymnasium's form: arrays [envs] with 0 or None elsewhere, and masks of where they are known."""
        infos: dict[str, Any] = {}
        for key, known in values.items():
            spread = np.full(self.num_envs, None if known.dtype == object else 0, known.dtype)
            spread[rows] = known
            infos[key], infos[f"_{key}"] = spread, self._mask(rows)
        return infos

    def _mask(self, rows: np.ndarray) -> np.ndarray:
        mask = np.zeros(self.num_envs, bool)
        mask[rows] = True
        return mask


def _row(observations: Any, row: int) -> Any:
    """One of many observations."""
    if isinstance(observations, dict):
        return {key: _row(values, row) for key, values in observations.items()}
    return observations[row].copy()
