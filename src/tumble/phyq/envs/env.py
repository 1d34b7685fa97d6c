"""Phy-Q as a Gymnasium environment: an episode is one level, a step is one shot; also many episodes as one
environment.

>>> env = gymnasium.make("tumble.phyq:tumble/PhyQ-v1", scenario=6, observation="symbolic", actions="angles")
>>> observation, info = env.reset(seed=0, options={"task": "6.4:003"})  # without options: a random task
>>> observation, reward, terminated, truncated, info = env.step(90 + 38)
>>> observation.shape, info["birds_left"]
((120, 160, 12), 0)

In the vector environment of `gymnasium.make_vec` each step plays all episodes in one call of the engine.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike

from tumble import envs
from tumble.envs import BatchedVectorEnv
from tumble.envs.vector_env import EnvError
from tumble.phyq.catalogue.tasks import Task, task, task_ids
from tumble.phyq.envs.episode_batch import EpisodeBatch
from tumble.phyq.envs.level_cache import LevelCache
from tumble.phyq.envs.spaces import action_space, observation_space, reward_function
from tumble.phyq.simulation.shots import Shot

Tasks = envs.Tasks[Task]


class TaskPool(envs.TaskPool[Task]):
    """Tasks by id: the given ones, or those of a scenario, of a template or of the whole benchmark."""

    def __init__(self, scenario: int | None = None, template: str | None = None, tasks: Tasks | None = None) -> None:
        if sum(choice is not None for choice in (scenario, template, tasks)) > 1:
            raise EnvError("give a scenario, a template or tasks, not several of them")
        super().__init__(tasks, task_ids(scenario, template), task, Task)


_ONLY = np.zeros(1, int)
"""The only row of a batch of one episode."""


class PhyQEnv(gymnasium.Env[Any, Any]):
    """One level, shot by shot.

    `observation`, from when the next bird can fly, is one of

    - "symbolic": uint8 [120, 160, 12], with or, as for the published agents, without `platforms`;
    - "symbolic_float": the same as float32 [12, 120, 160], the form that convolutions take;
    - "objects": a table of objects [64, features], the mask of those that exist, and the birds left by colour;
    - "image": uint8 [480, 640, 3]; or "small_image": uint8 [120, 160, 3].

    `actions` are "angles", 180 of them at full stretch as in the paper, or "continuous": four numbers from 0 to 1 for
    the angle (-90 to 90 degrees), the stretch, the tap (share of the flight; 1: none) and the wait (share of 20 s from
    this release until the next bird flies; 1: until everything rests), which scenario 14 needs.

    `reward` is "passing" (1 for the shot that wins the level, else 0), "num_pigs" (pigs killed by the shot),
    "num_pigs_normalised" (1 for the shot that wins, else the share of the level's pigs killed by the shot, less 1 /
    birds of the level) or "score" (points gained by the shot, with those for unused birds if it wins). What happens
    after the next observation counts for the next shot.

    `info` has `task` (its id), `status` (open, won, lost, or cap: lost when time ran out), `pigs_left`, `birds_left`
    and `seconds` of game time. Tasks are those of a `scenario` or a `template`, or `tasks`: ids, or user-defined tasks.
    Levels are simulated on `device` ("cpu" or "cuda"), with a number of CPU `threads` (0: all cores), and drawn on the
    same or another `drawing_device`; none of these changes an outcome.
    """

    metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 1}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        scenario: int | None = None,
        template: str | None = None,
        tasks: Tasks | None = None,
        observation: str = "symbolic",
        actions: str = "angles",
        platforms: bool = True,
        render_mode: str | None = None,
        device: str = "cpu",
        threads: int = 0,
        reward: str = "passing",
        drawing_device: str | None = None,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise EnvError(f"no render_mode {render_mode!r}; there are {', '.join(self.metadata['render_modes'])}")
        self.pool = TaskPool(scenario, template, tasks)
        self.render_mode = render_mode
        self.observation_space = observation_space(observation)
        self.action_space = action_space(actions)
        reward_function(reward)
        self._settings = (observation, actions, platforms, reward)
        self._devices = (device, threads, drawing_device)
        self._episode = self.episode_batch(1)

    def episode_batch(self, count: int) -> EpisodeBatch:
        """Episodes with the settings of this environment."""
        return EpisodeBatch(count, LevelCache(*self._devices), *self._settings)

    @property
    def task(self) -> Task:
        """The task of the current episode."""
        return self._episode.task(0)

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots of the current episode."""
        return self._episode.shots(0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts an episode at a random task, or at `options["task"]`."""
        super().reset(seed=seed)
        task_id = (options or {}).get("task")
        task = self.pool.draw(self.np_random) if task_id is None else self.pool[task_id]
        self._episode.start(_ONLY, [task])
        return self._observation(), self._info()

    def step(self, action: ArrayLike) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Shoots the next bird."""
        rewards, terminated = self._episode.shoot(_ONLY, np.asarray(action)[None])
        return self._observation(), float(rewards[0]), bool(terminated[0]), False, self._info()

    def render(self) -> Any:
        """The current view as uint8 [480, 640, 3], or the status of the episode as text."""
        if self.render_mode == "rgb_array":
            return self._episode.pictures(_ONLY)[0]
        return render_text(self.render_mode, self._episode.infos(_ONLY))[0]

    def _observation(self) -> Any:
        seen = self._episode.observe(_ONLY)
        return {key: values[0] for key, values in seen.items()} if isinstance(seen, dict) else seen[0]

    def _info(self) -> dict[str, Any]:
        return {key: values.tolist()[0] for key, values in self._episode.infos(_ONLY).items()}


def render_text(render_mode: str | None, infos: dict[str, np.ndarray]) -> tuple[str, ...]:
    """The status of episodes as text."""
    if render_mode is None:
        raise EnvError("nothing to render: make the environment with render_mode 'rgb_array' or 'ansi'")
    columns = zip(infos["task"], infos["status"], infos["pigs_left"], infos["birds_left"], strict=True)
    return tuple(f"task {task}: {status}, {pigs} pigs and {birds} birds left" for task, status, pigs, birds in columns)


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
                kept[row] = _observation_row(observations, n)
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


def _observation_row(observations: Any, row: int) -> Any:
    """One of many observations."""
    if isinstance(observations, dict):
        return {key: _observation_row(values, row) for key, values in observations.items()}
    return observations[row].copy()
