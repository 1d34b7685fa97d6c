"""The base class of agents, what they see before a shot, and what stands for agents that play from outside.

An agent may train first. Then it gets test tasks, each with a number of attempts. An attempt is an episode: the
agent proposes the next shot, given what it sees, until the level is won or the birds are used up. A class in a
user's file works everywhere:

>>> from tumble.phyq.catalogue.tasks import task
>>> from tumble.phyq.catalogue.trajectory import releases_to
>>> class LowShot(Agent):
...     def propose(self, task, past, state):
...         pig = next(obj for obj in state.objects if obj.kind == "pig")
...         return Shot(releases_to((pig.x, pig.y))[0].angle)
>>> first = task("1.4:000")
>>> LowShot().propose(first, (), AttemptState(first, attempt=1)).stretch
1.0

Random draws of agents depend only on the seed, the task, the attempt and the shot. Agents from outside play through
the server; their runs can be read, scored and replayed, but not resumed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tumble.draws import Draws
from tumble.errors import TumbleError
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.observation.objects import GameObject
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.participant import AgentError, BaseAgent, Given


class SettingError(TumbleError):
    """A setting of an agent with a wrong value."""


@dataclass(frozen=True)
class AttemptState:
    """What an agent sees when it proposes a shot."""

    task: Task
    attempt: int
    """The number of the attempt, from 1."""
    current: Attempt | None = None
    """The shots of this attempt and their result; None before the first."""

    @property
    def shots(self) -> int:
        """The number of shots in this attempt."""
        return len(self.current.shots) if self.current else 0

    @property
    def birds(self) -> tuple[str, ...]:
        """The colours of the birds that are left; the first is on the slingshot."""
        return self.task.level.birds[self.shots :]

    @cached_property
    def view(self) -> episode_views.View:
        """The current view: `.objects`, `.picture()`, `.symbolic()`, `.tensor()`."""
        return self.current.end if self.current else episode_views.start(self.task.level)

    @property
    def objects(self) -> tuple[GameObject, ...]:
        """The current pigs, blocks, platforms, TNT and birds."""
        return self.view.objects


Proposal = Shot | Sequence[Shot] | None


class Agent(BaseAgent[Task, Sequence[Attempt]]):
    """Subclasses override `propose`, and other methods as needed."""

    wants: tuple[str, ...] = ()
    """What it gets of its attempts besides their results: "trajectory", "events" (`attempt.WANTS`)."""
    uses_past: bool = True
    """Whether it uses earlier attempts at a task; if not, all attempts are made in one batch and `past` is empty."""

    def given(self) -> Given:
        return Given(
            tasks=("template", "picture", "shapes and states", "platforms and masses", "exact physics"),
            attempts=("status", "pictures", "states", "contacts") if self.uses_past else (),
            training=() if type(self).train is Agent.train else ("simulated actions",),
            learns_online=self.learns_online,
            declared=False,
        )

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        """Learns from training tasks, whose levels the simulator has; the number of shots is not limited."""

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Proposal:
        """The next shot; None ends the attempt as failed.

        Several shots are made one after the other before the next call. Only the second and later ones can have a
        `delay`, because everything is at rest when `propose` is called.
        """
        raise NotImplementedError


def draws_for(seed: int, state: AttemptState) -> Draws:
    """The draws for the next shot."""
    return Draws(f"{seed}/{state.task.id}/{state.attempt}/{state.shots}")


EXTERNAL_PREFIX = "external:"
"""Before the name of such an agent in run specifications."""


def external_name(name: str) -> str:
    """The agent of a name in run specifications, as in external:Datalab."""
    if not re.fullmatch(r"[A-Za-z0-9._ -]+", name):
        raise AgentError(f"no name for an agent: {name!r}; use letters, digits, spaces and . _ -")
    return EXTERNAL_PREFIX + name


def is_external(agent: str) -> bool:
    """Whether an agent of a run specification plays from outside."""
    return agent.startswith(EXTERNAL_PREFIX)


@dataclass
class External(Agent):
    """Stands for an agent that plays from outside."""

    def given(self) -> Given:
        return Given(tasks=("picture", "boxes"), attempts=("status", "pictures"), declared=False)

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Proposal:
        raise AgentError(
            "an agent from outside can't be started here: run `tumble phyq serve` with the same options, and connect it"
        )
