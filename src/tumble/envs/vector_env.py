"""Vector environments: a batch of episodes, each step of which is one call of the engine.

Environments draw their tasks from a pool. A vector environment keeps its own episodes, or, as `SubEnvVectorEnv`,
keeps them in single environments and simulates their steps together.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import copy, deepcopy
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from tumble.errors import TumbleError


class EnvError(TumbleError):
    """An environment that is made, reset or used wrongly."""


class HasId(Protocol):
    """A task."""

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=HasId)
Tasks = Mapping[str, T] | Iterable[str | T]
"""Tasks as an environment accepts them: a mapping by id, or ids and tasks."""


class TaskPool(Generic[T]):
    """Tasks by id: those passed in, or all published ones. A task named by its id is built on first use."""

    def __init__(
        self,
        tasks: Tasks[T] | None,
        published_ids: Iterable[str],
        build: Callable[[str], T],
        task_type: type[T],
        qualifier: str = "",
    ) -> None:
        """`build` makes a task from its id; `qualifier` follows the number of tasks in messages."""
        if isinstance(tasks, str | task_type):
            raise EnvError("tasks must be a list of ids or tasks, not a single one")
        self._build, self._task_type, self._qualifier = build, task_type, qualifier
        self._built: dict[str, T] = {}
        published = dict.fromkeys(published_ids)
        entries = published if tasks is None else tasks.values() if isinstance(tasks, Mapping) else tasks
        self.ids = tuple(self._add(entry, published) for entry in entries)
        self._id_set = frozenset(self.ids)
        if not self.ids:
            raise EnvError("tasks is empty: give at least one, or None for all published ones")
        task_id, times = Counter(self.ids).most_common(1)[0]
        if times > 1:
            raise EnvError(f"task {task_id} is given {times} times")

    def check(self, task: T) -> None:
        """Raises an EnvError for a task that does not belong here; for subclasses to override."""

    def _add(self, entry: str | T, published: Container[str]) -> str:
        """The id of a task; tasks that are not published are built and checked at once."""
        if isinstance(entry, str) and entry in published:
            return entry
        task = self._build(entry) if isinstance(entry, str) else entry
        if not isinstance(task, self._task_type):
            raise EnvError(f"tasks must be ids or tasks, not {task!r}")
        self.check(task)
        self._built[task.id] = task
        return task.id

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, task_id: object) -> T:
        if not isinstance(task_id, str) or task_id not in self._id_set:
            raise EnvError(f"no task {task_id!r} in this environment, which has {self._summary()}")
        if task_id not in self._built:
            self._built[task_id] = self._build(task_id)
        return self._built[task_id]

    def draw(self, rng: np.random.Generator) -> T:
        """A random task."""
        return self[self.ids[int(rng.integers(len(self.ids)))]]

    def _summary(self) -> str:
        first_ids = ", ".join(self.ids[:3]) + (", …" if len(self.ids) > 3 else "")
        return f"{len(self.ids)}{self._qualifier}: {first_ids}"


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


S = TypeVar("S")

MIN_CACHED = 64
"""Tasks that a simulator may have even if there are fewer episodes."""


class SimulatorCache(Generic[S]):
    """Makes a new simulator only when an episode is at a task that the current one lacks.

    Making one costs a fraction of a rollout for each of its tasks. So it has all tasks of a small pool; of a large one
    it keeps the tasks that it had, unless these become more than MIN_CACHED and twice the episodes.
    """

    def __init__(self, make: Callable[[Sequence[Any]], S], pool: TaskPool[Any], num_envs: int) -> None:
        self._make, self._pool, self._max_tasks = make, pool, max(MIN_CACHED, 2 * num_envs)
        self._tasks: dict[str, Any] = {}
        self._indices: dict[str, int] = {}
        self._simulator = make([])

    def simulator(self, tasks: Sequence[Any]) -> S:
        """A simulator that has these tasks."""
        if any(task.id not in self._tasks for task in tasks):
            wanted = {task.id: task for task in tasks}
            if len(self._pool) <= MIN_CACHED:
                merged = {task_id: self._pool[task_id] for task_id in self._pool.ids}
            else:
                merged = self._tasks | wanted
            self._tasks = merged if len(merged) <= self._max_tasks else wanted
            self._indices = {task_id: k for k, task_id in enumerate(self._tasks)}
            self._simulator = self._make(list(self._tasks.values()))
        return self._simulator

    def index(self, task: Any) -> int:
        """The number of a task in the current simulator."""
        return self._indices[task.id]


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
