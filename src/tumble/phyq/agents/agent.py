"""What an agent is.

First it may train. Then it gets test tasks, each with a number of attempts. An attempt is an episode: the agent is
asked for the next shot, given what it sees, until the level is won or its birds are gone. A file of one's own with such
a class works everywhere:

    class MyAgent(Agent):
        def propose(self, task, past, now):
            pig = next(thing for thing in now.things if thing.kind == "pig")
            return Shot(releases_to((pig.x, pig.y))[0].angle)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tumble.phyq.observation.things import Thing
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.attempt import Try
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.task import Task


@dataclass(frozen=True)
class Now:
    """What an agent sees when it is asked for a shot."""

    task: Task
    attempt: int
    """1 for the first."""
    so_far: Try | None = None
    """What came of the shots of this attempt; None before the first."""

    @property
    def shots(self) -> int:
        """How many there have been in this attempt."""
        return len(self.so_far.shots) if self.so_far else 0

    @property
    def birds(self) -> tuple[str, ...]:
        """Those that are left; the first sits on the sling."""
        return self.task.level.birds[self.shots :]

    @cached_property
    def view(self) -> episode_views.View:
        """Everything as it is now: `.things`, `.picture()`, `.symbolic()`, `.tensor()`."""
        return self.so_far.end if self.so_far else episode_views.start(self.task.level)

    @property
    def things(self) -> tuple[Thing, ...]:
        """Pigs, blocks, platforms and birds as they are now."""
        return self.view.things


Answer = Shot | Sequence[Shot] | None


class Agent:
    """Override `propose`, and of the others what is needed."""

    wants: tuple[str, ...] = ()
    """What it wants to see of its shots: "trajectory", "events"; without, how everything is after each."""
    looks_back: bool = True
    """Whether it goes by earlier attempts at a task; without, all are made side by side and `past` is empty."""
    learns_online: bool = False
    """Whether it learns from test tasks; they then come one after the other, in its order."""

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        """Learns from training tasks, which are the levels of the simulator, with as many shots as it likes."""

    def order(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """The order in which it attempts test tasks."""
        return tasks

    def propose(self, task: Task, past: Sequence[Try], now: Now) -> Answer:
        """The next shot; None ends the attempt, which then has failed.

        Several shots are made one after the other before it is asked again: only the second and later ones of an
        answer can have a `delay`, as things are at rest when an agent is asked.
        """
        raise NotImplementedError

    def learn(self, task: Task, past: Sequence[Try]) -> None:
        """Learns from a test task whose attempts are made; only where `learns_online`."""
