"""Phy-Q as a Gymnasium environment: an episode is one level, a step is one shot.

import gymnasium
env = gymnasium.make("tumble.phyq:tumble/PhyQ-v0", scenario=6, observation="symbolic", actions="angles")
observation, info = env.reset(seed=0)  # or options={"task": "6.4:003"}
observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike

from tumble.envs.vector_env import StepResult
from tumble.phyq.envs.spaces import Choice, action_space, choice_of, observation_of, observation_space
from tumble.phyq.envs.task_pool import TaskPool, Tasks
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.game.turns import NEXT_BIRD_STEPS
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.constants import STEP
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.task import Task

STRIDE = 5
"""Steps between the poses that are kept while a bird is made to wait: what is seen then is up to 0.1 s old."""


class Played(NamedTuple):
    """A shot that was played after all shots before it: a row of episodes."""

    choice: Choice
    episodes: Episodes
    row: int


class PhyQEnv(gymnasium.Env[Any, Any]):
    """One level, shot by shot; the reward is 1 for the shot that wins it.

    `observation` is "symbolic" (uint8 [120, 160, 12]; `platforms` are shown in it or, as to the published agents, not),
    "image" (uint8 [480, 640, 3]) or "small_image" (uint8 [120, 160, 3]): what is there when the next bird can fly.

    `actions` are "angles", 180 of them at full stretch as in the paper, or "continuous": four numbers from 0 to 1 for
    the angle (-90 to 90 degrees), the stretch, the tap (share of the flight; 1: none) and the wait (share of 20 s from
    this release until the next bird flies; 1: until everything rests), without which scenario 14 can't be solved.

    `info`: `task`, its id; `status` (open, won, lost, or cap: lost when time ran out); `pigs_left`, `birds_left`, and
    `seconds` of the game so far. Tasks are those of a `scenario` or a `template`, or `tasks`: ids, or tasks of one's
    own. Neither `device` ("cpu" or "cuda") nor `threads` (0: all cores) changes an outcome.
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
            raise ValueError(f"no render_mode {render_mode!r}; there are {', '.join(self.metadata['render_modes'])}")
        self.pool = TaskPool(scenario, template, tasks)
        self.render_mode = render_mode
        self.observation_space = observation_space(observation)
        self.action_space = action_space(actions)
        self._observation, self._actions, self._platforms = observation, actions, platforms
        self._device, self._threads = device, threads
        self.want = ("states", "trajectory") if actions == "continuous" else ("states",)
        """What to keep of an episode."""
        self.current_observation: Any = None
        """The current observation."""
        self._task: Task | None = None
        self._simulator = self.simulator([])

    def simulator(self, levels: Sequence[Level]) -> Simulator:
        """A simulator of some levels, on this environment's device."""
        return Simulator(levels, self._device, self._threads)

    @property
    def task(self) -> Task:
        """The task of the current episode."""
        if self._task is None:
            raise ResetNeeded("there is no task yet: call reset() first")
        return self._task

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots of the current episode so far."""
        return tuple(self._shots)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode at a random task, or at `options["task"]`."""
        super().reset(seed=seed)
        wanted = (options or {}).get("task")
        task = self.pool.draw(self.np_random) if wanted is None else self.pool[wanted]
        if task is not self._task:
            self._simulator = self.simulator([task.level])
        self._task = task
        self._shots: list[Shot] = []
        self._delay: float | None = None
        self._status, self._pigs, self._seconds = "open", len(task.level.pigs), 0.0
        self._look(episode_views.start(task.level))
        return self.current_observation.copy(), self._info()

    def step(self, action: ArrayLike) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Shoot the next bird."""
        choice = self.choice(action)
        episodes = self._simulator.play([0], [[*self._shots, choice.shot]], self.want, STRIDE)
        outcome = self.record(Played(choice, episodes, 0))
        return self.current_observation.copy(), *outcome

    def choice(self, action: ArrayLike) -> Choice:
        """What an action means now; an error where the episode is over."""
        task = self.task
        if self._status != "open":
            raise ResetNeeded(f"the episode at task {task.id} is over: call reset() first")
        return choice_of(action, self._actions, task.level.birds[len(self._shots)], self._delay)

    def record(self, played: Played) -> StepResult:
        """Take over a shot that was played, and say what came of it."""
        episodes, row = played.episodes, played.row
        self._shots.append(played.choice.shot)
        moment = _moment(played)
        if moment is None:
            self._delay, self._status = None, str(episodes.status[row])
            self._pigs, self._seconds = int(episodes.pigs_left[row]), float(episodes.seconds[row])
            self._look(episode_views.end(episodes, row))
        else:
            self._delay = played.choice.wait
            self._pigs, self._seconds = _pigs_at(played, moment), float(moment - episodes.start[row]) * STEP
            self._look(episode_views.motion(episodes, row).view(int(moment - episodes.start[row]) // STRIDE))
        won = self._status == "won"
        return float(won), self._status != "open", False, self._info()

    def _look(self, view: episode_views.View) -> None:
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
        """What is there, as uint8 [480, 640, 3]; or where the episode stands, as text."""
        if self.render_mode is None:
            raise ValueError("nothing to render: make the environment with render_mode 'rgb_array' or 'ansi'")
        info = self._info()
        if self.render_mode == "ansi":
            return "task {task}: {status}, {pigs_left} pigs and {birds_left} birds left".format(**info)
        return self._view.picture()


def _moment(played: Played) -> int | None:
    """The step at which the next bird can fly, where that is before the end and pigs are left then."""
    episodes, row, wait = played.episodes, played.row, played.choice.wait
    shots, birds = int(episodes.shots_used[row]), len(episodes.worlds[episodes.level_of[row]].level.birds)
    if wait is None or shots == birds:
        return None
    ready = int(episodes.landed[row, shots - 1]) + NEXT_BIRD_STEPS
    moment = max(int(episodes.released[row, shots - 1]) + round(wait / STEP), ready)
    return moment if moment < episodes.steps[row] and _pigs_at(played, moment) else None


def _pigs_at(played: Played, step: int) -> int:
    """Pigs that live at a step."""
    episodes, row = played.episodes, played.row
    died = episodes.died[row, episodes.worlds[episodes.level_of[row]].of_role("pig")]
    return int(np.sum((died == 0) | (died > step)))
