"""PHYRE as a Gymnasium environment, one or a batch: an episode is a number of attempts at one task.

    import gymnasium
    env = gymnasium.make("tumble.phyre:tumble/PHYRE-B-v0", observation="pixels")
    observation, info = env.reset(seed=0)  # or options={"task": "00003:001"}
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

Invalid actions are no attempts and cost nothing, so an agent that takes no others never ends an episode;
`gymnasium.make(..., max_episode_steps=1000)` ends it after 1,000 actions of any kind. Each step of a batch, as
`gymnasium.make_vec` makes it, is one call of the engine.
"""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import Space, spaces
from gymnasium.error import ResetNeeded

from tumble import envs
from tumble.envs import EnvError, SubEnvVectorEnv
from tumble.envs.vector_env import StepResult
from tumble.phyre.catalogue.task import MAX_ATTEMPTS, Task, Tier, tier_named
from tumble.phyre.catalogue.tasks_by_id import task, task_ids
from tumble.phyre.observation import view
from tumble.phyre.simulation.actions import SIZE, as_actions
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, LABELS, NOT_SOLVED
from tumble.scene import Scene, render_rgb

OBSERVATIONS = ("pixels", "objects", "both")
_SIDE = int(SIZE)
_MAX_LENGTH = 4.0
"""Bound of x, y and diameters of objects, in widths of the scene; far beyond those of any published task."""


def action_space(tier: Tier) -> spaces.Box:
    """x, y and radius of each ball, from 0 to 1."""
    # Double precision, as the benchmark's actions; arrays in single precision belong to this space as well.
    return spaces.Box(0.0, 1.0, (tier.numbers,), np.float64)


def observation_space(observation: str) -> Space[Any]:
    """The space of `observation_of`."""
    if observation not in OBSERVATIONS:
        raise EnvError(f"no observation {observation!r}; there are {', '.join(OBSERVATIONS)}")
    pixels = spaces.Box(0, view.COLOURS - 1, (_SIDE, _SIDE), np.uint8)
    low, high = np.zeros((2, view.MAX_OBJECTS, view.FEATURES), np.float32)
    high[:] = 1.0
    low[:, :2] = -_MAX_LENGTH
    high[:, [0, 1, 3]] = _MAX_LENGTH
    objects = {
        "objects": spaces.Box(low, high, dtype=np.float32),
        "mask": spaces.MultiBinary(view.MAX_OBJECTS),
    }
    if observation == "pixels":
        return pixels
    return spaces.Dict(objects if observation == "objects" else {"pixels": pixels, **objects})


def observation_of(task: Task, observation: str) -> Any:
    """A task's scene before any action, as `observation_at` shows it."""
    return observation_at(task.scene, None, observation)


def observation_at(scene: Scene, poses: np.ndarray | None, observation: str) -> Any:
    """A scene at poses [bodies, 3] (None: the start), as colour indices, as features of its objects, or as both.

    Features are padded with zeros to 64 rows; `mask` is 1 for rows that are objects, 0 for those that are absent.
    """
    if observation == "pixels":
        return view.picture(scene, poses)
    table, real = view.padded(view.features(scene, poses))
    objects = {"objects": table, "mask": real.astype(np.int8)}
    return objects if observation == "objects" else {"pixels": view.picture(scene, poses), **objects}


Tasks = envs.Tasks[Task]


class TaskPool(envs.TaskPool[Task]):
    """Tasks of one tier by id: those passed in, or all published ones."""

    def __init__(self, tier: str, tasks: Tasks | None = None) -> None:
        self.tier = tier_named(tier).name
        super().__init__(tasks, task_ids(tier), task, Task, f" of tier {tier}")

    def check(self, task: Task) -> None:
        """Raises an EnvError for a task of the other tier."""
        if task.tier != self.tier:
            raise envs.EnvError(f"task {task.id} is of tier {task.tier}, not {self.tier}")


STRIDE = 60
"""Steps from one frame of an attempt to the next."""
MAX_OBSERVATIONS = 2048
"""Tasks whose observations are kept, so that they are not computed again."""


class PhyreEnv(gymnasium.Env[Any, np.ndarray]):
    """Up to `attempts` attempts at one task; the reward is 1 for the one that solves it and ends the episode.

    The observation is always the task before any action; with `intermediate`, `info["frames"]` shows the attempt:
    uint8 [17, 256, 256], colour indices every 60 steps, the last one repeated if the task was solved early. An
    invalid action has no frames. The rest of `info`: `task`, its id; the number of `attempts` made; and of the last
    action whether it was `invalid`, its `status` (-1 not solved, 0 invalid, 1 solved) and its number of `steps`.

    `tasks` are ids or user-defined tasks; None for the published tasks of the tier. Neither `device` ("cpu" or "cuda")
    nor `threads` (0: all cores) changes an outcome.
    """

    metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 1}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        tier: str,
        tasks: Tasks | None = None,
        attempts: int = MAX_ATTEMPTS,
        observation: str = "pixels",
        intermediate: bool = False,
        render_mode: str | None = None,
        device: str = "cpu",
        threads: int = 0,
    ) -> None:
        if attempts < 1:
            raise EnvError(f"attempts must be 1 or more, not {attempts}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise EnvError(f"no render_mode {render_mode!r}; there are {', '.join(self.metadata['render_modes'])}")
        self.pool = TaskPool(tier, tasks)
        self.render_mode = render_mode
        self.observation_space = observation_space(observation)
        self._max_attempts, self._observation_mode, self._intermediate = attempts, observation, intermediate
        self._device, self._threads = device, threads
        self._simulator = self.simulator([])
        self.action_space = action_space(self._simulator.tier)
        self._frame_count = self._simulator.options.max_steps // STRIDE + 1
        self.want = ("observations",) * intermediate + ("states",) * (render_mode == "rgb_array")
        """What to record of an attempt."""
        self.current_observation: Any = None
        self._observations: dict[str, Any] = {}  # by task id; copies in a vector environment share them
        self._task: Task | None = None
        self._attempts_made, self._solved = 0, False

    def simulator(self, tasks: Iterable[Task]) -> Simulator:
        """A simulator of tasks on this environment's device."""
        return Simulator(tasks, self.pool.tier, self._device, self._threads)

    @property
    def task(self) -> Task:
        """The task of the current episode."""
        if self._task is None:
            raise ResetNeeded("there is no task yet: call reset() first")
        return self._task

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts an episode at a random task, or at `options["task"]`."""
        super().reset(seed=seed)
        task_id = (options or {}).get("task")
        task = self.pool.draw(self.np_random) if task_id is None else self.pool[task_id]
        if task is not self._task:
            self.current_observation = self._observation(task)
        self._task, self._attempts_made, self._solved = task, 0, False
        self._last_attempt = Attempt(NOT_SOLVED)
        self._last_valid_attempt: Attempt | None = None
        return deepcopy(self.current_observation), self._info()

    def _observation(self, task: Task) -> Any:
        if task.id not in self._observations:
            if len(self._observations) >= MAX_OBSERVATIONS:
                self._observations.clear()
            self._observations[task.id] = observation_of(task, self._observation_mode)
        return self._observations[task.id]

    def step(self, action: np.ndarray) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Attempts the task."""
        task = self.active_task()
        if self._simulator.tasks != (task,):
            self._simulator = self.simulator([task])
        attempt = self._simulator.simulate(task, action, STRIDE, want=self.want)
        return deepcopy(self.current_observation), *self.record(attempt)

    def active_task(self) -> Task:
        """The task of the current episode; raises ResetNeeded if the episode is over."""
        task = self.task
        if self._solved or self._attempts_made >= self._max_attempts:
            raise ResetNeeded(f"the episode at task {task.id} is over: call reset() first")
        return task

    def record(self, attempt: Attempt) -> StepResult:
        """Counts an attempt that was simulated; returns reward, terminated, truncated and info."""
        self._last_attempt = attempt
        if attempt.status != INVALID:
            self._attempts_made += 1
            self._last_valid_attempt = attempt
        self._solved = attempt.solved
        truncated = not self._solved and self._attempts_made >= self._max_attempts
        return float(self._solved), self._solved, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        attempt = self._last_attempt
        info = {
            "task": self.task.id,
            "attempts": self._attempts_made,
            "invalid": attempt.status == INVALID,
            "status": attempt.status,
            "steps": attempt.steps,
        }
        if self._intermediate and attempt.observations is not None:
            # A fixed number of frames, because Gymnasium stacks those of several environments.
            info["frames"] = attempt.observations[np.arange(self._frame_count).clip(max=len(attempt.observations) - 1)]
        return info

    def render(self) -> Any:
        """The task, or the end of the last attempt, as uint8 [256, 256, 3]; or the state of the episode as text."""
        if self.render_mode is None:
            raise EnvError("nothing to render: make the environment with render_mode 'rgb_array' or 'ansi'")
        task, attempt = self.task, self._last_valid_attempt
        if self.render_mode == "ansi":
            status = LABELS[self._last_attempt.status]
            return f"task {task.id}: {self._attempts_made} of {self._max_attempts} attempts, {status}"
        if attempt is None or attempt.scene is None or attempt.states is None:
            return render_rgb(task.scene)
        return render_rgb(attempt.scene, attempt.states[-1, :, :3])


class PhyreVectorEnv(SubEnvVectorEnv):
    """`num_envs` episodes of `PhyreEnv` (see `BatchedVectorEnv`); invalid actions count towards `max_episode_steps`."""

    env_class = PhyreEnv

    def _simulate(self, actions: np.ndarray, active: np.ndarray) -> list[Attempt]:
        checked = np.zeros(actions.shape)  # actions of episodes that have ended are not checked
        checked[active] = actions[active]
        tasks = [self.envs[k].active_task() for k in active]
        simulator = self.simulators.simulator(tasks)
        table = as_actions(checked, simulator.tier)
        ids, want = [task.id for task in tasks], self.envs[0].want
        if want:
            return list(simulator.attempts(ids, table[active], STRIDE, want=want))
        statuses, steps = simulator.outcomes(ids, table[active])  # quicker: no scenes with balls
        return [Attempt(*both) for both in zip(statuses.tolist(), steps.tolist(), strict=True)]
