"""Phy-Q as a Gymnasium environment: an episode is one level, a step is one shot.

>>> env = gymnasium.make("tumble.phyq:tumble/PhyQ-v0", scenario=6, observation="symbolic", actions="angles")
>>> observation, info = env.reset(seed=0, options={"task": "6.4:003"})  # without options: a random task
>>> observation, reward, terminated, truncated, info = env.step(90 + 38)
>>> observation.shape, info["birds_left"]
((120, 160, 12), 0)
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike

from tumble.envs.errors import EnvError
from tumble.envs.vector_env import StepResult
from tumble.phyq.envs.spaces import DecodedAction, action_space, decode_action, observation_of, observation_space
from tumble.phyq.envs.task_pool import TaskPool, Tasks
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.game.turns import NEXT_BIRD_STEPS
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.constants import STEP
from tumble.phyq.tasks.task import Task

STRIDE = 5
"""Steps between kept poses, from which an observation is taken while objects still move: it is up to 0.1 s old."""


class PlayedShot(NamedTuple):
    """A shot that was played after the earlier shots of its episode, and the row of its results."""

    action: DecodedAction
    episodes: Episodes
    row: int


class PhyQEnv(gymnasium.Env[Any, Any]):
    """One level, shot by shot; the reward is 1 for the shot that wins it.

    `observation` is "symbolic" (uint8 [120, 160, 12], with or, as for the published agents, without `platforms`),
    "image" (uint8 [480, 640, 3]) or "small_image" (uint8 [120, 160, 3]), from when the next bird can fly.

    `actions` are "angles", 180 of them at full stretch as in the paper, or "continuous": four numbers from 0 to 1 for
    the angle (-90 to 90 degrees), the stretch, the tap (share of the flight; 1: none) and the wait (share of 20 s from
    this release until the next bird flies; 1: until everything rests), which scenario 14 needs.

    `info` has `task` (its id), `status` (open, won, lost, or cap: lost when time ran out), `pigs_left`, `birds_left`
    and `seconds` of game time. Tasks are those of a `scenario` or a `template`, or `tasks`: ids, or user-defined tasks.
    Neither `device` ("cpu" or "cuda") nor `threads` (0: all cores) changes an outcome.
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
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise EnvError(f"no render_mode {render_mode!r}; there are {', '.join(self.metadata['render_modes'])}")
        self.pool = TaskPool(scenario, template, tasks)
        self.render_mode = render_mode
        self.observation_space = observation_space(observation)
        self.action_space = action_space(actions)
        self._observation, self._actions, self._platforms = observation, actions, platforms
        self._device, self._threads = device, threads
        self.want = ("states", "trajectory") if actions == "continuous" else ("states",)
        """What the simulator keeps of an episode."""
        self.current_observation: Any = None
        """The current observation."""
        self._task: Task | None = None
        self._simulator = self.simulator([])

    def simulator(self, tasks: Sequence[Task]) -> Simulator:
        """A simulator of tasks on this environment's device."""
        return Simulator([task.level for task in tasks], self._device, self._threads)

    @property
    def task(self) -> Task:
        """The task of the current episode."""
        if self._task is None:
            raise ResetNeeded("there is no task yet: call reset() first")
        return self._task

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots of the current episode."""
        return tuple(self._shots)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts an episode at a random task, or at `options["task"]`."""
        super().reset(seed=seed)
        task_id = (options or {}).get("task")
        task = self.pool.draw(self.np_random) if task_id is None else self.pool[task_id]
        if task is not self._task:
            self._simulator = self.simulator([task])
        self._task = task
        self._shots: list[Shot] = []
        self._delay: float | None = None
        self._status, self._pigs, self._seconds = "open", len(task.level.pigs), 0.0
        self._observe(episode_views.start(task.level))
        return self.current_observation.copy(), self._info()

    def step(self, action: ArrayLike) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Shoots the next bird."""
        decoded = self.decode(action)
        episodes = self._simulator.play([0], [[*self._shots, decoded.shot]], self.want, STRIDE)
        result = self.record(PlayedShot(decoded, episodes, 0))
        return self.current_observation.copy(), *result

    def decode(self, action: ArrayLike) -> DecodedAction:
        """The shot that an action stands for; an error if the episode is over."""
        task = self.task
        if self._status != "open":
            raise ResetNeeded(f"the episode at task {task.id} is over: call reset() first")
        return decode_action(action, self._actions, task.level.birds[len(self._shots)], self._delay)

    def record(self, played: PlayedShot) -> StepResult:
        """Applies the results of a shot to this episode: reward, terminated, truncated and info."""
        episodes, row = played.episodes, played.row
        self._shots.append(played.action.shot)
        next_step = _next_release_step(played)
        if next_step is None:
            self._delay, self._status = None, str(episodes.status[row])
            self._pigs, self._seconds = int(episodes.pigs_left[row]), float(episodes.seconds[row])
            self._observe(episode_views.end(episodes, row))
        else:
            self._delay = played.action.wait
            self._pigs, self._seconds = _pigs_at(played, next_step), float(next_step - episodes.start[row]) * STEP
            self._observe(episode_views.motion(episodes, row).view(int(next_step - episodes.start[row]) // STRIDE))
        won = self._status == "won"
        return float(won), self._status != "open", False, self._info()

    def _observe(self, view: episode_views.View) -> None:
        self._view = view
        self.current_observation = observation_of(view, self._observation, self._platforms)

    def _info(self) -> dict[str, Any]:
        return {
            "task": self.task.id,
            "status": self._status,
            "pigs_left": self._pigs,
            "birds_left": len(self.task.level.birds) - len(self._shots),
            "seconds": self._seconds,
        }

    def render(self) -> Any:
        """The current view as uint8 [480, 640, 3], or the status of the episode as text."""
        if self.render_mode is None:
            raise EnvError("nothing to render: make the environment with render_mode 'rgb_array' or 'ansi'")
        info = self._info()
        if self.render_mode == "ansi":
            return "task {task}: {status}, {pigs_left} pigs and {birds_left} birds left".format(**info)
        return self._view.picture()


def _next_release_step(played: PlayedShot) -> int | None:
    """The step at which the next bird can fly; None if the episode is over or everything rests by then."""
    episodes, row, wait = played.episodes, played.row, played.action.wait
    shots, birds = int(episodes.shots_used[row]), len(episodes.worlds[episodes.level_of[row]].level.birds)
    if wait is None or shots == birds:
        return None
    ready = int(episodes.landed[row, shots - 1]) + NEXT_BIRD_STEPS
    step = max(int(episodes.released[row, shots - 1]) + round(wait / STEP), ready)
    return step if step < episodes.steps[row] and _pigs_at(played, step) else None


def _pigs_at(played: PlayedShot, step: int) -> int:
    """The number of pigs alive at a step."""
    episodes, row = played.episodes, played.row
    died = episodes.died[row, episodes.worlds[episodes.level_of[row]].of_role("pig")]
    return int(np.sum((died == 0) | (died > step)))
