"""PHYRE with several decisions in one attempt: an agent acts, some steps are simulated, and it acts again.

import gymnasium
env = gymnasium.make("tumble.phyre:tumble/PhyreMidway-v0", observation="objects")
observation, info = env.reset(seed=0)  # or options={"task": "00003:001"}
observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
"""

from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from tumble.envs import EnvError
from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import tier_named
from tumble.phyre.envs.env import TaskPool, Tasks, observation_at, observation_space
from tumble.phyre.observation import view
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.interventions import Add, Intervention, Push
from tumble.phyre.simulation.session import MAX_STEPS, Session
from tumble.scene import render_rgb

WAIT, PUSH, PLACE = range(3)
"""Kinds of actions."""
ACTION: dict[str, spaces.Space[Any]] = {
    "kind": spaces.Discrete(3),
    "object": spaces.Discrete(view.MAX_OBJECTS),
    "push": spaces.Box(-1.0, 1.0, (2,), np.float64),
    "ball": spaces.Box(0.0, 1.0, (3,), np.float64),
}
"""The parts of an action."""


class PhyreMidwayEnv(gymnasium.Env[Any, Any]):
    """One attempt at a task, divided into pieces of `steps` steps; before each the agent may push or place.

    An action is a dict: `kind` 0 waits, 1 pushes, 2 places a ball; `object` is the row of the object to push, as in
    `observe.objects` (and in the rows of the observation "objects"); `push` is its change of velocity in units of
    `push_speed` (m/s); `ball` is x, y and radius of the ball, as in an action of the benchmark. What the kind doesn't
    need is ignored.

    At most as many balls as the tier has may be placed, and `pushes` pushes made. An action that can't be carried out
    (a ball that overlaps something, a static object, no push left) changes nothing, `info["invalid"]` says so and
    `info["problem"]` why; its steps are simulated all the same. The reward is 1 for the piece in which the goal is
    reached, which ends the episode; after 1,000 steps it is truncated.

    The observation shows the world as it is now. The rest of `info`: `task`, its id; the `step`; `balls` and `pushes`
    left; `status` (1 solved, -1 not).
    """

    metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 10}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        tier: str = "B",
        tasks: Tasks | None = None,
        steps: int = 60,
        pushes: int = 3,
        push_speed: float = 10.0,
        observation: str = "pixels",
        render_mode: str | None = None,
        device: str = "cpu",
    ) -> None:
        if not 1 <= steps <= MAX_STEPS:
            raise EnvError(f"steps must be from 1 to {MAX_STEPS}, not {steps!r}")
        if pushes < 0:
            raise EnvError(f"pushes must be 0 or more, not {pushes}")
        if not 0.0 < push_speed < float("inf"):
            raise EnvError(f"push_speed must be above 0 m/s, not {push_speed}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise EnvError(f"no render_mode {render_mode!r}; there are {', '.join(self.metadata['render_modes'])}")
        self.pool = TaskPool(tier, tasks)
        self.render_mode = render_mode
        self.observation_space = observation_space(observation)
        self.action_space = spaces.Dict(deepcopy(ACTION))  # each environment draws from its own
        self._tier, self._steps, self._pushes, self._push_speed = tier_named(tier), steps, pushes, push_speed
        self._observation_mode, self._device = observation, device
        self._session: Session | None = None
        self._balls_left, self._pushes_left, self._problem = 0, 0, ""

    @property
    def session(self) -> Session:
        """The session of the current episode, to look at or to branch."""
        if self._session is None:
            raise ResetNeeded("there is no task yet: call reset() first")
        return self._session

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts an episode at a random task, or at `options["task"]`."""
        super().reset(seed=seed)
        task_id = (options or {}).get("task")
        task = self.pool.draw(self.np_random) if task_id is None else self.pool[task_id]
        self._session = Session(task, device=self._device)
        self._balls_left, self._pushes_left, self._problem = self._tier.balls, self._pushes, ""
        return self._observation(), self._info()

    def step(self, action: dict[str, Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Acts, then simulates a piece of the attempt."""
        session = self.session
        if session.over:
            raise ResetNeeded(f"the episode at task {session.task.id} is over: call reset() first")
        missing = [name for name in ACTION if name not in action]
        if missing:
            raise EnvError(f"an action is a dict of {', '.join(ACTION)}; {missing[0]!r} is missing")
        self._problem = ""
        try:
            self._act(action)
        except TumbleError as error:
            self._problem = str(error)
        state = session.step(self._steps)
        truncated = not state.solved and state.step >= session.max_steps
        return self._observation(), float(state.solved), state.solved, truncated, self._info()

    def _act(self, action: dict[str, Any]) -> None:
        """Carries an action out; raises a TumbleError if that isn't possible."""
        kind = int(action["kind"])
        if kind == PUSH:
            if not self._pushes_left:
                raise EnvError("no push is left")
            self.session.intervene(self._push(int(action["object"]), np.asarray(action["push"], float)))
            self._pushes_left -= 1
        elif kind == PLACE:
            if not self._balls_left:
                raise EnvError("no ball is left")
            x, y, radius = placed_balls(np.asarray(action["ball"], float).reshape(1, 3))[0, 0].tolist()
            self.session.intervene(Add.ball(x, y, radius))
            self._balls_left -= 1
        elif kind != WAIT:
            raise EnvError(f"kind must be 0 (wait), 1 (push) or 2 (place), not {kind}")

    def _push(self, row: int, push: np.ndarray) -> Intervention:
        objects = view.objects(self.session.scene)
        if not 0 <= row < len(objects):
            raise EnvError(f"there is no object {row}: the scene has {len(objects)}")
        body = int(objects[row])
        mass = self.session.masses[body]
        if not np.isfinite(mass):
            raise EnvError(f"object {row} is static")
        x, y = (push * self._push_speed * mass).tolist()
        return Push(body, (x, y))

    def _observation(self) -> Any:
        state = self.session.state
        return observation_at(state.scene, state.poses, self._observation_mode)

    def _info(self) -> dict[str, Any]:
        session = self.session
        return {
            "task": session.task.id,
            "step": session.state.step,
            "balls": self._balls_left,
            "pushes": self._pushes_left,
            "invalid": bool(self._problem),
            "problem": self._problem,
            "status": session.state.status,
        }

    def render(self) -> Any:
        """The world as it is now as uint8 [256, 256, 3], or the state of the episode as text."""
        if self.render_mode is None:
            raise EnvError("nothing to render: make the environment with render_mode 'rgb_array' or 'ansi'")
        state = self.session.state
        if self.render_mode == "ansi":
            outcome = "solved" if state.solved else "not solved"
            return f"task {self.session.task.id}: step {state.step} of {self.session.max_steps}, {outcome}"
        return render_rgb(state.scene, state.poses)
